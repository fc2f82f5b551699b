"""Cables that keep their carrier and pass pings, and lose or delay a part of what else they carry.

What a provider's network or a faulty device between two routers does looks so from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.faults.cables import AddressedCable, RoutedCable, impaired, link_impairment, routed_cables
from pytest_netbench.faults.change import given, neighbor_up, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.impairments import EVIDENT_BPS, across, set_to, worse
from pytest_netbench.faults.router_links import bgp_sessions, ospf_links
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.capabilities import EXEC

DELAY_MS: Final = 60.0
POLICED_BPS: Final = 1_000_000
_BGP: Final = 179
_PORT: Final = 33_490
_DURATION_S: Final = 0.4
_LIGHT_BPS, _HEAVY_BPS = 200_000, 4_000_000
_LEAST_MS: Final = 0.8 * DELAY_MS
_PROMPT_MS: Final = 25.0
"""A line that lets packets wait until they are sent would delay them longer, and a busy machine does not."""
_MOST_LOSS: Final = 0.05
_LATE: Final = r'"mean_delay_ms": (?:[5-9]\d|\d{3,})\.'
_CUT_BUT_PROMPT: Final = r'"received_bps": (?:\d{1,5}|[1-9]\d{5}|1[0-7]\d{5})\.\d+(?s:.*)"mean_delay_ms": 1?\d\.'


def _sent(lab: Lab, p: RoutedCable, rate_bps: int) -> tuple[float, float]:
    """Share of the packets that arrive at the other end of a cable, and their mean delay in milliseconds."""
    flow = Flow.model_validate(
        {"from": p.node, "to": p.peer_node, "port": _PORT, "rate_bps": rate_bps, "packet_bytes": 200}
    )
    (report,) = lab.prober.traffic([flow], [p.peer_address], duration_s=_DURATION_S)
    return report.received_packets / max(1, report.sent_packets), report.mean_delay_ms or 0.0


def _not_late(lab: Lab, p: RoutedCable) -> Iterator[str]:
    _, delay_ms = _sent(lab, p, _LIGHT_BPS)
    if delay_ms < _LEAST_MS:
        yield f"{p.way}: packets take {delay_ms:.0f} ms"


LINK_DELAYED = worse(
    "link-delayed",
    LinkQuality(delay_ms=DELAY_MS),
    about="What goes over a cable takes a long detour: every packet arrives, and much later than it should.",
    label="DELAY",
    check=_not_late,
    pings=("late pings", "makes packets late"),
    rates=across(EVIDENT_BPS, _LATE, "Packets from {} to {} take 50 ms and more."),
)


def _not_policed(lab: Lab, p: RoutedCable) -> Iterator[str]:
    light, _ = _sent(lab, p, _LIGHT_BPS)
    heavy, delay_ms = _sent(lab, p, _HEAVY_BPS)
    if light < 1 - _MOST_LOSS or heavy > 0.5 or delay_ms > _PROMPT_MS:
        yield f"{p.way}: {light:.0%} arrive at a low rate, {heavy:.0%} at a high one, after {delay_ms:.0f} ms"


LINK_POLICED = worse(
    "link-policed",
    Defect(police_bps=POLICED_BPS),
    about="What a cable is given above a rate is lost at once, each way; nothing waits, and below it all arrives.",
    label="POLICED",
    check=_not_policed,
    pings=None,
    rates=across(
        3_000_000, _CUT_BUT_PROMPT, "Less than 1.8 of 3 Mbit/s arrive from {} to {}, and those without delay."
    ),
)


def between_routers(network: DrawnNetwork, ends: Iterable[Any]) -> Iterator[AddressedCable]:
    """The cables that some ends of links belong to."""
    known = {(one.node, one.interface) for one in ends}
    for cable, address in routed_cables(network):
        if known.issuperset(cable.ends):
            yield AddressedCable(**dict(cable), address=address)


def _without_neighbors(protocol: str, state: str, defect: Defect, p: AddressedCable) -> Any:
    """What is changed at a cable by which routers lose each other in a protocol, while pings pass."""

    def passes(lab: Lab) -> Iterator[str]:
        echo = Probe(source=p.node, target=p.peer_address, timeout_s=0.5, repetitions=3)
        if not lab.prober.probe([echo])[0].delivered:
            yield f"{p.way}: no ping is answered"

    def check(lab: Lab) -> Iterator[str]:
        yield from passes(lab)
        yield from neighbor_up(lab, p.node, protocol, p.peer_address)
        yield from neighbor_up(lab, p.peer_node, protocol, p.address)

    words = f"{p.node} and {p.peer_node} are no {protocol.upper()} neighbors."
    return impaired(
        p,
        given(_lose, p, defect),
        given(set_to, p, Defect()),
        check,
        shows(p.node, state, words, address=p.peer_address),
        given(_lost_at_peer, protocol, p),
    )


def _lose(lab: Lab, p: AddressedCable, defect: Defect) -> None:
    """Give a cable a defect. TCP sessions over a lost port end at once, as when a firewall resets them.

    They would last until their hold time ends, and a clock that moves by events does not pass unacknowledged data.
    """
    set_to(lab, p, defect)
    if defect.lost_port is not None:
        for node, far in ((p.node, p.peer_address), (p.peer_node, p.address)):
            port = f":{defect.lost_port}"
            command = ["ss", "-K", "-tn", "dst", far, "and", "(", "sport", "=", port, "or", "dport", "=", port, ")"]
            done = lab.nodes[node].capability(EXEC).run(command)
            if done.returncode:
                raise LabError(f"{node}: TCP sessions with {far} could not be ended: {done.stderr.strip()}")


def _lost_at_peer(network: Observable, protocol: str, p: AddressedCable) -> Iterator[Observation]:
    return asking.neighbor_lost(network, p.peer_node, protocol, p.address)


LINK_MULTICAST_LOST = link_impairment(
    "link-multicast-lost",
    about="A cable loses multicast, each way, so that routers do not hear each other's hellos; all else passes.",
    label="MULTICAST",
    requires=("links", "probes"),
    parameters=AddressedCable,
    at=lambda network: between_routers(network, ospf_links(network)),
    change=lambda p: _without_neighbors("ospf", "no OSPF neighbor", Defect(lost_groups=True), p),
)
LINK_BGP_LOST = link_impairment(
    "link-bgp-lost",
    about="What lies between two routers loses TCP port 179, each way, so that their BGP session ends."
    " All else passes.",
    label="BGP_LOST",
    requires=("links", "probes"),
    parameters=AddressedCable,
    at=lambda network: between_routers(network, (one.link for one in bgp_sessions(network))),
    change=lambda p: _without_neighbors("bgp", "BGP neighbor down", Defect(lost_port=_BGP), p),
)
