"""Cables over which packets of a kind are lost, as by a filter or a full table of a device that nobody can look at.

What a provider's network or a middlebox between two routers does looks so from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, Literal

from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.cables import AddressedCable, RoutedCable
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.impairments import EVIDENT_BPS, rate, worse
from pytest_netbench.faults.router_links import bgp_sessions, ospf_links
from pytest_netbench.faults.selective_cables import between_routers
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC
from pytest_netbench.platforms.driver import ListsNeighbors

KNOWN_MS: Final = 1500
"""Wall milliseconds after which the table of flows is full."""
_PORT: Final = 33_510
_TIMEOUT_S: Final = 0.3
_ECHO_BYTES: Final = 3000
Protocol = Literal["icmp", "tcp", "udp"]
_NONE: Final = r'"received_packets": 0\b'
_WORDS: Final[Mapping[bool, str]] = {True: "{} reaches {} by {}.", False: "{} does not reach {} by {}."}


def passes(lab: Lab, p: RoutedCable, protocol: Protocol) -> bool:
    """Whether a packet of a protocol gets from one end of a cable to the other one and is answered, in two tries."""
    target: dict[str, Any] = {} if protocol == "icmp" else {"port": _PORT, "listen_on": p.peer_node}
    probe = Probe(source=p.node, target=p.peer_address, protocol=protocol, timeout_s=_TIMEOUT_S, **target)
    return lab.prober.probe([probe])[0].delivered


def _unlike(lab: Lab, p: RoutedCable, wanted: Mapping[Protocol, bool]) -> Iterator[str]:
    for protocol, is_passed in wanted.items():
        if passes(lab, p, protocol) is not is_passed:
            yield f"{p.way}: {protocol} {'is lost' if is_passed else 'passes'}"


def _reached(network: Observable, p: RoutedCable, wanted: Mapping[Protocol, bool]) -> Iterator[Observation]:
    """What reachability tells of two hosts that are known to use a cable."""
    hosts = network.across(p.node, p.peer_node)
    for protocol, is_passed in wanted.items() if hosts else ():
        assert hosts is not None
        port = {} if protocol == "icmp" else {"port": _PORT}
        yield Observation(
            method="check-reachability",
            params={"protocol": protocol, "source": hosts[0], "target": hosts[1], **port},
            shows=Matches(pattern=rf'"reached": {int(is_passed)}\b'),
            because=_WORDS[is_passed].format(*hosts, protocol.upper()),
            tries=2,
            is_shared=True,
        )


def _filtered(name: str, defect: Defect, wanted: Mapping[Protocol, bool], **fields: Any) -> OutsideValue[Any]:
    """A fault by which some protocols do not pass a cable and others do."""
    return worse(
        name,
        defect,
        check=lambda lab, p: _unlike(lab, p, wanted),
        pings=None,
        rates=lambda network, p: _reached(network, p, wanted),
        **fields,
    )


LINK_UDP_LOST = _filtered(
    "link-udp-lost",
    Defect(lost_kind="udp"),
    {"udp": False, "tcp": True, "icmp": True},
    about="What lies behind a cable loses UDP, each way, as a filter against floods does; TCP and pings pass.",
    label="UDP",
)
LINK_CONNECTIONS_LOST = _filtered(
    "link-connections-lost",
    Defect(lost_kind="openings"),
    {"tcp": False, "udp": True, "icmp": True},
    about="What lies behind a cable loses the packets that open TCP connections, each way. Connections that are open go"
    " on, and UDP and pings pass.",
    label="CONNECTIONS",
)
LINK_FLOW_TABLE_FULL = _filtered(
    "link-flow-table-full",
    Defect(known_ms=KNOWN_MS),
    {"tcp": False, "udp": False, "icmp": True},
    about="The table of flows of what lies behind a cable is full: TCP and UDP flows that are in it go on, all new ones"
    " are lost, and pings pass.",
    label="FLOW_TABLE",
)


def _fragments_pass(lab: Lab, p: RoutedCable) -> Iterator[str]:
    if not passes(lab, p, "icmp"):
        yield f"{p.way}: no ping is answered"
    command = ["ping", "-n", "-q", "-c", "2", "-i", "0.1", "-W", "1", "-s", str(_ECHO_BYTES), p.peer_address]
    if " 0 received" not in lab.nodes[p.node].capability(EXEC).run(command).stdout:
        yield f"{p.way}: fragments pass"


def _fragments_lost(network: Observable, p: AddressedCable) -> Iterator[Observation]:
    """What pings longer than a packet may be tell, from either end whose command line can send them."""
    for node, peer, address in ((p.node, p.peer_node, p.peer_address), (p.peer_node, p.node, p.address)):
        because = f"Pings of {node} that are sent in fragments do not reach {peer}."
        if found := tuple(asking.state(network, node, "fragmented pings lost", because, address=address)):
            yield from found
            yield from asking.state(network, node, "pings", f"Short pings of {node} reach {peer}.", address=address)
            return


def _fragmenting(network: DrawnNetwork) -> Iterator[AddressedCable]:
    """The cables between routers at one end of which long pings can be sent."""
    for p in between_routers(network, ospf_links(network)):
        ends = (p.node, p.peer_node)
        if any(network.platform_of(node) == "cisco_ios" and network.is_managed(node) for node in ends):
            yield p


LINK_FRAGMENTS_LOST = worse(
    "link-fragments-lost",
    Defect(lost_kind="fragments"),
    about="What lies behind a cable loses fragments, each way: packets that are too long for one frame never arrive.",
    label="FRAGMENTS",
    parameters=AddressedCable,
    at=_fragmenting,
    check=_fragments_pass,
    pings=None,
    rates=_fragments_lost,
)


class ProtocolCable(AddressedCable):
    """A cable between two routers that are neighbors by a routing protocol."""

    protocol: str


def _between_neighbors(network: DrawnNetwork) -> Iterator[ProtocolCable]:
    known: set[frozenset[tuple[str, str]]] = set()
    running = {"ospf": ospf_links(network), "bgp": (one.link for one in bgp_sessions(network))}
    for protocol, cable in chain.from_iterable(
        ((protocol, one) for one in between_routers(network, ends)) for protocol, ends in running.items()
    ):
        if frozenset(cable.ends) not in known:
            known.add(frozenset(cable.ends))
            yield ProtocolCable(**dict(cable), protocol=protocol)


_UP: Final = {"ospf": "OSPF neighbor", "bgp": "BGP neighbor up"}


def _still_forwards(lab: Lab, p: ProtocolCable) -> Iterator[str]:
    if passes(lab, p, "icmp"):
        yield f"{p.way}: a ping is answered"
    driver = lab.driver(p.node)
    if isinstance(driver, ListsNeighbors):
        neighbors = {(one.protocol, one.address): one for one in driver.neighbors(lab.nodes[p.node])}
        found = neighbors.get((p.protocol, p.peer_address))
        if found is None or not found.is_up:
            yield f"{p.peer_address} is no {p.protocol} neighbor of {p.node}"


def _unforwarded(network: Observable, p: ProtocolCable) -> Iterator[Observation]:
    hosts = network.across(p.node, p.peer_node)
    for node, peer, address in ((p.node, p.peer_node, p.peer_address), (p.peer_node, p.node, p.address)):
        silent = f"No ping of {node} over the cable to {peer} is answered."
        if found := tuple(asking.state(network, node, "no pings", silent, address=address)):
            yield from found
            because = f"{node} and {peer} are {p.protocol.upper()} neighbors all the same."
            yield from asking.state(network, node, _UP[p.protocol], because, address=address)
            break
    yield from rate(hosts, EVIDENT_BPS, _NONE, "Nothing from {} arrives at {}.")


LINK_DATA_LOST = worse(
    "link-data-lost",
    Defect(lost_kind="forwarded"),
    about="A cable carries the packets of routing protocols and loses all others, so that routers go on sending over"
    " it.",
    label="DATA",
    parameters=ProtocolCable,
    at=_between_neighbors,
    check=_still_forwards,
    pings=None,
    rates=_unforwarded,
)
