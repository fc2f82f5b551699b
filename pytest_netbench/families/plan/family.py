"""The family ``plan``. Modules that run code are imported when a stage is prepared, not to load a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_netbench.datacenter_graph import golden, wording
from pytest_netbench.families.plan.methods import RUN_CODE, SPEC, PlanAnswer
from pytest_netbench.families.plan.payload import Plan, plan_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.families.plan.scene import PlanScene
    from pytest_netbench.families.proof import Extent, Proof
    from pytest_netbench.families.protocol import Deploy, Stages


class PlanFamily:
    """An operator asks about a data-center graph, or wants it changed; the agent answers with a program."""

    name = "plan"
    payload = Plan
    answer = PlanAnswer
    methods = (RUN_CODE,)
    scorers = ("plan.correctness", "plan.safety", "netarena.correctness", "netarena.safety", "netarena.latency")
    pass_marks = {"plan.correctness": 1.0, "plan.safety": 1.0}
    claims = ()

    def brief(self, task: Task) -> Brief:
        """The question, the conventions that it is written in, and how to answer."""
        return Brief(
            task_name=task.task_name,
            family=task.family,
            intents=(plan_of(task).question,),
            rules=(*wording.CONVENTIONS, *wording.HOW_TO_ANSWER),
            methods=(SPEC,),
            budget=task.budget,
        )

    def prepare(self, task: Task, deploy: Deploy) -> PlanScene:
        """Build the graph and open a sandbox."""
        from pytest_netbench.families.plan.scene import PlanScene  # loads lab

        return PlanScene(plan_of(task), deploy)

    def solve(self, task: Task, ani: Ani) -> Submission:  # the answer is a program
        """Hand in the golden code as source text."""
        code = golden.source(plan_of(task).query)
        return Submission(reasoning=task.ground_truth_reasoning or None, answer={"code": code})

    def prove(self, task: Task, stages: Stages, extent: Extent) -> Proof:
        """Show that the golden code is correct and safe, and that no code and code without effect are not."""
        from pytest_netbench.families.plan.proving import prove  # loads lab

        return prove(task, stages, extent)

    def stages_to_prove(self, task: Task, extent: Extent) -> int:  # the same for each
        """One: programs leave nothing to each other."""
        return 1
