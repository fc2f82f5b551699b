"""One look at many flows of a running lab at once, with real packets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pytest_netbench.errors import LabError
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.watch import WatchedFlow

ANSWER_S = 0.1
"""Wall seconds to wait for the answer of a flow that is expected; it is asked twice."""
SILENCE_S = 0.05
"""The same for a flow that is not expected to answer; it is asked once."""


class Sweeper:
    """Looks at flows.

    Args:
        lab: The running network.
        flows: The flows.
    """

    def __init__(self, lab: Lab, flows: Sequence[WatchedFlow]) -> None:
        self._lab = lab
        self._flows = tuple(flows)
        delay_s = sum(2 * (link.quality.delay_ms + link.quality.jitter_ms) / 1000 for link in lab.topology.links)
        self._patient = [_probe(flow, timeout_s=ANSWER_S + delay_s) for flow in self._flows]
        self._brief = [replace(probe, timeout_s=SILENCE_S + delay_s, repetitions=0) for probe in self._patient]

    def look(self, flows: Collection[int], *, silent: Collection[int] = ()) -> Mapping[int, bool]:
        """Return by flow whether it is wrong now.

        Args:
            flows: Numbers of the flows to look at.
            silent: Of flows that are not expected to answer: these are waited for only briefly.

        Raises:
            LabError: The lab broke, and the agent did not cause that.
        """
        numbers = sorted(flows)
        probes = [
            (self._brief if number in silent or not self._flows[number].allowed else self._patient)[number]
            for number in numbers
        ]
        try:
            results = self._lab.prober.probe(probes)
        except LabError as error:
            if not agent_may_have_caused(error, *self._lab.nodes.values()):
                raise
            return {number: self._flows[number].allowed for number in numbers}
        return {
            number: result.delivered != self._flows[number].allowed
            for number, result in zip(numbers, results, strict=True)
        }


def _probe(flow: WatchedFlow, *, timeout_s: float) -> Probe:
    listens = flow.protocol != "icmp"
    return Probe(
        source=flow.source,
        target=flow.address,
        protocol=flow.protocol,
        port=flow.port,
        listen_on=flow.target if listens else None,
        listen_port=flow.port if listens else None,
        arrives_at=(flow.target,),
        timeout_s=timeout_s,
        repetitions=1,
    )
