"""``marking``: the DSCP that packets carry when they arrive."""

from __future__ import annotations

from typing import Final

from pytest_netbench.evaluation.observation import Observation, View
from pytest_netbench.evaluation.testcases import packet
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.lab.probing import Probe, ProbeResult
from pytest_netbench.model.testcase import MarkingTestcase


def expected(testcase: MarkingTestcase) -> str:
    """The condition, for people."""
    port = "" if testcase.protocol == "icmp" or testcase.port is None else f" port {testcase.port}"
    route = f"from {testcase.source} to {testcase.target}"
    return (
        f"{testcase.protocol}{port} {route}: sent with DSCP {testcase.sent_dscp}, arrives with {testcase.expected_dscp}"
    )


def plan(testcase: MarkingTestcase, view: View) -> Probe:
    """The packet to send."""
    version = view.source(testcase.source, testcase.source_address)
    address = view.address(testcase.target, version=version)
    port = None if testcase.protocol == "icmp" else testcase.port
    listener = packet.listener(testcase.target, address, view)
    return Probe(
        source=testcase.source,
        target=address,
        protocol=testcase.protocol,
        port=port,
        source_address=testcase.source_address,
        listen_on=listener,
        listen_port=port,
        arrives_at=packet.arrival(testcase.target, address, view, listens=listener),
        dscp=testcase.sent_dscp,
        timeout_s=view.probe_timeout_s,
    )


def judge(testcase: MarkingTestcase, probe: Probe, result: ProbeResult) -> Observation:
    """Compare the DSCP that arrived."""
    arrived = result.received_dscp
    actual = f"nothing arrived ({result.detail})" if arrived is None else f"arrived with DSCP {arrived}"
    holds = arrived == testcase.expected_dscp
    return Observation(holds=holds, command=packet.words(probe, testcase.target), actual=actual)


KIND: Final = Kind(plan=plan, judge=judge, expected=expected)
