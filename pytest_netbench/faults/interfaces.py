"""Faults of an interface of a Linux router: NetArena's ``disable_interface`` (DI)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.linux import LinuxFault, OnNode
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.faults.wording import cut_off

USUAL_MTU = 1500
LOW_MTUS = (68, 72, 76)
"""Every echo request of usual size and every connection with data is lost at these; below 68 IPv4 is switched off."""


class OnInterface(OnNode):
    """Parameters of a fault of one interface."""

    interface: str


class InterfaceDown(LinuxFault[OnInterface]):
    """An interface is administratively down."""

    name = "interface-down"
    label = "DI"
    parameters = OnInterface
    called = {"netarena": "disable_interface, methods 1 and 2"}

    def _targets(self, site: Site) -> Iterator[OnInterface]:
        for lan in site.lans:
            yield OnInterface(node=site.router, interface=lan.interface)

    def breaks(self, parameters: OnInterface, site: Site) -> Affected:
        return site.beyond(site.lan_on(parameters.interface).hosts)

    def touches(self, parameters: OnInterface) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def wrong(self, parameters: OnInterface) -> str:
        where = f"{parameters.interface} of {parameters.node}"
        return f"Interface {where} is administratively down. {cut_off(parameters.node)}"

    def injection(self, parameters: OnInterface) -> Commands:
        return {parameters.node: (f"ip link set dev {parameters.interface} down",)}

    def signs(self, parameters: OnInterface) -> Iterator[Sign]:
        yield Sign(f"ip -o link show dev {parameters.interface}", r"state DOWN")

    def repair(self, parameters: OnInterface) -> tuple[str, ...]:
        return (f"ip link set dev {parameters.interface} up",)


class LowMtu(OnInterface):
    """An interface and its MTU in bytes."""

    mtu: int = Field(ge=68, le=1499)


class MtuTooLow(LinuxFault[LowMtu]):
    """The MTU of an interface is so low that it receives almost nothing."""

    name = "interface-mtu-too-low"
    label = "DI"
    parameters = LowMtu
    called = {"netarena": "disable_interface, method 3"}

    def _targets(self, site: Site) -> Iterator[LowMtu]:
        for lan in site.lans:
            for mtu in LOW_MTUS:
                yield LowMtu(node=site.router, interface=lan.interface, mtu=mtu)

    def breaks(self, parameters: LowMtu, site: Site) -> Affected:
        return site.beyond(site.lan_on(parameters.interface).hosts)

    def touches(self, parameters: LowMtu) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface} mtu"})

    def wrong(self, parameters: LowMtu) -> str:
        return (
            f"Interface {parameters.interface} of {parameters.node} has an MTU of {parameters.mtu} bytes, so that"
            f" almost every packet that arrives there is dropped. {cut_off(parameters.node)}"
        )

    def injection(self, parameters: LowMtu) -> Commands:
        return {parameters.node: (f"ip link set dev {parameters.interface} mtu {parameters.mtu}",)}

    def signs(self, parameters: LowMtu) -> Iterator[Sign]:
        yield Sign(f"ip -o link show dev {parameters.interface}", rf"mtu {parameters.mtu} ")

    def repair(self, parameters: LowMtu) -> tuple[str, ...]:
        return (f"ip link set dev {parameters.interface} mtu {USUAL_MTU}",)
