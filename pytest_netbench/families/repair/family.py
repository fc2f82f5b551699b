"""The family ``repair``. Modules that use a lab are imported when a stage is prepared, not to load a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_netbench.ani.methods import METHODS
from pytest_netbench.families.faulty.tickets import TICKET_SPEC as OPEN_TICKET
from pytest_netbench.families.hints import platform_hint
from pytest_netbench.families.repair.briefing import ONLY_THE_FAULT, WORKING, assignment
from pytest_netbench.model.repair import Repair, repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.families.proof import Extent, Proof
    from pytest_netbench.families.protocol import Deploy, Stages
    from pytest_netbench.families.repair.scene import RepairScene

_DEVICES = ("get-topology", "get-running-cfg", "update-cfg", "execute-cmd")


class RepairFamily:
    """Something is broken in a network that worked; the agent finds and repairs it (NetArena's reactive tasks)."""

    name = "repair"
    payload = Repair
    answer = None
    methods = (*_DEVICES, OPEN_TICKET.name)
    scorers = (
        "correctness",
        "safety",
        "outage",
        "blast_radius",
        "latency",
        "netarena.correctness",
        "netarena.safety",
        "netarena.latency",
    )
    pass_marks = {"correctness": 1.0}
    claims = ("oracle", "omissions")

    def brief(self, task: Task) -> Brief:
        """What must work in the network, and no word of what is broken."""
        payload = repair_of(task)
        return Brief(
            task_name=task.task_name,
            family=task.family,
            intents=(assignment(payload),),
            rules=(WORKING, ONLY_THE_FAULT),
            devices={node.name: payload.platform_of(node.name) for node in payload.topology.nodes},
            methods=(*(METHODS[name] for name in _DEVICES), *((OPEN_TICKET,) if payload.tickets else ())),
            budget=task.budget,
            hints=tuple(map(platform_hint, payload.platforms)),
        )

    def prepare(self, task: Task, deploy: Deploy) -> RepairScene:
        """Deploy the healthy network."""
        from pytest_netbench.families.repair.scene import RepairScene  # loads evaluation and lab
        from pytest_netbench.faults.kubernetes.catalogue import drawn_at  # loads faults

        return RepairScene(deploy(), repair_of(task), renewed=drawn_at(task.drawn))

    def solve(self, task: Task, ani: Ani) -> Submission:
        """Repair the faults one by one, the one injected last first."""
        from pytest_netbench.families.repair.solution import apply_repair  # loads faults

        return apply_repair(task, ani)

    def prove(self, task: Task, stages: Stages, extent: Extent) -> Proof:
        """Measure that the baseline is complete, the faults have their effect, and each repair is needed and safe."""
        from pytest_netbench.families.repair.proving import prove  # loads evaluation and lab

        return prove(task, stages, extent, self._wanted(extent))

    def stages_to_prove(self, task: Task, extent: Extent) -> int:
        """One for the oracle; with several faults, one for each that is left unrepaired."""
        wanted, faults = self._wanted(extent), len(repair_of(task).faults)
        return int("oracle" in wanted) + (faults if "omissions" in wanted and faults > 1 else 0)

    def _wanted(self, extent: Extent) -> frozenset[str]:
        return frozenset(self.claims if extent.claims is None else extent.claims)
