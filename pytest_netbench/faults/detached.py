"""Interfaces that are gone from their nodes."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv4Network
from typing import ClassVar, Final

from pytest_netbench.errors import FaultHasNoEffect, LabError
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import configured_mac
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

_CONFIGURED_BY_COMMANDS: Final = "linux"
"""The platform on which nobody gives an interface its address again."""


class Detached(OnDevice):
    """An interface with a cable.

    Attributes:
        interface: Of the node.
        commands: Those by which the node gets its address and routes again; none where a daemon does that.
    """

    interface: str
    commands: tuple[str, ...] = ()


class InterfaceDetached:
    """An interface is gone from its node: its card has failed, and the cable at it has no carrier."""

    name = "interface-detached"
    label = "DETACHED"
    parameters = Detached
    called: ClassVar = {"nika": "link_detach"}
    platforms: tuple[str, ...] = ("frr", "linux")
    requires: tuple[str, ...] = ("links",)
    lets_through = False
    found_at: ClassVar[str] = "interface"
    domain: ClassVar[str] = "link"

    def places(self, network: DrawnNetwork) -> Iterator[Detached]:
        known = {
            (one.node, one.interface): (subnet, one.address) for subnet in network.subnets for one in subnet.attachments
        }
        for link in network.topology.links:
            for end in link.endpoints:
                platform = network.platform_of(end.node)
                if platform not in self.platforms or not network.is_managed(end.node) or len(link.endpoints) < 2:
                    continue
                commands: tuple[str, ...] = ()
                if platform == _CONFIGURED_BY_COMMANDS:
                    subnet, address = known[end.node, end.interface]
                    whole = IPv4Interface((address, IPv4Network(subnet.prefix).prefixlen))
                    mac = configured_mac(network, end.node)
                    commands = (
                        *(() if mac is None else (f"ip link set dev {end.interface} address {mac}",)),
                        f"ip address add {whole} dev {end.interface}",
                        f"ip route replace default via {subnet.gateway}",
                    )
                yield Detached(node=end.node, platform=platform, interface=end.interface, commands=commands)

    def is_mutual(self, parameters: Detached) -> bool:  # noqa: ARG002  (the other end is there)
        return False

    def touches(self, parameters: Detached) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def cuts(self, parameters: Detached) -> frozenset[str]:  # noqa: ARG002  (only a lab shows what it breaks)
        return frozenset()

    def inject(self, parameters: Detached, lab: Lab) -> None:
        lab.capability(LINKS).detach(parameters.node, parameters.interface)

    def undo(self, parameters: Detached, lab: Lab) -> None:
        lab.capability(LINKS).attach(parameters.node, parameters.interface)
        for command in parameters.commands:
            done = lab.nodes[parameters.node].run(command.split())
            if done.returncode:
                raise LabError(f"{parameters.node} refused {command!r}: {done.stderr.strip()}")

    def observe(self, parameters: Detached, lab: Lab) -> None:
        kernel = lab.driver(parameters.node).kernel_interface(parameters.interface)
        if not lab.nodes[parameters.node].run(["ip", "link", "show", "dev", kernel]).returncode:
            raise FaultHasNoEffect(self.name, f"{parameters.node} has the interface {parameters.interface}")

    def recover(self, parameters: Detached) -> Commands:  # noqa: ARG002  (nobody can enter a card)
        return {}

    def explain(self, parameters: Detached) -> str:
        return f"{about(self)} It is {parameters.interface} of {parameters.node}."

    def evidence(self, parameters: Detached, network: Observable) -> Iterator[Observation]:
        node, interface = parameters.node, parameters.interface
        because = f"{node} has no {interface} that is up."
        yield from asking.state(network, node, "no interface", because, interface=interface)
        yield asking.not_counted(node, interface, f"{interface} of {node} has no counters any more.")
