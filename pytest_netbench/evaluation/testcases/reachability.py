"""``reachability``: a packet gets through, or does not."""

from __future__ import annotations

from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View, version_of
from pytest_netbench.evaluation.testcases import packet
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.lab.probing import Probe, ProbeResult
from pytest_netbench.model.testcase import ReachabilityTestcase

_ONE_WAY = {
    "gre": "gre packet",
    "esp": "esp packet",
    "segment": "tcp segment of no session",
    "unreachable": "icmp error of no session",
}


def expected(testcase: ReachabilityTestcase) -> str:
    """The condition, for people."""
    what = {"icmp": "icmp echo", **_ONE_WAY}.get(testcase.protocol, testcase.protocol)
    what += f" port {testcase.port}" if testcase.protocol in ("tcp", "udp") else ""
    what += f" to port {testcase.port}" if testcase.protocol == "segment" else ""
    what += "" if testcase.source_port is None else f" from port {testcase.source_port}"
    seen = "" if testcase.seen_source is None else f", seen as coming from {testcase.seen_source}"
    return f"{what} from {testcase.source} to {testcase.target}: {testcase.expected}{seen}"


def plan(testcase: ReachabilityTestcase, view: View) -> Probe:
    """The packet to send."""
    with_listener = testcase.protocol in ("tcp", "udp")
    with_ports = with_listener or testcase.protocol == "segment"
    if with_ports and testcase.port is None:
        raise BadTestcase(f"{testcase.protocol} needs a port")
    version_of(testcase.seen_source)
    version = view.source(testcase.source, testcase.source_address)
    address = view.address(testcase.target, version=version)
    listens = with_listener or testcase.seen_source is not None or testcase.listen_on is not None
    listen_on = packet.listener(testcase.target, address, view, named=testcase.listen_on) if listens else None
    arrives_at = packet.arrival(testcase.target, address, view, listens=listen_on)
    if testcase.protocol in _ONE_WAY and not arrives_at:
        what = _ONE_WAY[testcase.protocol]
        raise BadTestcase(f"no node has the address {address}, and nothing would answer there (to one {what})")
    return Probe(
        source=testcase.source,
        target=address,
        protocol=testcase.protocol,
        port=testcase.port if with_ports else None,
        source_port=testcase.source_port if with_ports else None,
        source_address=testcase.source_address,
        listen_on=listen_on,
        arrives_at=arrives_at,
        listen_port=None if listen_on is None or not with_listener else testcase.listen_port or testcase.port,
        timeout_s=view.probe_timeout_s,
    )


def judge(testcase: ReachabilityTestcase, probe: Probe, result: ProbeResult) -> Observation:
    """Compare the fate of the packet with the expected one."""
    actual = f"got through ({result.detail})" if result.delivered else result.detail
    if testcase.expected == "denied":
        holds = not result.delivered
    else:
        holds = result.delivered and testcase.seen_source in (None, result.seen_source)
        if result.delivered and not holds:
            seen = "nobody saw from where" if result.seen_source is None else f"seen as from {result.seen_source}"
            actual = f"{actual}, but {seen}"
    return Observation(holds=holds, command=packet.words(probe, testcase.target), actual=actual)


KIND: Final = Kind(
    plan=plan,
    judge=judge,
    expected=expected,
    absent=lambda testcase: testcase.expected == "denied",
)
