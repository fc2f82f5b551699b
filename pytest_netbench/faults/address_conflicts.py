"""Faults of a host in its LAN: an address that another node there has, too, and ARP that does not get through."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, Literal

from pytest_netbench.errors import LabError
from pytest_netbench.faults.change import Change, given, of_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import (
    HostInLan,
    Renumbered,
    address_in,
    alone,
    configured_mac,
    host_fault,
    hosts_in,
    renumbering,
)
from pytest_netbench.lab.devices import called
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

OWN_MACS: Final = ("02:16:3e:5b:20:91", "06:a1:4c:07:d3:6e", "0e:58:bf:92:1a:c4")
"""Hardware addresses that nobody has, to repair one that two have."""
TABLES: Final = ("filter", "guard", "local")
Hook = Literal["input", "output"]


class SameMac(HostInLan):
    """A host, another node of its LAN, and the hardware address with which it is repaired."""

    peer: str
    peer_interface: str
    own: str

    def with_mac(self, mac: str) -> tuple[str, ...]:
        """The command that gives the host a hardware address."""
        return (f"ip link set dev {self.interface} address {mac}",)


class Taken(Renumbered):
    """A host, the address that it has instead of its own, and the host that this address belongs to."""

    peer: str
    peer_interface: str


def _of_both(p: SameMac | Taken) -> frozenset[str]:
    return of_port(p) | {f"{p.peer} {p.peer_interface}"}


def _same(network: DrawnNetwork) -> Iterator[SameMac]:
    for lan, host in hosts_in(network):
        near = network.topology.peers(host.node).get(host.interface, ())
        for other in lan.attachments:
            # on a cable of their own, two nodes of one hardware address understand each other
            is_near = len(near) > 1 and any((end.node, end.interface) == (other.node, other.interface) for end in near)
            if other.node != host.node and (other.node in network.hosts or is_near):
                for mac in (configured,) if (configured := configured_mac(network, host.node)) else OWN_MACS:
                    yield SameMac(**dict(host), peer=other.node, peer_interface=other.interface, own=mac)


def _differ(lab: Lab, p: SameMac) -> Iterator[str]:
    one, other = _mac(lab, p.node, p.interface), _mac(lab, p.peer, p.peer_interface)
    if one != other:
        yield f"its hardware address {one} is not that of {p.peer}, {other}"


def _unreached(network: Observable, p: SameMac) -> Iterator[Observation]:
    is_host = network.platforms.get(p.peer) == p.platform
    yield from asking.unreached(network, p.node, p.peer) if is_host else alone(p)(network)
    if p.own not in OWN_MACS:
        because = f"{p.interface} of {p.node} has not the hardware address that is its own."
        words = {"interface": p.interface, "mac": p.own}
        yield from asking.state(network, p.node, "other hardware address", because, **words)


HOST_MAC_DUPLICATE = host_fault(
    "host-mac-duplicate",
    about="A host has the hardware address of another node of its LAN.",
    label="HOST_MAC",
    found_at="interface",
    also_at=lambda p: ((p.peer, p.peer_interface),),  # nobody can tell which of the two is the wrong one
    parameters=SameMac,
    called={"nika": "mac_address_conflict"},
    at=_same,
    touches=_of_both,
    change=lambda p: Change(
        found=lambda lab: p.with_mac(_mac(lab, p.peer, p.peer_interface)),
        repair=p.with_mac(p.own),
        checks=(given(_differ, p),),
        symptoms=(given(_unreached, p),),
        detail=f"{p.node} {p.interface} and {p.peer} {p.peer_interface} have the same one.",
    ),
)


def _taken(network: DrawnNetwork) -> Iterator[Taken]:
    for lan, host in hosts_in(network):
        for other in lan.attachments:
            if other.node != host.node and other.node in network.hosts:
                whose = {"peer": other.node, "peer_interface": other.interface}
                yield Taken(**dict(host), instead=str(address_in(lan, other)), **whose)


def _taking(p: Taken) -> Change:
    because = f"{p.node} has the address of {p.peer}."
    has = shows(p.node, "address", because, interface=p.interface, address=p.instead)
    # by its next question, all that know the address learn where it is
    return renumbering(p, has, elsewhere={p.peer: Change(repair=(f"ip neighbor flush dev {p.peer_interface}",))})


HOST_ADDRESS_TAKEN = host_fault(
    "host-address-taken",
    about="A host has the address of another host of its LAN.",
    label="HOST_TAKEN",
    parameters=Taken,
    called={"nika": "host_ip_conflict"},
    at=_taken,
    touches=_of_both,
    change=_taking,
)


class ArpDenied(HostInLan):
    """A host, and where it drops ARP: what comes in or what goes out, by a packet filter with a table of some name."""

    hook: Hook
    table: str


def _knows_gateway(lab: Lab, p: ArpDenied) -> Iterator[str]:
    for entry in _listed(lab, p.node, ("-4", "neighbor", "show")):
        if entry["dst"] == p.gateway and {"REACHABLE", "STALE"} & {*entry["state"]}:
            yield f"it knows the hardware address of {p.gateway}"


def _denying(p: ArpDenied) -> Change:
    because = f"{p.node} does not find out the hardware address of its gateway."
    # a host that only says nothing learns from the questions of its gateway
    is_blind = p.hook == "input"
    return Change(
        inject=(
            f"nft add table arp {p.table}",
            f"nft 'add chain arp {p.table} {p.hook} {{ type filter hook {p.hook} priority 0; }}'",
            f"nft add rule arp {p.table} {p.hook} drop",
            f"ip neighbor flush dev {p.interface}",
        ),
        repair=(f"nft delete table arp {p.table}",),
        shown=(f"table arp {p.table}", f" chain {p.hook}", "  drop"),
        checks=(given(_knows_gateway, p),) if is_blind else (),
        symptoms=(*((shows(p.node, "neighbor unknown", because, address=p.gateway),) if is_blind else ()), alone(p)),
    )


HOST_ARP_DENIED = host_fault(
    "host-arp-denied",
    about="A packet filter of a host drops ARP, so that it and its neighbors cannot find each other.",
    label="HOST_ARP",
    domain="policy",
    parameters=ArpDenied,
    called={"nika": "arp_acl_block"},
    at=lambda network: (
        ArpDenied(**dict(host), hook=hook, table=table)
        for _, host in hosts_in(network)
        for hook in ("input", "output")
        for table in TABLES
    ),
    change=_denying,
)


def _mac(lab: Lab, node: str, interface: str) -> str:
    kernel = called(lab, node, interface)
    (link,) = _listed(lab, node, ("link", "show", "dev", kernel))
    return str(link["address"])


def _listed(lab: Lab, node: str, words: tuple[str, ...]) -> list[dict[str, str]]:
    done = lab.nodes[node].capability(EXEC).run(["ip", "-j", *words])
    if done.returncode:
        raise LabError(f"{node}: `ip {' '.join(words)}` failed: {done.stderr.strip()}")
    found: list[dict[str, str]] = json.loads(done.stdout or "[]")
    return found
