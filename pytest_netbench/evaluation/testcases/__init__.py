"""One module per kind of testcase, called as it: from a testcase and a view of the network to an observation."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, NotThere, Observation, View
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.testcase import Testcase


def _found() -> dict[str, Kind]:
    names = [one.name for one in pkgutil.iter_modules(__path__)]
    values = {name: getattr(importlib.import_module(f"{__name__}.{name}"), "KIND", None) for name in names}
    return {name: value for name, value in values.items() if isinstance(value, Kind)}


KINDS: Final[Mapping[str, Kind]] = _found()
"""By name: ``KIND`` of each module that has one."""


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
