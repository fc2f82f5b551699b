"""Faults of a host in its LAN: an address that another node there has, too, and ARP that does not get through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import IPv4Interface, IPv4Network
from typing import Final, Literal

from pytest_netbench.errors import LabError
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import HostFault, HostInLan, Renumbered, configured_mac, renumbered
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

OWN_MACS: Final = ("02:16:3e:5b:20:91", "06:a1:4c:07:d3:6e", "0e:58:bf:92:1a:c4")
"""Hardware addresses that nobody has, to repair one that two have."""
TABLES: Final = ("filter", "guard", "local")
Hook = Literal["input", "output"]


class SameMac(HostInLan):
    """A host, another node of its LAN, and the hardware address with which it is repaired."""

    peer: str
    peer_interface: str
    own: str


class HostMacDuplicate(HostFault[SameMac]):
    """A host has the hardware address of another node of its LAN."""

    domain = "addressing"
    name = "host-mac-duplicate"
    label = "HOST_MAC"
    found_at = "interface"
    parameters = SameMac
    called = {"nika": "mac_address_conflict"}

    def also_at(self, parameters: SameMac) -> tuple[tuple[str, str], ...]:
        """Node and interface that may be named as well: nobody can tell which of the two is the wrong one."""
        return ((parameters.peer, parameters.peer_interface),)

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[SameMac]:
        near = network.topology.peers(host.node).get(host.interface, ())
        for other in lan.attachments:
            # on a cable of their own, two nodes of one hardware address understand each other
            is_near = len(near) > 1 and any((end.node, end.interface) == (other.node, other.interface) for end in near)
            if other.node != one.node and (other.node in network.hosts or is_near):
                for mac in (configured,) if (configured := configured_mac(network, host.node)) else OWN_MACS:
                    yield SameMac(**dict(host), peer=other.node, peer_interface=other.interface, own=mac)

    def touches(self, parameters: SameMac) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.peer} {parameters.peer_interface}"}

    def inject(self, parameters: SameMac, lab: Lab) -> None:
        same = _mac(lab, parameters.peer, parameters.peer_interface)
        self._apply([_with_mac(parameters, same)], parameters.node, lab)

    def injection(self, parameters: SameMac) -> tuple[str, ...]:  # noqa: ARG002  (only the lab knows the address)
        return ()

    def repair(self, parameters: SameMac) -> tuple[str, ...]:
        return (_with_mac(parameters, parameters.own),)

    def explain(self, parameters: SameMac) -> str:
        ends = f"{parameters.node} {parameters.interface} and {parameters.peer} {parameters.peer_interface}"
        return f"{about(self)} {ends} have the same one."

    def symptoms(self, parameters: SameMac, network: Observable) -> Iterator[Observation]:
        p = parameters
        if network.platforms.get(p.peer) == p.platform:
            yield from asking.unreached(network, p.node, p.peer)
        else:
            yield from asking.unreached(network, p.node, network.partner(p.node, outside=p.address))
        if p.own not in OWN_MACS:
            because = f"{p.interface} of {p.node} has not the hardware address that is its own."
            words = {"interface": p.interface, "mac": p.own}
            yield from asking.state(network, p.node, "other hardware address", because, **words)

    def remains(self, parameters: SameMac, lab: Lab) -> Iterator[str]:
        one, other = (
            _mac(lab, node, interface)
            for node, interface in (
                (parameters.node, parameters.interface),
                (parameters.peer, parameters.peer_interface),
            )
        )
        if one != other:
            yield f"its hardware address {one} is not that of {parameters.peer}, {other}"


class Taken(Renumbered):
    """A host, the address that it has instead of its own, and the host that this address belongs to."""

    peer: str
    peer_interface: str


class HostAddressTaken(HostFault[Taken]):
    """A host has the address of another host of its LAN."""

    name = "host-address-taken"
    label = "HOST_TAKEN"
    parameters = Taken
    called = {"nika": "host_ip_conflict"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[Taken]:
        for other in lan.attachments:
            if other.node != one.node and other.node in network.hosts:
                instead = str(IPv4Interface((other.address, IPv4Network(lan.prefix).prefixlen)))
                yield Taken(**dict(host), instead=instead, peer=other.node, peer_interface=other.interface)

    def touches(self, parameters: Taken) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.peer} {parameters.peer_interface}"}

    def injection(self, parameters: Taken) -> tuple[str, ...]:
        return renumbered(parameters, parameters.address, parameters.instead)

    def repair(self, parameters: Taken) -> tuple[str, ...]:
        return renumbered(parameters, parameters.instead, parameters.address)

    def recover(self, parameters: Taken) -> Commands:
        # by its next question, all that know the address learn where it is
        asking = (f"ip neighbor flush dev {parameters.peer_interface}",)
        return {parameters.node: self.repair(parameters), parameters.peer: asking}

    def shown(self, parameters: Taken) -> tuple[str, ...]:
        there, gone = f" address {parameters.instead}", f" no address {parameters.address}"
        return (f"interface {parameters.interface}", there, gone)

    def symptoms(self, parameters: Taken, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} has the address of {p.peer}."
        yield from asking.state(network, p.node, "address", because, interface=p.interface, address=p.instead)


class ArpDenied(HostInLan):
    """A host, and where it drops ARP: what comes in or what goes out, by a packet filter with a table of some name."""

    hook: Hook
    table: str


class HostArpDenied(HostFault[ArpDenied]):
    """A packet filter of a host drops ARP, so that it and its neighbors cannot find each other."""

    domain = "policy"
    name = "host-arp-denied"
    label = "HOST_ARP"
    parameters = ArpDenied
    called = {"nika": "arp_acl_block"}

    def _ways(self, network: DrawnNetwork, lan: Subnet, one: Attachment, host: HostInLan) -> Iterator[ArpDenied]:  # noqa: ARG002  (any host)
        for hook in ("input", "output"):
            for table in TABLES:
                yield ArpDenied(**dict(host), hook=hook, table=table)

    def injection(self, parameters: ArpDenied) -> tuple[str, ...]:
        table, hook = parameters.table, parameters.hook
        return (
            f"nft add table arp {table}",
            f"nft 'add chain arp {table} {hook} {{ type filter hook {hook} priority 0; }}'",
            f"nft add rule arp {table} {hook} drop",
            f"ip neighbor flush dev {parameters.interface}",
        )

    def repair(self, parameters: ArpDenied) -> tuple[str, ...]:
        return (f"nft delete table arp {parameters.table}",)

    def shown(self, parameters: ArpDenied) -> tuple[str, ...]:
        return (f"table arp {parameters.table}", f" chain {parameters.hook}", "  drop")

    def remains(self, parameters: ArpDenied, lab: Lab) -> Iterator[str]:
        for entry in _neighbors(lab, parameters.node):
            if (
                self._is_blind(parameters)
                and entry["dst"] == parameters.gateway
                and {"REACHABLE", "STALE"} & {*entry["state"]}
            ):
                yield f"it knows the hardware address of {parameters.gateway}"

    def symptoms(self, parameters: ArpDenied, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.node} does not find out the hardware address of its gateway."
        if self._is_blind(parameters):
            yield from asking.state(network, parameters.node, "neighbor unknown", because, address=parameters.gateway)
        yield from super().symptoms(parameters, network)

    @staticmethod
    def _is_blind(parameters: ArpDenied) -> bool:
        """Whether the host hears nothing. One that only says nothing learns from the questions of its gateway."""
        return parameters.hook == "input"


def _with_mac(parameters: SameMac, mac: str) -> str:
    return f"ip link set dev {parameters.interface} address {mac}"


def _mac(lab: Lab, node: str, interface: str) -> str:
    kernel = lab.driver(node).kernel_interface(interface)
    (link,) = _listed(lab, node, ("link", "show", "dev", kernel))
    return str(link["address"])


def _neighbors(lab: Lab, node: str) -> list[dict[str, str]]:
    return _listed(lab, node, ("-4", "neighbor", "show"))


def _listed(lab: Lab, node: str, words: tuple[str, ...]) -> list[dict[str, str]]:
    done = lab.nodes[node].run(["ip", "-j", *words])
    if done.returncode:
        raise LabError(f"{node}: `ip {' '.join(words)}` failed: {done.stderr.strip()}")
    found: list[dict[str, str]] = json.loads(done.stdout or "[]")
    return found
