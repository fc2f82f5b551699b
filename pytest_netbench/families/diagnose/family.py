"""The family ``diagnose``. Modules that use a lab are imported when a stage is prepared, not to load a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_netbench.ani.methods import METHODS
from pytest_netbench.families.diagnose.briefing import FASTER, ONLY_LOOK, assignment
from pytest_netbench.families.diagnose.measuring import SPECS, specs_of
from pytest_netbench.families.diagnose.methods import LIST_FAULT_TYPES, LIST_RESOURCES, SUBMIT_DIAGNOSIS, naming_specs
from pytest_netbench.families.diagnose.requesting import SPECS as REQUESTS
from pytest_netbench.families.diagnose.requesting import requests_of
from pytest_netbench.families.hints import platform_hint
from pytest_netbench.model.base import Model
from pytest_netbench.model.diagnosis import Diagnose, Diagnosis, RootCause, diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.families.diagnose.scene import DiagnoseScene
    from pytest_netbench.families.proof import Extent, Proof
    from pytest_netbench.families.protocol import Deploy, Stages

_LOOKING = ("get-topology", "get-running-cfg", "execute-cmd")


class DiagnoseFamily:
    """Something may be wrong in a network; the agent says whether, what and where, and changes nothing (NIKA)."""

    name = "diagnose"
    payload = Diagnose
    answer: type[Model] | None = Diagnosis
    methods = (
        *_LOOKING,
        *(spec.name for spec in (*SPECS, *REQUESTS)),
        *(LIST_FAULT_TYPES, LIST_RESOURCES, SUBMIT_DIAGNOSIS),
    )
    scorers: tuple[str, ...] = (
        "detection",
        "localization",
        "root_cause",
        "nika.detection",
        "nika.localization_precision",
        "nika.localization_recall",
        "nika.localization_f1",
        "nika.root_cause_precision",
        "nika.root_cause_recall",
        "nika.root_cause_f1",
    )
    pass_marks = {"root_cause": 1.0}
    claims = ()

    def brief(self, task: Task) -> Brief:
        """What works in the healthy network, and how to answer; no word of whether something is wrong."""
        payload = diagnose_of(task)
        return Brief(
            task_name=task.task_name,
            family=task.family,
            intents=(assignment(payload),),
            rules=(ONLY_LOOK, FASTER),
            devices={node.name: payload.platform_of(node.name) for node in payload.topology.nodes},
            methods=(
                *(METHODS[name] for name in _LOOKING),
                *specs_of(payload),
                *requests_of(payload),
                *naming_specs(payload),
            ),
            budget=task.budget,
            hints=tuple(platform_hint(name, reading=True) for name in payload.platforms),
        )

    def prepare(self, task: Task, deploy: Deploy) -> DiagnoseScene:
        """Deploy the healthy network."""
        from pytest_netbench.families.diagnose.scene import DiagnoseScene  # loads evaluation and lab

        return DiagnoseScene(deploy(), diagnose_of(task))

    def solve(self, task: Task, ani: Ani) -> Submission:
        """Submit the causes that were injected."""
        causes = diagnose_of(task).causes
        words = task.ground_truth_reasoning or "Nothing is wrong in this network."
        ani.call(SUBMIT_DIAGNOSIS, {"diagnosis": words})
        answer = Diagnosis(
            is_anomaly=bool(causes),
            root_causes=tuple(RootCause(resource_id=one.resources[0], fault_type=one.fault_type) for one in causes),
        )
        return Submission(reasoning=words, answer=answer.model_dump(mode="json"))

    def prove(self, task: Task, stages: Stages, extent: Extent) -> Proof:
        """Measure that the faults are in force, and that the network is as before once they are repaired."""
        from pytest_netbench.families.diagnose.proving import prove  # loads evaluation and lab

        return prove(task, stages, extent)

    def stages_to_prove(self, task: Task, extent: Extent) -> int:  # the same for each
        """One."""
        return 1
