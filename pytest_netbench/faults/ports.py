"""Faults of ports: an access port in another VLAN, and an interface that is shut down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import connects_unplugged
from pytest_netbench.faults.readdressing import AMONG_OTHERS
from pytest_netbench.faults.state import has_route
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

_ACCESS = "switchport access vlan "


class WrongVlan(OnDevice):
    """An access port, its VLAN, and the VLAN that it is in instead. ``peer``: the other end of its cable."""

    interface: str
    peer: str
    vlan: int
    instead: int


class VlanWrong(DeviceFault[WrongVlan]):
    """An access port is in another VLAN of its switch."""

    domain = "link"
    name = "vlan-wrong"
    label = "VLAN"
    found_at = "interface"
    parameters = WrongVlan
    platforms = ("cisco_ios",)

    def _places(self, network: DrawnNetwork) -> Iterator[WrongVlan]:
        for node, config in network.startup_configs.items():
            paths = list(config_paths(config))
            vlans = [int(path[0].split()[1]) for path in paths if len(path) == 1 and path[0].startswith("vlan ")]
            ports = {path[0].removeprefix("interface "): path[1] for path in paths if _is_access(path)}
            for interface, line in ports.items():
                right = int(line.removeprefix(_ACCESS))
                place = {"node": node, "platform": network.platform_of(node), "interface": interface}
                peer = _peer(network, node, interface)
                for wrong in (vlan for vlan in vlans if vlan != right):
                    yield WrongVlan(**place, peer=peer, vlan=right, instead=wrong)

    def touches(self, parameters: WrongVlan) -> frozenset[str]:
        # with an address of the other VLAN, the node at the other end would work there
        return frozenset({f"{parameters.node} {parameters.interface}", parameters.peer, AMONG_OTHERS})

    def injection(self, parameters: WrongVlan) -> tuple[str, ...]:
        return (f"interface {parameters.interface}", f" {_ACCESS}{parameters.instead}")

    def repair(self, parameters: WrongVlan) -> tuple[str, ...]:
        return (f"interface {parameters.interface}", f" {_ACCESS}{parameters.vlan}")

    def symptoms(self, parameters: WrongVlan, network: Observable) -> Iterator[Observation]:
        host, _, _ = parameters.peer.partition(" ")
        yield from asking.unreached(network, host, network.partner(host))


def _is_access(path: Sequence[str]) -> bool:
    """Whether a line of a config puts an interface into a VLAN."""
    return len(path) == 2 and path[1].startswith(_ACCESS)


def _peer(network: DrawnNetwork, node: str, interface: str) -> str:
    """The node and the interface at the other end of a cable."""
    for link in network.topology.links:
        ends = {(end.node, end.interface): end for end in link.endpoints}
        if ends.pop((node, interface), None) is not None:
            return " ".join(f"{end.node} {end.interface}" for end in ends.values())
    raise ValueError(f"{node}: interface {interface} has no cable")


class ShutPort(OnDevice):
    """An interface with a cable. ``prefix`` is that of its subnet, if it has one."""

    interface: str
    prefix: str | None = None


class PortShutdown(DeviceFault[ShutPort]):
    """An interface of a router or a switch, without which hosts are cut off, is administratively down."""

    domain = "link"
    name = "port-shutdown"
    label = "PORT"
    found_at = "interface"
    parameters = ShutPort

    def _places(self, network: DrawnNetwork) -> Iterator[ShutPort]:
        prefixes = {(one.node, one.interface): net.prefix for net in network.subnets for one in net.attachments}
        for node in network.topology.nodes:
            for interface in network.topology.interfaces(node.name):
                if not connects_unplugged(network, node.name, interface):
                    yield ShutPort(
                        node=node.name,
                        platform=network.platform_of(node.name),
                        interface=interface,
                        prefix=prefixes.get((node.name, interface)),
                    )

    def touches(self, parameters: ShutPort) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface}"})

    def injection(self, parameters: ShutPort) -> tuple[str, ...]:
        return (f"interface {parameters.interface}", " shutdown")

    def repair(self, parameters: ShutPort) -> tuple[str, ...]:
        return (f"interface {parameters.interface}", " no shutdown")

    def remains(self, parameters: ShutPort, lab: Lab) -> Iterator[str]:
        if parameters.prefix is not None:
            yield from has_route(lab, parameters.node, parameters.prefix, "connected")

    def symptoms(self, parameters: ShutPort, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.interface} of {parameters.node} is administratively down."
        yield from asking.state(network, parameters.node, "shut down", because, interface=parameters.interface)
