"""The family ``configure``. Modules that use a lab are imported when a stage is prepared, not to load a task."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_netbench.ani.methods import METHODS
from pytest_netbench.families.configure.solution import apply_truth
from pytest_netbench.families.hints import platform_hint
from pytest_netbench.model.configure import Configure, Intent, configuration_of
from pytest_netbench.model.solutions import Solution, Solutions
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.families.proof import Extent, Proof
    from pytest_netbench.families.protocol import Deploy, Progress, Stages
    from pytest_netbench.families.scenes import NetworkScene
    from pytest_netbench.model.behaviour import Behaviour


UNCHANGED = "Whatever the intents do not ask for must stay as it is."


class ConfigureFamily:
    """An operator states intents; the agent configures the network so that they hold (draft §3)."""

    name = "configure"
    payload = Configure
    answer = None
    methods = ("get-topology", "get-running-cfg", "update-cfg", "execute-cmd")
    scorers = ("testcase", "command", "reasoning", "netconfbench.command", "netconfbench.reasoning")
    pass_marks = {"testcase": 1.0}
    claims = ("oracle", "nop", "omissions", "solutions", "mutants")

    def brief(self, task: Task) -> Brief:
        """Intents, devices, methods and budget. Sub-intents are handed on only to agents that ask for them."""
        payload = configuration_of(task)
        return Brief(
            task_name=task.task_name,
            family=task.family,
            intents=tuple(intent.text.strip() for intent in payload.intents),
            sub_intents=tuple(_parts(intent) for intent in payload.intents),
            rules=(UNCHANGED,),
            devices={node.name: payload.platform_of(node.name) for node in payload.topology.nodes},
            methods=tuple(METHODS[name] for name in self.methods),
            budget=task.budget,
            hints=tuple(map(platform_hint, payload.platforms)),
        )

    def prepare(self, task: Task, deploy: Deploy) -> NetworkScene:
        """Deploy the network; the testcases are run on it afterwards."""
        from pytest_netbench.families.configure.watched import scene_of  # loads evaluation and lab

        payload = configuration_of(task)
        return scene_of(
            deploy(),
            health_checks=payload.health_checks,
            testcases=payload.testcases,
            events=payload.events,
            reference=payload.reference,
        )

    def solve(self, task: Task, ani: Ani) -> Submission:
        """Apply each node's ground-truth commands, in the task's order."""
        return apply_truth(task, ani)

    def record(
        self, task: Task, stages: Stages, *, progress: Progress, solutions: Solutions | None = None
    ) -> Behaviour:
        """Observe many flows and all routes, also under the events of the task, and there with each right solution."""
        from pytest_netbench.families.configure.recording import Recorder  # loads evaluation and lab

        return Recorder(task, stages, progress=progress, right=_right(task, solutions)).record()

    def prove(self, task: Task, stages: Stages, extent: Extent) -> Proof:
        """Measure the claims that are asked for; by default all but ``mutants``, which take many times as long."""
        from pytest_netbench.families.configure.proof.proving import prove  # loads evaluation and lab

        return prove(task, stages, _with_further_truths(task, extent), self._wanted(extent))

    def stages_to_prove(self, task: Task, extent: Extent) -> int:
        """One for nop, one for the oracle, one for each ground-truth line, recorded solution and mutant."""
        recorded = _with_further_truths(task, extent).solutions or Solutions()
        solutions = (len(recorded.right) + len(recorded.wrong)) // extent.share
        once = {"oracle": 1, "nop": 1, "omissions": configuration_of(task).steps, "solutions": solutions}
        wanted = self._wanted(extent)
        mutants = extent.mutants // extent.share if "mutants" in wanted else 0
        return mutants // extent.repeats + sum(count for name, count in once.items() if name in wanted)

    def _wanted(self, extent: Extent) -> frozenset[str]:
        return frozenset(self.claims) - {"mutants"} if extent.claims is None else frozenset(extent.claims)


def _with_further_truths(task: Task, extent: Extent) -> Extent:
    """``extent`` with the further ground truths of the task among the right solutions: all of them are proven."""
    if not configuration_of(task).further_ground_truths:
        return extent
    recorded = extent.solutions or Solutions()
    return replace(extent, solutions=recorded.model_copy(update={"right": _right(task, recorded)}))


def _right(task: Task, recorded: Solutions | None) -> tuple[Solution, ...]:
    """The further ground truths of the task and its recorded right solutions."""
    further = tuple(one.solution for one in configuration_of(task).further_ground_truths)
    return (*further, *(() if recorded is None else recorded.right))


def _parts(intent: Intent) -> tuple[str, ...]:
    return tuple(f"{sub.node}: {sub.text.strip()}" for sub in intent.sub_intents)
