"""Proves a repair: the network works without the faults, each fault must be repaired, and the reference repair is safe.

Opening a stage already shows that the baseline is complete and that the faults have exactly the recorded symptom. A
stage that does not is no verdict but an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.errors import AgentError, FaultHasNoEffect
from pytest_netbench.families.proof import Extent, Proof
from pytest_netbench.families.protocol import OffersMethods, Stages, WatchesWork
from pytest_netbench.families.repair.solution import apply_repair
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import UNLIMITED, Task
from pytest_netbench.model.trial import Submission
from pytest_netbench.model.watch import Watch


def prove(task: Task, stages: Stages, extent: Extent, wanted: frozenset[str]) -> Proof:
    """Measure the claims in ``wanted`` and return the results."""
    faults = repair_of(task).faults
    problems: list[str] = []
    shown = {"faults": " + ".join(one.fault for one in faults), "repeats": str(extent.repeats)}
    try:
        for _ in range(extent.repeats):
            if "oracle" in wanted:
                watch = _watched(task, stages)
                problems += _problems_of_oracle(watch)
                shown["wrong flows"] = f"{len(watch.wrong_before)} of {len(watch.flows)}"
            if "omissions" in wanted and len(faults) > 1:
                for number in range(len(faults)):
                    problems += _problems_of_omission(task, number, _watched(task, stages, leave_out=number))
    except AgentError as error:
        problems.append(str(error))
    except FaultHasNoEffect as error:
        if repair_of(task).symptom is not None:
            raise
        # what the faults break was not known on paper: in a redundant network it may be nothing
        problems.append(str(error))
    return Proof(problems=tuple(dict.fromkeys(problems)), shown=shown)


def _watched(task: Task, stages: Stages, *, leave_out: int | None = None) -> Watch:
    """What is seen while the reference repair is applied, without that of one fault."""
    with stages() as scene:
        scene.observe()
        assert isinstance(scene, WatchesWork)
        assert scene.lab is not None
        methods = scene.methods if isinstance(scene, OffersMethods) else ()
        ani = AgentInterface(scene.lab, policy=Policy(), budget=UNLIMITED, methods=methods)
        ani.watch(scene.watcher)
        try:
            apply_repair(task, ani, leave_out=leave_out)
        finally:
            ani.close()
        watch = scene.evaluate(Submission()).watch
    assert watch is not None
    return watch


def _problems_of_oracle(watch: Watch) -> Iterator[str]:
    if not watch.wrong_before:
        yield "nothing is wrong before anything is done: doing nothing is right"
    if watch.wrong_after:
        yield f"after the reference repair flows are wrong: {_named(watch, watch.wrong_after)}"
    for step in watch.steps:
        if step.broke:
            yield f"the reference repair is not safe: {step.what!r} breaks {_named(watch, step.broke)}"


def _problems_of_omission(task: Task, number: int, watch: Watch) -> Iterator[str]:
    """What is wrong with the fault of this number, if all others were repaired."""
    payload = repair_of(task)
    name = payload.faults[number].fault
    if not watch.wrong_after:
        yield f"fault {name!r} need not be repaired: everything works without it"
    elif payload.masked and number and set(watch.wrong_after) != set(watch.wrong_before):
        yield f"fault {name!r} does not hide {payload.faults[0].fault!r}: a repair of that changes what is wrong"


def _named(watch: Watch, numbers: tuple[int, ...]) -> str:
    more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    return f"{watch.flows[numbers[0]]}{more}"
