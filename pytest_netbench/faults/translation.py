"""Translation of addresses with an interface on the wrong side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pytest_netbench.faults.device import DeviceFault, OnDevice
from pytest_netbench.model.network import DrawnNetwork

Side = Literal["inside", "outside"]


class WrongSide(OnDevice):
    """An interface, and its right side. It is on the other one."""

    interface: str
    side: Side

    @property
    def wrong(self) -> Side:
        """The side that it is on."""
        return "outside" if self.side == "inside" else "inside"


class NatSideWrong(DeviceFault[WrongSide]):
    """An inside interface of address translation is an outside one, or the other way round."""

    name = "nat-side-wrong"
    label = "NAT"
    parameters = WrongSide
    platforms = ("cisco_ios",)

    def _places(self, network: DrawnNetwork) -> Iterator[WrongSide]:
        for one in network.translations:
            platform = network.platform_of(one.node)
            for interface in one.inside:
                yield WrongSide(node=one.node, platform=platform, interface=interface, side="inside")
            for interface in one.outside:
                yield WrongSide(node=one.node, platform=platform, interface=interface, side="outside")

    def touches(self, parameters: WrongSide) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface} nat"})

    def injection(self, parameters: WrongSide) -> tuple[str, ...]:
        return _moved(parameters.interface, parameters.side, parameters.wrong)

    def repair(self, parameters: WrongSide) -> tuple[str, ...]:
        return _moved(parameters.interface, parameters.wrong, parameters.side)


def _moved(interface: str, old: Side, new: Side) -> tuple[str, ...]:
    return (f"interface {interface}", f" no ip nat {old}", f" ip nat {new}")
