"""The proof of a task of family ``plan``: the golden code is right and safe; no code, and idle code, fail."""

from __future__ import annotations

from pytest_netbench.datacenter_graph import golden
from pytest_netbench.families.plan.payload import plan_of
from pytest_netbench.families.proof import Extent, Proof
from pytest_netbench.families.protocol import Scene, Stages
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Submission
from pytest_netbench.model.watch import Judgement

IDLE = "def process_graph(graph_data):\n    return {'graph': graph_data}\n"
"""Code that leaves the graph as it is."""


def prove(task: Task, stages: Stages, extent: Extent) -> Proof:
    """Measure on one fresh stage for each repeat."""
    truth = golden.source(plan_of(task).query)
    problems: list[str] = []
    for repeat in range(1, extent.repeats + 1):
        with stages() as scene:
            again = f" (repeat {repeat})" if extent.repeats > 1 else ""
            problems += (f"{one}{again}" for one in _problems(scene, truth))
    ok = "ok" if not problems else "no"
    return Proof(problems=tuple(problems), shown={"oracle": ok, "nop": ok})


def _problems(scene: Scene, truth: str) -> list[str]:
    found = []
    oracle = _judged(scene, {"code": truth})
    if not oracle.correct:
        found.append(f"the golden code is not correct: {oracle.why_not_correct}")
    if not oracle.safe:
        found.append(f"the golden code is not safe: {oracle.why_not_safe}")
    for name, answer in (("no code", None), ("code that does nothing", {"code": IDLE})):
        if _judged(scene, answer).correct:
            found.append(f"{name} is correct: the question asks for nothing")
    return found


def _judged(scene: Scene, answer: dict[str, str] | None) -> Judgement:
    judgement = scene.evaluate(Submission(answer=answer)).judgement
    assert judgement is not None, "the family always judges"
    return judgement
