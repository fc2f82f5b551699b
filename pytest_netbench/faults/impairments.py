"""Cables with a defect: they have carrier and carry some packets as they should, and others not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.cables import Cable, RoutedCable, impaired, link_impairment, routed_cables
from pytest_netbench.faults.change import given
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.lab.capabilities import LINKS, Defect
from pytest_netbench.lab.probing import FlowReport, Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.demand import BURST_PACKETS, Bursts
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.capabilities import EXEC

LOSS: Final = 0.25
RATE_BPS: Final = 500_000
CORRUPTION: Final = 0.2
FLOW_LOSS: Final = 0.25
QUEUE_BYTES: Final = 2500
"""Two packets of 1000 bytes and their headers."""
MOST_BYTES: Final = 600
"""Less than the packets of demands have, and more than those of a ping."""
_ECHOES: Final = 64
"""Of so many, one of ten million series loses none with a loss of a quarter each way; with a fifth corrupted each way,
one of a million is answered each time."""
_FLOWS: Final = 48
"""With a quarter of them lost, all of so many pass once in a million times."""
_EVIDENT_FLOWS: Final = 16
"""With a quarter of them lost, all of so many pass once in a hundred times."""
_OFFERED: Final = 8
"""How many times the rate of the line is offered to see that it is the limit."""
_TRIES: Final = 3
"""Series of pings, of which one happens to be answered wholly now and then."""
_OFFERED_PORT, _PORTS = 5201, 33_434
EVIDENT_BPS: Final = 1_000_000
_FLOW_BPS, _BURSTS_BPS = 64_000, 1_000_000
_DURATION_S: Final = 0.3
_SMALL, _LARGE = 200, 1000
_SOME_LOST: Final = r'"sent_packets": (\d+), "received_packets": (?!\1\b)[1-9]'
"""In an answer of ``measure-rate``: some packets arrive, and not all."""
_AT_ONCE: Final = f"Of packets that {{}} sends to {{}} {BURST_PACKETS} at once, most are lost."
_NONE: Final = r'"received_packets": 0\b'
_SLOW: Final = r'"received_bps": (?!0\.0\b)(?:\d{1,5}|[1-9]\d{5}|1[0-3]\d{5})\.'
_ERRORS: Final = {"Ip:": ("InHdrErrors",), "Icmp:": ("InCsumErrors",), "Udp:": ("InCsumErrors",)}


def set_to(lab: Lab, p: Cable, one: Defect | LinkQuality) -> None:
    """Give a cable a defect or a quality."""
    links = lab.capability(LINKS)
    if isinstance(one, Defect):
        links.set_defect(p.node, p.interface, one)
    else:
        links.set_quality(p.node, p.interface, one)


def worse(
    name: str,
    state: Defect | LinkQuality,
    *,
    check: Callable[[Lab, Any], Iterable[str]],
    pings: tuple[str, str] | None,
    rates: Callable[[Observable, Any], Iterable[Observation]],
    said: Callable[[Any], str] = lambda _: "",
    loses: bool = False,
    **fields: Any,
) -> OutsideValue[Any]:
    """A fault by which a cable carries packets, and not as it should. Its ends have addresses, to measure it.

    Args:
        name: Of the fault.
        state: Of the cable.
        check: What the lab measures that does not fit.
        pings: The state that pings over it show, and what it does to packets; ``None`` if they show nothing.
        rates: What rates show that hosts measure.
        said: Sentences behind those that name the cable.
        loses: Whether so much of any traffic is lost that counters of both ends tell.
        fields: Further ones of the fault.
    """

    def evidence(network: Observable, p: RoutedCable) -> Iterator[Observation]:
        if pings is not None:
            yield from _over(network, p, *pings)
        measured = list(rates(network, p))
        yield from measured
        if loses and (not measured or network.monitored):  # without a login only counters tell which cable it is
            yield from _fewer_received(network, p, ways=1 if isinstance(state, Defect) and state.one_way else 2)

    usual = {
        "requires": ("links", "probes"),
        "parameters": RoutedCable,
        "at": lambda network: (cable for cable, _ in routed_cables(network)),
        "change": lambda p: impaired(
            p,
            given(set_to, p, state),
            given(set_to, p, type(state)()),
            given(check, p),
            given(evidence, p),
            said=said(p),
        ),
    }
    return link_impairment(name, **{**usual, **fields})


# what agents observe


def _over(network: Observable, p: RoutedCable, state: str, words: str) -> Iterator[Observation]:
    """What pings show that are sent from one end of a cable to the other one."""
    because = f"The cable between {p.node} and {p.peer_node} {words}."
    for one in asking.state(network, p.node, state, because, address=p.peer_address):
        yield one.model_copy(update={"tries": _TRIES})


def _fewer_received(network: Observable, p: RoutedCable, *, ways: int) -> Iterator[Observation]:
    """What the counters of both ends tell, in the first direction that traffic takes."""
    for near, far in (p.ends, p.ends[::-1])[:ways]:
        because = f"{far[0]} receives fewer packets at {far[1]} than {near[0]} sends at {near[1]}."
        if found := tuple(asking.lost_between(network, near, far, because)):
            yield from found
            return


def rate(
    hosts: tuple[str, str] | None, rate_bps: int, pattern: str, because: str, *, tries: int = 1, **params: float
) -> Iterator[Observation]:
    """What arrives from one host to another one, as a regular expression; none if no two are known to use a cable."""
    if hosts is not None:
        yield Observation(
            method="measure-rate",
            params={"source": hosts[0], "target": hosts[1], "rate_bps": rate_bps, **params},
            shows=Matches(pattern=pattern),
            because=because.format(*hosts),
            tries=tries,
            is_shared=True,
        )


def across(bps: int, pattern: str, because: str, **others: Any) -> Callable[[Observable, RoutedCable], Any]:
    """What arrives over a cable from one host to another one."""
    return lambda network, p: rate(network.across(p.node, p.peer_node), bps, pattern, because, **others)


_FEWER: Final = across(EVIDENT_BPS, _SOME_LOST, "Some packets from {} to {} are lost.")


# what the lab measures


def _echoes(lab: Lab, p: RoutedCable) -> list[bool]:
    echo = Probe(source=p.node, target=p.peer_address, timeout_s=0.2, repetitions=0)
    return [one.delivered for one in lab.prober.probe([echo] * _ECHOES)]


def _sent(lab: Lab, p: RoutedCable, flows: Iterable[tuple[int, int]], *, burst_packets: int = 1) -> list[FlowReport]:
    """What arrives at the other end of flows to ports, each of packets of so many bytes."""
    usual = {"from": p.node, "to": p.peer_node, "rate_bps": _FLOW_BPS if burst_packets == 1 else _BURSTS_BPS}
    chosen = [
        Bursts.model_validate({**usual, "port": port, "packet_bytes": size, "burst_packets": burst_packets})
        for port, size in flows
    ]
    return lab.prober.traffic(chosen, [p.peer_address] * len(chosen), duration_s=_DURATION_S)


def checksum_errors(lab: Lab, node: str) -> int:
    """How many packets the kernel of a node has dropped because a checksum or a header is wrong.

    Raises:
        LabError: The node does not tell.
    """
    done = lab.nodes[node].capability(EXEC).run(["cat", "/proc/net/snmp"])
    lines = [line.split() for line in done.stdout.splitlines()]
    counted = {
        names[0]: dict(zip(names, values, strict=True)) for names, values in zip(lines[::2], lines[1::2], strict=True)
    }
    if done.returncode or not counted.keys() >= _ERRORS.keys():
        raise LabError(f"{node}: the counters of its IP could not be read: {done.stderr.strip()}")
    return sum(int(counted[group][name]) for group, names in _ERRORS.items() for name in names)


def _not_lossy(lab: Lab, p: RoutedCable) -> Iterator[str]:
    answered = _echoes(lab, p)
    if all(answered) or not any(answered):
        yield f"{'each' if all(answered) else 'none'} of {_ECHOES} echoes from {p.way} is answered"


LINK_LOSSY = worse(
    "link-lossy",
    LinkQuality(loss=LOSS),
    about="A cable loses a part of the packets, each way, and carries the others; its ends keep carrier.",
    label="LOSS",
    loses=True,
    check=_not_lossy,
    pings=("some pings lost", "loses some of the packets"),
    rates=_FEWER,
)


def _not_slow(lab: Lab, p: RoutedCable) -> Iterator[str]:
    offered = _OFFERED * RATE_BPS
    flow = Flow.model_validate({"from": p.node, "to": p.peer_node, "port": _OFFERED_PORT, "rate_bps": offered})
    (report,) = lab.prober.traffic([flow], [p.peer_address], duration_s=_DURATION_S)
    if not report.received_packets or report.received_bps > 2 * RATE_BPS:
        yield f"{p.way}: {report.received_bps / 1000:.0f} of {report.offered_bps / 1000:.0f} kbit/s arrive"


LINK_SLOW = worse(
    "link-slow",
    LinkQuality(rate_bps=RATE_BPS),
    about="A cable has a much lower rate than the traffic needs: packets queue before it, and what does not fit is"
    " lost.",
    label="RATE",
    called={"nika": "link_capacity_bottleneck"},
    loses=True,
    check=_not_slow,
    pings=("slow pings", "makes packets wait"),
    rates=across(3_000_000, _SLOW, "Less than 1.4 of 3 Mbit/s arrive from {} to {}."),
)


def _not_corrupting(lab: Lab, p: RoutedCable) -> Iterator[str]:
    ends = (p.node, p.peer_node)
    before = sum(checksum_errors(lab, node) for node in ends)
    answered = _echoes(lab, p)
    wrong = sum(checksum_errors(lab, node) for node in ends) - before
    if not wrong or not any(answered):
        yield f"{p.way}: {sum(answered)} of {_ECHOES} echoes are answered, {wrong} packets had wrong checksums"


LINK_CORRUPTING = worse(
    "link-corrupting",
    Defect(corruption=CORRUPTION),
    about="A cable changes single bits of a part of the packets, each way, so that their checksums are wrong.",
    label="CORRUPT",
    called={"nika": "link_packet_corruption"},
    check=_not_corrupting,
    pings=("some pings lost", "makes some packets unusable"),
    rates=_FEWER,
)


def _not_losing_flows(lab: Lab, p: RoutedCable) -> Iterator[str]:
    reports = _sent(lab, p, [(_PORTS + number, _SMALL) for number in range(_FLOWS)])
    lost = sum(one.received_packets == 0 for one in reports)
    if not 0 < lost < _FLOWS:
        yield f"{p.way}: {lost} of {_FLOWS} flows are lost"


LINK_FLOWS_LOST = worse(
    "link-flows-lost",
    Defect(flow_loss=FLOW_LOSS),
    about="A cable loses all packets of some TCP and UDP flows, each way, and carries the others and pings.",
    label="FLOWS",
    called={"nika": "silent_egress_packet_loss"},
    check=_not_losing_flows,
    pings=None,
    rates=across(EVIDENT_BPS, _NONE, "Of several flows from {} to {}, one is lost wholly.", tries=_EVIDENT_FLOWS),
)


def _not_low(lab: Lab, p: RoutedCable) -> Iterator[str]:
    small, large = _sent(lab, p, [(_PORTS, _SMALL), (_PORTS + 1, _LARGE)])
    if not small.received_packets or large.received_packets:
        arrived = f"{small.received_packets} packets of {_SMALL} bytes and {large.received_packets} of {_LARGE} arrive"
        yield f"{p.way}: {arrived}"


LINK_MTU_LOW = worse(
    "link-mtu-low",
    Defect(most_bytes=MOST_BYTES),
    about="A cable loses packets that are longer than 600 bytes, without notice; the MTU at its ends is higher.",
    label="MTU",
    called={"nika": "mtu_mismatch"},
    loses=True,
    check=_not_low,
    pings=("large pings lost", "loses long packets"),
    rates=across(EVIDENT_BPS, _NONE, "None of the long packets from {} arrive at {}."),
)


def _not_short(lab: Lab, p: RoutedCable) -> Iterator[str]:
    (paced,) = _sent(lab, p, [(_PORTS, _LARGE)])
    (burst,) = _sent(lab, p, [(_PORTS, _LARGE)], burst_packets=BURST_PACKETS)
    if not paced.received_packets or 2 * burst.received_packets > burst.sent_packets:
        of_bursts = f"{burst.received_packets} of {burst.sent_packets} that are sent {BURST_PACKETS} at once"
        yield f"{p.way}: {paced.received_packets} of {paced.sent_packets} packets arrive, and {of_bursts}"


LINK_QUEUE_SHORT = worse(
    "link-queue-short",
    Defect(queue_bytes=QUEUE_BYTES),
    about="A cable has room for two packets that wait, each way: of packets that come at once most are lost.",
    label="QUEUE",
    shown_by="bursts",
    called={"nika": "incast_traffic_network_limitation"},
    check=_not_short,
    pings=None,
    rates=across(EVIDENT_BPS, _SOME_LOST, _AT_ONCE, burst_packets=BURST_PACKETS),
)
