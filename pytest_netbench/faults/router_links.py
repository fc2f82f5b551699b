"""Links and BGP sessions between routers as parameters of faults, and what shows that they fail."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Final, NamedTuple

from pytest_netbench.faults.change import Change, OnDevice, OnPort, given, has_route, neighbor_up, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.syntax import opening
from pytest_netbench.model.network import DrawnNetwork

_APART: Final = {
    "bgp": ("BGP neighbor down", "The BGP session of {} with {} is down."),
    "ospf": ("no OSPF neighbor", "{} and {} are not adjacent."),
}


class RouterLink(OnPort):
    """One end of a link between two routers.

    Attributes:
        interface: Of the node, to the link.
        address: Of the node in the link.
        peer: The other router.
        neighbor: Its address in the link.
        prefix: Of the link.
    """

    address: str
    peer: str
    neighbor: str
    prefix: str


def router_links(network: DrawnNetwork) -> Iterator[RouterLink]:
    """Both ends of each link between routers."""
    for link in network.transits:
        for one, other in permutations(link.attachments, 2):
            ends = {"address": one.address, "peer": other.node, "neighbor": other.address}
            yield RouterLink.of(network, one.node, interface=one.interface, **ends, prefix=link.prefix)


def ospf_links(network: DrawnNetwork) -> Iterator[RouterLink]:
    """Both ends of each link between routers on which OSPF runs."""
    running = {link.prefix for link in network.transits if link.area is not None}
    return (one for one in router_links(network) if one.prefix in running)


class BgpSession(OnDevice):
    """A session of a router with one in another autonomous system, on the link between them.

    Attributes:
        process: The line that opens the process, e.g. ``router bgp 64512``.
        peer: The other router.
        neighbor: Its address in the link.
        address: Of the node in the link.
    """

    process: str
    peer: str
    neighbor: str
    address: str


class Session(NamedTuple):
    """One end of a session, the link that it is on, and the AS number of the other end."""

    session: BgpSession
    link: RouterLink
    autonomous_system: int


def bgp_sessions(network: DrawnNetwork) -> Iterator[Session]:
    """Both ends of each session between autonomous systems."""
    known = network.autonomous_systems
    for link in router_links(network) if known else ():
        process = opening(network, link.node, "router bgp")
        if process is not None and known.get(link.peer) not in {None, known.get(link.node)}:
            session = BgpSession(process=process, **link.model_dump(exclude={"interface", "prefix"}))
            yield Session(session, link, known[link.peer])


def session_between(p: RouterLink | BgpSession) -> str:
    """What faults of the session between the two ends of a link touch."""
    return f"bgp {min(p.neighbor, p.address)} {max(p.neighbor, p.address)}"


def apart(
    p: RouterLink | BgpSession, protocol: str, inject: tuple[str, ...] = (), repair: tuple[str, ...] = ()
) -> Change:
    """A change after which the routers at both ends of a link are no neighbors by a protocol."""
    state, because = _APART[protocol]
    return Change(
        inject=inject,
        repair=repair,
        checks=(given(neighbor_up, p.node, protocol, p.neighbor), given(neighbor_up, p.peer, protocol, p.address)),
        symptoms=(
            shows(p.node, state, because.format(p.node, p.peer), address=p.neighbor),
            given(asking.neighbor_lost, p.peer, protocol, p.address),
        ),
    )


def unrouted(
    node: str, prefix: str, protocol: str, inject: tuple[str, ...], repair: tuple[str, ...], *, although: str = ""
) -> Change:
    """A change after which a router has no route to a prefix by a protocol."""
    because = f"{node} has no route to {prefix} by {protocol.upper()}{although}."
    return Change(
        inject=inject,
        repair=repair,
        checks=(given(has_route, node, prefix, protocol),),
        symptoms=(shows(node, "no route", because, protocol=protocol, **asking.routed(prefix)),),
    )
