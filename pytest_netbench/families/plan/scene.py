"""The scene of family ``plan``: a graph, and a sandbox in which code runs on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.families.plan.execution import PACKAGES, Runner
from pytest_netbench.families.plan.judging import Truth, judge
from pytest_netbench.families.plan.methods import methods
from pytest_netbench.families.plan.payload import Plan
from pytest_netbench.families.protocol import Deploy
from pytest_netbench.families.scenes import BareScene
from pytest_netbench.model.trial import Findings, Submission


class PlanScene(BareScene):
    """A graph that an agent's code works on.

    Args:
        payload: The task.
        deploy: Opens the sandbox.

    Raises:
        RequirementMissing: This machine lacks something.
        LabError: The sandbox could not be made.
        InputError: The file of the graph cannot be used.
    """

    def __init__(self, payload: Plan, deploy: Deploy) -> None:
        self._query = payload.query
        self._graph = payload.graph.graph()
        sandbox = deploy.sandbox(packages=PACKAGES)
        try:
            self._runner = Runner(sandbox, self._graph)
        except BaseException:
            sandbox.close()
            raise

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        """``run-code``."""
        return methods(self._runner, self._graph)

    @cached_property
    def _truth(self) -> Truth:
        return Truth.of(self._query, self._graph)

    def follow(self, before: PlanScene) -> None:
        """Implements ``families.protocol.Follows``: what ran code for the agent runs its answer."""
        self._runner.close()
        self._runner = before._runner

    def evaluate(self, submission: Submission) -> Findings:
        code = (submission.answer or {}).get("code")
        execution = None if code is None else self._runner.run(code)
        judgement, findings = judge(self._truth, execution)
        return Findings(judgement=judgement, other={"plan": findings.model_dump(mode="json")})

    def destroy(self) -> None:
        self._runner.close()
