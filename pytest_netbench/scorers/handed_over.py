"""Handed over: whether what no command repairs was mended after a ticket, or relieved of traffic."""

from __future__ import annotations

from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import TrialRecord
from pytest_netbench.scorers.values import indicator, not_measured


class HandedOverScorer:
    """1 if each fault that no command repairs was mended by a ticket or carries nothing now, also if there is none."""

    name = "handed_over"
    version = 2
    on_controller = False

    def score(self, record: TrialRecord) -> Score:
        payload = record.task.payload
        if not isinstance(payload, Diagnose):
            return not_measured(self.name, self.version, "not measured: the task's family has no tickets")
        needed = [one.fault for one in payload.faults if not fault_of(one.fault).repairable]
        left = record.other.get("open_faults", needed)
        relieved = record.other.get("mitigated", ())
        mended = len(needed) - len(left) - len(relieved)
        words = f"{mended} of {len(needed)} faults that no command repairs were mended by a ticket"
        words += f", {len(relieved)} carry no traffic any more" if relieved else ""
        return indicator(
            self.name,
            self.version,
            holds=not left,
            words=words if needed else "commands repair all that is wrong",
            evidence={
                "needed": needed,
                "left": list(left),
                "relieved": list(relieved),
                "tickets": record.other.get("tickets", []),
            },
        )
