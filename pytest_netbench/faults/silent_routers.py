"""Routers whose command line answers as ever, and which do not do what it shows.

One forwards by a table that lacks a prefix of its routing table, another one sends no hellos any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.cables import AddressedCable, of_cable
from pytest_netbench.faults.change import Change, OnNode, given, neighbor_up
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import routers_of
from pytest_netbench.faults.router_links import ospf_links
from pytest_netbench.faults.selective_cables import between_routers
from pytest_netbench.lab.devices import called
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

_ROUTERS: Final = ("frr", "cisco_ios")
_LEAST_NEIGHBORS: Final = 2
"""With one, nobody could tell whether the router or the cable is wrong."""
_TABLE: Final = "outgoing"
_PREFERENCE: Final = "50"
"""Of the rule in the kernel, before those of the routing table."""


class MissingEntry(OnNode):
    """A router, a LAN that it is not in, a host of it, and a router that is in it.

    Attributes:
        prefix: Of the LAN.
        host: The host.
        address: Its address.
        gateway: The router.
    """

    prefix: str
    host: str
    address: str
    gateway: str


def _entries(network: DrawnNetwork) -> Iterator[MissingEntry]:
    # elsewhere hosts need not reach the addresses that routers send from
    for node in network.routers if network.routing == "ospf" else ():
        for lan in network.lans:
            near = routers_of(network, lan)
            hosts = [one for one in lan.attachments if one.node in network.hosts and not network.is_hidden(one.node)]
            managed = [one for one in near if network.is_managed(one)]
            if node in near or not hosts or not managed:
                continue
            if network.is_managed(node) and network.platform_of(node) in _ROUTERS:
                of_host = {"host": hosts[0].node, "address": hosts[0].address}
                yield MissingEntry(node=node, prefix=lan.prefix, **of_host, gateway=managed[0])


def _rule(lab: Lab, p: MissingEntry, what: str) -> None:
    rule = ["ip", "rule", what, "to", p.prefix, "unreachable", "preference", _PREFERENCE]
    done = lab.nodes[p.node].capability(EXEC).run(rule)
    if done.returncode:
        raise LabError(f"{p.node} refused {' '.join(rule)!r}: {done.stderr.strip()}")


def _forwards(lab: Lab, p: MissingEntry) -> Iterator[str]:
    echoes = [Probe(source=one, target=p.address, timeout_s=0.3) for one in (p.node, p.gateway)]
    own, near = lab.prober.probe(echoes)
    if own.delivered or not near.delivered:
        answers = [f"{name}: {one.delivered}" for name, one in ((p.node, own), (p.gateway, near))]
        yield f"whether {p.address} answers: {', '.join(answers)}"


def _unreached(network: Observable, p: MissingEntry) -> Iterator[Observation]:
    lost = f"{p.node} does not reach {p.host} in {p.prefix}, to which it has a route."
    yield from asking.state(network, p.node, "no pings", lost, address=p.address)
    sound = f"{p.gateway}, which is in {p.prefix}, reaches {p.host}."
    yield from asking.state(network, p.gateway, "pings", sound, address=p.address)


FORWARDING_ENTRY_MISSING = OutsideValue(
    "forwarding-entry-missing",
    about="The forwarding table of a router lacks a prefix that its routing table has: what it should send there is"
    " lost.",
    label="FIB",
    domain="node",
    parameters=MissingEntry,
    platforms=_ROUTERS,
    requires=("probes",),
    at=_entries,
    touches=lambda p: frozenset({f"{p.node} forwarding", f"{p.node} {p.prefix}"}),
    change=lambda p: Change(
        act=given(_rule, p, "add"),
        undo=given(_rule, p, "del"),
        checks=(given(_forwards, p),),
        symptoms=(given(_unreached, p),),
        detail=f"It is the entry of {p.prefix} on {p.node}. No table that the router shows lacks it.",
    ),
)


class Unheard(OnNode):
    """A router, and its cables to OSPF neighbors. It is the first end of each."""

    cables: tuple[AddressedCable, ...]


def _speakers(network: DrawnNetwork) -> Iterator[Unheard]:
    links = list(ospf_links(network))
    cables = list(between_routers(network, links))
    turned = [one.turned for one in cables]
    for node in network.routers:
        own = tuple(one for one in (*cables, *turned) if one.node == node)
        neighbors = {one.peer for one in links if one.node == node}
        is_whole = {one.peer_node for one in own} == neighbors and len(own) >= _LEAST_NEIGHBORS
        if is_whole and network.is_managed(node) and network.platform_of(node) in _ROUTERS:
            yield Unheard(node=node, cables=own)


def _silence(lab: Lab, p: Unheard) -> None:
    """Drop hellos before they leave the router: behind it, a capture on the router would show them."""
    rules = [f"add table netdev {_TABLE}"]
    for number, cable in enumerate(p.cables):
        port, chain = called(lab, p.node, cable.interface), f"{_TABLE} port{number}"
        rules.append(f'add chain netdev {chain} {{ type filter hook egress device "{port}" priority 0; }}')
        rules.append(f"add rule netdev {chain} ip protocol ospf ip daddr 224.0.0.0/24 drop")
    _nft(lab, p, "\n".join(rules))


def _nft(lab: Lab, p: Unheard, rules: str) -> None:
    done = lab.nodes[p.node].capability(EXEC).run(["nft", "-f", "-"], input=rules)
    if done.returncode:
        raise LabError(
            f"{p.node}: what it sends cannot be dropped in it, for which the kernel needs the feature nft-egress"
            f" (Linux 5.16 or later): {done.stderr.strip()}"
        )


def _speak(lab: Lab, p: Unheard) -> None:
    _nft(lab, p, f"delete table netdev {_TABLE}")


def _heard(lab: Lab, p: Unheard) -> Iterator[str]:
    for cable in p.cables:
        yield from neighbor_up(lab, cable.peer_node, "ospf", cable.address)


def _alone(network: Observable, p: Unheard) -> Iterator[Observation]:
    for cable in p.cables:
        because = f"{p.node} hears {cable.peer_node}, which does not hear it."
        yield from asking.state(network, p.node, "OSPF neighbor heard", because, address=cable.peer_address)
    for cable in p.cables:
        because = f"{cable.peer_node} has no OSPF neighbor {p.node}."
        yield from asking.state(network, cable.peer_node, "no OSPF neighbor", because, address=cable.address)


OSPF_HELLOS_UNSENT = OutsideValue(
    "ospf-hellos-unsent",
    about="A router sends no OSPF hellos any more, although OSPF runs on it and its command line answers: it loses all"
    " its neighbors.",
    label="HELLOS",
    domain="node",
    parameters=Unheard,
    platforms=_ROUTERS,
    requires=(),
    at=_speakers,
    touches=lambda p: frozenset({f"{p.node} ospf"}).union(*map(of_cable, p.cables)),
    change=lambda p: Change(
        act=given(_silence, p),
        undo=given(_speak, p),
        checks=(given(_heard, p),),
        symptoms=(given(_alone, p),),
        detail=f"It is {p.node}.",
    ),
)
