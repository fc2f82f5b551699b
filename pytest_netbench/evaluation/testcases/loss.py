"""``loss``: the longest time without delivery while an event happens."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View, is_address
from pytest_netbench.evaluation.testcases import packet, reachability
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.testcase import LossTestcase, ReachabilityTestcase


def expected(testcase: LossTestcase) -> str:
    """The condition, for people."""
    what = "icmp echo" if testcase.protocol == "icmp" else f"{testcase.protocol} port {testcase.port}"
    return (
        f"{what} from {testcase.source} to {testcase.target}: at most {testcase.at_most_s:g} lab s without delivery"
        " while the event happens, and delivery at its end"
    )


def plan(testcase: LossTestcase, view: View) -> Probe:
    """The packet to send again and again.

    An address may move to another node during the event. So arrival is checked only for a target that is a node.
    """
    alike = ReachabilityTestcase(
        name=testcase.name,
        source=testcase.source,
        target=testcase.target,
        protocol=testcase.protocol,
        port=testcase.port,
    )
    probe = reachability.plan(alike, view)
    return replace(probe, arrives_at=()) if is_address(testcase.target) and probe.listen_on is None else probe


def observe(testcase: LossTestcase, view: View) -> Observation:
    """Compare what the stream of probes showed, which ran while the event happened."""
    if testcase.under is None:
        raise BadTestcase("loss is measured during an event; give 'under: EVENT'")
    found = view.losses.get(testcase.name)
    if found is None or isinstance(found, str):
        actual = found or "no probes were sent during the event"
        return Observation(holds=False, actual=actual, final=True)
    probe, seen = found
    actual = (
        f"{seen.longest_s:.1f} lab s without delivery (measured every {seen.interval_s:.1f} lab s at worst), "
        f"{seen.lost} of {seen.sent} probes lost; "
        + ("delivered at the end" if seen.works else "not delivered at the end")
    )
    return Observation(
        holds=seen.works and seen.longest_s <= testcase.at_most_s,
        command=f"every moment: {packet.words(probe, testcase.target)}",
        actual=actual,
        final=True,
    )


KIND: Final = Kind(observe=observe, expected=expected)
