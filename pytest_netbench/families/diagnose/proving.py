"""Proves a diagnosis: the network works, the faults are there and can be seen, and a repair makes it as it was.

Opening a stage already shows that all flows are right without the faults, and that each fault is in force.
"""

from __future__ import annotations

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.families.diagnose.evidence import EvidenceCheck
from pytest_netbench.families.diagnose.scene import DiagnoseScene
from pytest_netbench.families.proof import Extent, Proof
from pytest_netbench.families.protocol import Stages
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.task import Task


def prove(task: Task, stages: Stages, extent: Extent) -> Proof:
    """Inject, verify and recover, as often as is asked."""
    payload = diagnose_of(task)
    faults = payload.faults
    evidence = EvidenceCheck(payload)
    problems: list[str] = []
    shown = {"faults": " + ".join(one.fault for one in faults) or "none", "repeats": str(extent.repeats)}
    try:
        for number in range(extent.repeats):
            # what is proved once need not be proved again
            is_first = number == 0
            with stages(when_healthy=evidence.look_before if is_first else None) as scene:
                assert isinstance(scene, DiagnoseScene)
                scene.observe()
                scene.bring_all()
                if is_first:
                    evidence.look_after(scene)
                    shown["evidence"] = evidence.shown
                    # beside another fault, an observation may show something else
                    problems += evidence.problems() if len(faults) == 1 else ()
                    problems += evidence.decoys(scene)
                shown["wrong flows"] = scene.wrong_flows
                shown["breached demands"] = scene.breached
                if (failed := scene.failed_requests()) is not None:
                    shown["failed requests"] = failed
                problems += scene.hidden_problems()
                problems += scene.recover()
    except FaultHasNoEffect as error:
        problems.append(str(error))
    return Proof(problems=tuple(dict.fromkeys(problems)), shown=shown)
