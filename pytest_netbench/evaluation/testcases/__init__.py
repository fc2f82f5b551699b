"""One module per kind of testcase: from a testcase and a view of the network to an observation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_netbench.evaluation.observation import BadTestcase, NotThere, Observation, View
from pytest_netbench.evaluation.testcases import (
    config,
    loss,
    marking,
    path,
    reachability,
    reference,
    route,
    show,
    throughput,
    unbroken,
)
from pytest_netbench.lab.probing import Probe, ProbeResult
from pytest_netbench.model.testcase import Testcase


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a kind is observed: by ``observe`` alone, or by a packet that ``plan`` describes and ``judge`` judges.

    ``absent``: the testcase is about something that must not hold. ``traffic``: it disturbs others while it runs.
    ``alone``: it is observed alone and not a second time once it holds, because that takes long.
    """

    expected: Callable[[Any], str]
    observe: Callable[[Any, View], Observation] | None = None
    plan: Callable[[Any, View], Probe] | None = None
    judge: Callable[[Any, Probe, ProbeResult], Observation] | None = None
    absent: Callable[[Any], bool] = lambda _: False
    traffic: bool = False
    alone: bool = False


KINDS: Mapping[str, Kind] = {
    "show": Kind(observe=show.observe, expected=show.expected, absent=lambda testcase: not testcase.present),
    "route": Kind(observe=route.observe, expected=route.expected, absent=lambda testcase: not testcase.present),
    "config": Kind(observe=config.observe, expected=config.expected, absent=lambda testcase: not testcase.present),
    "path": Kind(observe=path.observe, expected=path.expected),
    "reachability": Kind(
        plan=reachability.plan,
        judge=reachability.judge,
        expected=reachability.expected,
        absent=lambda testcase: testcase.expected == "denied",
    ),
    "marking": Kind(plan=marking.plan, judge=marking.judge, expected=marking.expected),
    "reference": Kind(observe=reference.observe, expected=reference.expected, alone=True),
    "throughput": Kind(observe=throughput.observe, expected=throughput.expected, traffic=True),
    "loss": Kind(observe=loss.observe, expected=loss.expected),
    "unbroken": Kind(observe=unbroken.observe, expected=unbroken.expected),
}


def observe(testcases: Sequence[Testcase], view: View) -> list[Observation]:
    """Observe all testcases once, all those that need a packet in one batch; observations in order."""
    observations: dict[int, Observation] = {}
    probes: dict[int, Probe] = {}
    for index, testcase in enumerate(testcases):
        kind = KINDS[testcase.kind]
        try:
            if kind.observe is not None:
                observations[index] = kind.observe(testcase, view)
            elif kind.plan is not None:
                probes[index] = kind.plan(testcase, view)
        except (BadTestcase, NotThere) as error:
            observations[index] = _impossible(error)
    try:
        results = view.probe(list(probes.values()))
    except NotThere as error:
        observations |= dict.fromkeys(probes, _impossible(error))
        results, probes = [], {}
    for (index, probe), result in zip(probes.items(), results, strict=True):
        judge = KINDS[testcases[index].kind].judge
        assert judge is not None
        observations[index] = judge(testcases[index], probe, result)
    return [observations[index] for index in range(len(testcases))]


def unmeasurable(testcases: Sequence[Testcase], view: View) -> str | None:
    """Why the network's prober cannot measure one of the testcases, as a sentence; ``None`` if it can measure all."""
    prober = view.samples
    if prober is None:
        return None
    for testcase in testcases:
        plan = KINDS[testcase.kind].plan
        try:
            reason = None if plan is None else prober.beyond(plan(testcase, view))
        except (BadTestcase, NotThere):  # nothing can be sent yet; its result will say so
            continue
        if reason is not None:
            return f"testcase {testcase.name!r} cannot be measured here: {reason}"
    return None


def _impossible(error: BadTestcase | NotThere) -> Observation:
    return Observation(holds=False, actual=str(error), final=isinstance(error, BadTestcase))
