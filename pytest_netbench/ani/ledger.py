"""What a trial keeps of an agent's work at its interface, and whether it has ended."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.recorder import Recorder
from pytest_netbench.errors import AniError, LabError, NetbenchError, PolicyViolation
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.rpccodes import Code


class Ledger:
    """Clock and limits, trace, configuration commands, refusals, and the first infrastructure error.

    Args:
        budget: What may be used.
        clock: Wall seconds, monotonic.
    """

    def __init__(self, budget: Budget, *, clock: Callable[[], float]) -> None:
        self.meter = Meter(budget, clock=clock)
        self.recorder = Recorder()
        self.commands: list[CommandStatus] = []
        self.violations: Counter[str] = Counter()
        """How many requests and lines the policy refused, by kind."""
        self.lab_error: LabError | None = None
        self.closed = threading.Event()
        """Set once the trial has ended."""

    def refuse_if_closed(self) -> None:
        """Raise ``AniError`` once the trial has ended."""
        if self.closed.is_set():
            raise AniError("the trial has ended: no further requests are answered", code=Code.POLICY_DENIED)

    def broke(self, error: LabError) -> None:
        """Keep ``error`` if it is the first."""
        self.lab_error = self.lab_error or error

    def refusal(self, error: NetbenchError) -> dict[str, Any]:
        """What the trace says of an error; a violation is counted."""
        if not isinstance(error, PolicyViolation):
            return {"message": str(error)}
        self.violations[error.kind] += 1
        return {"message": str(error), "violation": error.kind}

    def note(self, text: str) -> None:
        """Add a note to the trace."""
        self.recorder.add("note", {"text": text}, at_s=self.meter.elapsed_s)

    def request(self, method: str, params: Mapping[str, Any], at_s: float, **outcome: Any) -> None:
        """Add a request to the trace that began at ``at_s``."""
        data = {
            "method": method,
            "params": params,
            **outcome,
            "duration_s": round(self.meter.elapsed_s - at_s, 6),
            "budget_left": self.meter.left(),
        }
        self.recorder.add("ani", data, at_s=at_s)
