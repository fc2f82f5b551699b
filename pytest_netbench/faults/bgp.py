"""Faults of a router's BGP sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import announced, only_behind
from pytest_netbench.faults.state import has_route, neighbor_up
from pytest_netbench.faults.syntax import below, in_family, opening
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

OFFSETS = (-10, -1, 1, 10)
LIST_NAMES = ("FROM-NEIGHBOR", "IMPORT", "RECEIVED", "TRUSTED")


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


class _Session(NamedTuple):
    session: BgpSession
    prefix: str
    interface: str
    autonomous_system: int


def bgp_sessions(network: DrawnNetwork) -> Iterator[tuple[BgpSession, str, str]]:
    """Both ends of each session between autonomous systems, with the prefix of its link, and the interface there."""
    return ((one.session, one.prefix, one.interface) for one in _sessions(network))


def _sessions(network: DrawnNetwork) -> Iterator[_Session]:
    known = network.autonomous_systems
    for link in network.transits:
        for one in link.attachments:
            process = opening(network, one.node, "router bgp")
            for other in link.attachments:
                if process is None or known.get(other.node) in {None, known.get(one.node)}:
                    continue
                session = BgpSession(
                    node=one.node,
                    platform=network.platform_of(one.node),
                    process=process,
                    peer=other.node,
                    neighbor=other.address,
                    address=one.address,
                )
                yield _Session(session, link.prefix, one.interface, known[other.node])


class WrongAs(BgpSession):
    """A session, the link that it is on, the neighbor's AS number, and the one that is configured instead."""

    prefix: str
    autonomous_system: int
    instead: int


class BgpAsNumberWrong(DeviceFault[WrongAs]):
    """A router has a wrong AS number for a BGP neighbor."""

    name = "bgp-as-number-wrong"
    label = "BGP_AS"
    parameters = WrongAs
    called = {"nika": "bgp_asn_misconfig"}

    def _places(self, network: DrawnNetwork) -> Iterator[WrongAs]:
        for session, prefix, _, right in _sessions(network):
            for offset in OFFSETS:
                yield WrongAs(**dict(session), prefix=prefix, autonomous_system=right, instead=right + offset)

    def touches(self, parameters: WrongAs) -> frozenset[str]:
        return frozenset({f"bgp {parameters.prefix}"})

    def cuts(self, parameters: WrongAs) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def injection(self, parameters: WrongAs) -> tuple[str, ...]:
        return below(parameters.process, f"neighbor {parameters.neighbor} remote-as {parameters.instead}")

    def repair(self, parameters: WrongAs) -> tuple[str, ...]:
        return below(parameters.process, f"neighbor {parameters.neighbor} remote-as {parameters.autonomous_system}")

    def remains(self, parameters: WrongAs, lab: Lab) -> Iterator[str]:
        yield from neighbor_up(lab, parameters.node, "bgp", parameters.neighbor)
        yield from neighbor_up(lab, parameters.peer, "bgp", parameters.address)

    def symptoms(self, parameters: WrongAs, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"The BGP session of {p.node} with {p.peer} is down."
        yield from asking.state(network, p.node, "BGP neighbor down", because, address=p.neighbor)
        yield from asking.neighbor_lost(network, p.peer, "bgp", p.address)


class Filtered(BgpSession):
    """A session, the prefix of a LAN that is not accepted from it, and the name of the list that says so."""

    prefix: str
    list_name: str

    @property
    def entries(self) -> tuple[str, str]:
        """The entries of the list."""
        name = f"ip prefix-list {self.list_name}"
        return (f"{name} seq 5 deny {self.prefix}", f"{name} seq 10 permit 0.0.0.0/0 le 32")

    @property
    def use(self) -> str:
        """The line of the neighbor."""
        return f"neighbor {self.neighbor} prefix-list {self.list_name} in"


class BgpFilterWrong(DeviceFault[Filtered]):
    """A router does not accept the route to a LAN from the only neighbor that leads there."""

    name = "bgp-filter-wrong"
    label = "BGP_FILTER"
    parameters = Filtered

    def _places(self, network: DrawnNetwork) -> Iterator[Filtered]:
        for session, _, _, _ in _sessions(network):
            for lan in only_behind(network, session.node, session.peer):
                for name in LIST_NAMES:
                    yield Filtered(**dict(session), prefix=lan.prefix, list_name=name)

    def touches(self, parameters: Filtered) -> frozenset[str]:
        # the list of one fault must not be that of another, and a session that is down filters nothing
        link = f"bgp {min(parameters.neighbor, parameters.address)} {max(parameters.neighbor, parameters.address)}"
        return frozenset({link, f"list {parameters.node} {parameters.list_name}"})

    def injection(self, parameters: Filtered) -> tuple[str, ...]:
        return (*parameters.entries, *in_family(parameters.platform, parameters.process, parameters.use))

    def repair(self, parameters: Filtered) -> tuple[str, ...]:
        family = in_family(parameters.platform, parameters.process, f"no {parameters.use}")
        return (*family, f"no ip prefix-list {parameters.list_name}")

    def remains(self, parameters: Filtered, lab: Lab) -> Iterator[str]:
        return has_route(lab, parameters.node, parameters.prefix, "bgp")

    def symptoms(self, parameters: Filtered, network: Observable) -> Iterator[Observation]:
        because = (
            f"{parameters.node} has no route to {parameters.prefix} by BGP, although {parameters.peer} announces it."
        )
        words = asking.routed(parameters.prefix)
        yield from asking.state(network, parameters.node, "no route", because, protocol="bgp", **words)


class Limited(BgpSession):
    """A session, the number of prefixes above which the node ends it, and those that the neighbor itself announces."""

    limit: int
    announced: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line of the neighbor."""
        return f"neighbor {self.neighbor} maximum-prefix {self.limit}"


class BgpPrefixLimit(DeviceFault[Limited]):
    """A router ends the session with a BGP neighbor that announces more prefixes than it accepts."""

    name = "bgp-prefix-limit"
    label = "BGP_LIMIT"
    parameters = Limited
    called = {"nika": "bgp_max_prefix_exceeded"}

    def _places(self, network: DrawnNetwork) -> Iterator[Limited]:
        for session, _, _, _ in _sessions(network):
            own = announced(network, session.peer)
            for limit in range(1, len(own)):
                yield Limited(**dict(session), limit=limit, announced=own)

    def touches(self, parameters: Limited) -> frozenset[str]:
        link = f"bgp {min(parameters.neighbor, parameters.address)} {max(parameters.neighbor, parameters.address)}"
        # with fewer prefixes the limit would not be exceeded
        return frozenset({link, *(f"bgp {parameters.peer} {prefix}" for prefix in parameters.announced)})

    def injection(self, parameters: Limited) -> tuple[str, ...]:
        return in_family(parameters.platform, parameters.process, parameters.line)

    def repair(self, parameters: Limited) -> tuple[str, ...]:
        removed = in_family(parameters.platform, parameters.process, f"no {parameters.line}")
        return (*removed, f"do clear ip bgp {parameters.neighbor}")

    def remains(self, parameters: Limited, lab: Lab) -> Iterator[str]:
        yield from neighbor_up(lab, parameters.node, "bgp", parameters.neighbor)
        yield from neighbor_up(lab, parameters.peer, "bgp", parameters.address)

    def symptoms(self, parameters: Limited, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"The BGP session of {p.node} with {p.peer} is down."
        yield from asking.state(network, p.node, "BGP neighbor down", because, address=p.neighbor)
        yield from asking.neighbor_lost(network, p.peer, "bgp", p.address)
