"""What a client finds that comes after the end of its budget: an answer that says so, and no closed port."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pytest_netbench.agents.external.interactive import Attendance

LONGEST_S: Final = 3600.0
"""Wall seconds: a model may think that long."""
_LOOK_S: Final = 0.2
_ANSWER_S: Final = 1.0


class Lingering:
    """Knows what was served, and keeps serving it for a while.

    Args:
        attend: As for ``attending.attended``.
    """

    def __init__(self, attend: Callable[[Attendance], None]) -> None:
        self._attend = attend
        self._served: Attendance | None = None
        self._over = threading.Event()

    def attend(self, attendance: Attendance) -> None:
        """Serve until the work is done, or the client has gone."""
        self._served = attendance
        try:
            self._attend(attendance)
        finally:
            self._over.set()

    def answer_late(self, outcome: str) -> None:
        """Answer a late ``task-done`` if the budget has ended the work; the client may go instead."""
        served = self._served
        if outcome != "budget" or served is None or served.desk.submission is not None or self._over.is_set():
            return
        limit = served.brief.budget.wall_s
        why = "the budget is used up" if limit is None else f"the {limit:g} s of wall time of the budget were over"
        judged = "the network was left as it was then, and what is handed in now does not count"
        served.desk.end(f"{why}; {judged}")
        print("netbench: the budget is used up; waiting for the client's task-done", file=sys.stderr, flush=True)
        for _ in range(round(LONGEST_S / _LOOK_S)):
            if self._over.is_set():
                return
            if served.desk.await_question(_LOOK_S):
                time.sleep(_ANSWER_S)  # the answer is on its way
                return
