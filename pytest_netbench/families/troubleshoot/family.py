"""The family ``troubleshoot``. Modules that use a lab are imported when a stage is prepared, not to load a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_netbench.ani.methods import METHODS
from pytest_netbench.families.diagnose.briefing import FASTER, assignment
from pytest_netbench.families.diagnose.family import DiagnoseFamily
from pytest_netbench.families.diagnose.measuring import SPECS, specs_of
from pytest_netbench.families.diagnose.methods import LIST_SPEC, RESOURCES_SPEC, naming_specs
from pytest_netbench.families.diagnose.methods import SPEC as SUBMIT_DIAGNOSIS
from pytest_netbench.families.diagnose.requesting import SPECS as REQUESTS
from pytest_netbench.families.diagnose.requesting import requests_of
from pytest_netbench.families.faulty.tickets import TICKET_SPEC as OPEN_TICKET
from pytest_netbench.families.hints import platform_hint
from pytest_netbench.families.repair.briefing import ONLY_THE_FAULT, WORKING
from pytest_netbench.families.repair.solution import apply_repair
from pytest_netbench.families.troubleshoot.methods import SPEC as SUBMIT_ANSWER
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Submission

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import Ani
    from pytest_netbench.families.diagnose.scene import DiagnoseScene
    from pytest_netbench.families.protocol import Deploy


LOOK_FIRST: Final = (
    "Until you have called `submit-answer` you can look at the network, and send packets, and change nothing."
)
HAND_OVER: Final = (
    " What no command of a device can repair, a broken cable for example, is handed over with `open-ticket`: name it as"
    " in the answer. Taking all traffic off a faulty link instead, so that everything works over other paths, counts as"
    " well."
)
ANY_ORDER: Final = (
    "You can change the managed devices from the beginning: repair what is wrong, and nothing else. What shows only"
    " once something else is repaired counts as well."
)
MIXED: Final = (
    "When you have finished your investigation, call `submit-diagnosis` once, with your findings in your own words. Its"
    " answer lists the fault types and the resources that can be named. Then call `submit-answer` once: whether"
    " anything was wrong when you began, and for each cause its resource and its fault type, also of what you have"
    " repaired. Between the two calls no device answers. Afterwards devices answer again. If nothing is wrong, change"
    " nothing. Stop when everything works."
)
PHASES: Final = (
    "When you have finished your investigation, call `submit-diagnosis` once, with your findings in your own words. Its"
    " answer lists the fault types and the resources that can be named. Then call `submit-answer` once: whether"
    " anything is wrong, and for each cause its resource and its fault type. Between the two calls no device answers."
    " Afterwards devices answer again and the managed ones can be changed: repair what is wrong. If nothing is wrong,"
    " change nothing. Stop when everything works."
)


_DEVICES = ("get-topology", "get-running-cfg", "execute-cmd", "update-cfg")


class TroubleshootFamily(DiagnoseFamily):
    """Something may be wrong in a network; the agent says whether, what and where, and then repairs it."""

    name = "troubleshoot"
    answer = None
    methods = (
        *_DEVICES,
        *(spec.name for spec in (*SPECS, *REQUESTS, LIST_SPEC, RESOURCES_SPEC)),
        *(spec.name for spec in (SUBMIT_DIAGNOSIS, SUBMIT_ANSWER, OPEN_TICKET)),
    )
    scorers = (
        *DiagnoseFamily.scorers,
        "correctness",
        "traffic",
        "handed_over",
        "safety",
        "outage",
        "blast_radius",
        "latency",
    )
    pass_marks = {"root_cause": 1.0, "correctness": 1.0, "traffic": 1.0, "handed_over": 1.0}

    def brief(self, task: Task) -> Brief:
        """What works in the healthy network, and what to do in which order; no word of whether something is wrong."""
        payload = diagnose_of(task)
        phases, rule = (MIXED, ANY_ORDER) if payload.order == "mixed" else (PHASES, LOOK_FIRST)
        return Brief(
            task_name=task.task_name,
            family=task.family,
            intents=(assignment(payload, phases + (HAND_OVER if payload.tickets else "")),),
            rules=(rule, WORKING, ONLY_THE_FAULT, FASTER),
            devices={node.name: payload.platform_of(node.name) for node in payload.topology.nodes},
            methods=(
                *(METHODS[name] for name in _DEVICES),
                *specs_of(payload),
                *requests_of(payload),
                *naming_specs(payload),
                SUBMIT_ANSWER,
                *((OPEN_TICKET,) if payload.tickets else ()),
            ),
            budget=task.budget,
            hints=tuple(map(platform_hint, payload.platforms)),
        )

    def prepare(self, task: Task, deploy: Deploy) -> DiagnoseScene:
        """Deploy the healthy network."""
        from pytest_netbench.families.troubleshoot.scene import (  # loads evaluation and lab
            TroubleshootScene,
        )

        return TroubleshootScene(deploy(), diagnose_of(task))

    def solve(self, task: Task, ani: Ani) -> Submission:
        """Submit the causes that were injected, repair what commands repair, and hand over the rest."""
        submission = super().solve(task, ani)
        ani.call(SUBMIT_ANSWER.name, submission.answer or {})
        return apply_repair(task, ani)
