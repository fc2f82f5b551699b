"""``throughput``: the received rate of a flow, measured with real traffic while the background flows run."""

from __future__ import annotations

from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, NotThere, Observation, View, is_address
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.lab.probing import FlowReport
from pytest_netbench.model.testcase import Flow, ThroughputTestcase

HONEST_SENDER = 0.9
ENOUGH_OFFERED = 0.75
"""Share of each flow's rate that must have been offered; with less there was no congestion and no valid result."""


def expected(testcase: ThroughputTestcase) -> str:
    """The condition, for people."""
    low, high = _band(testcase)
    band = (
        f"at least {_rate(low)}"
        if high is None
        else f"{_rate(low)} to {_rate(high)}"
        if low
        else f"at most {_rate(high)}"
    )
    others = f" beside {len(testcase.background)} other flow(s)" if testcase.background else ""
    return f"{_words(testcase.flow)}{others}: {band} received"


def observe(testcase: ThroughputTestcase, view: View) -> Observation:
    """Send all flows for the time given and compare the rate at which the first one arrives."""
    low, high = _band(testcase)
    if low == 0 and high is None:
        raise BadTestcase("none of expected_bps, min_bps and max_bps is given")
    flows = [_resolved(flow, view) for flow in (testcase.flow, *testcase.background)]
    _check_receivers([flow for flow, _ in flows])
    reports = view.traffic(
        [flow for flow, _ in flows],
        [target for _, target in flows],
        duration_s=testcase.duration_s,
        warmup_s=testcase.warmup_s,
    )
    received = reports[0].received_bps
    command = "; ".join(_words(flow) for flow, _ in flows)
    return Observation(
        holds=low <= received and (high is None or received <= high) and not _short(testcase, reports, ENOUGH_OFFERED),
        command=f"traffic for {testcase.traffic_s:g} s: {command}",
        actual=_actual(testcase, reports),
    )


def _band(testcase: ThroughputTestcase) -> tuple[float, float | None]:
    low: float = testcase.min_bps or 0
    high: float | None = testcase.max_bps
    if testcase.expected_bps is not None:
        low = max(low, testcase.expected_bps * (1 - testcase.tolerance))
        short = testcase.expected_bps * (1 + testcase.tolerance)
        high = short if high is None else min(high, short)
    return low, high


def _resolved(flow: Flow, view: View) -> tuple[Flow, str]:
    address = view.address(flow.target, version=view.source(flow.source, flow.source_address))
    if not is_address(flow.target):
        return flow, address
    receiver = view.owner(address)
    if receiver is None:
        raise NotThere(f"no node has the address {address}, so nobody can count what arrives there")
    return flow.model_copy(update={"target": receiver}), address


def _check_receivers(flows: list[Flow]) -> None:
    seen: set[tuple[str, str, int]] = set()
    for flow in flows:
        receiver = (flow.target, flow.protocol, flow.port)
        if receiver in seen:
            raise BadTestcase(
                f"two flows arrive at {flow.protocol} port {flow.port} of {flow.target}; give each its own port"
            )
        seen.add(receiver)


def _actual(testcase: ThroughputTestcase, reports: list[FlowReport]) -> str:
    report = reports[0]
    text = (
        f"{_rate(report.received_bps)} received of {_rate(report.offered_bps)} sent "
        f"({report.received_packets} of {report.sent_packets} packets)"
    )
    if len(reports) > 1:
        text += f"; background received: {', '.join(_rate(other.received_bps) for other in reports[1:])}"
    return text + "".join(f"; {words}" for words in _short(testcase, reports, HONEST_SENDER))


def _short(testcase: ThroughputTestcase, reports: list[FlowReport], share: float) -> list[str]:
    """Phrases for the flows of which less than ``share`` was offered."""
    flows = (testcase.flow, *testcase.background)
    return [
        f"the sender of {flow.protocol} {flow.port} managed {_rate(report.offered_bps)} of the {_rate(flow.rate_bps)}"
        " asked for"
        for flow, report in zip(flows, reports, strict=True)
        if report.offered_bps < share * flow.rate_bps
    ]


def _words(flow: Flow) -> str:
    dscp = f" DSCP {flow.dscp}" if flow.dscp else ""
    return f"{_rate(flow.rate_bps)} {flow.protocol} {flow.port}{dscp} from {flow.source} to {flow.target}"


def _rate(bps: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bps >= size:
            return f"{bps / size:.3g} {unit}"
    return f"{bps:.3g} bit/s"


KIND: Final = Kind(observe=observe, expected=expected, traffic=True)
