"""Programs that run for short moments only."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from pytest_netbench.backends.netns.supervisor.throttles import Throttles

STOP, CONT = signal.SIGSTOP, signal.SIGCONT
PLACE = {"node": "h1", "daemon": "dnsmasq"}


class Programs:
    """The programs of a lab, of which one runs, and a clock."""

    def __init__(self) -> None:
        self.now = 100.0
        self.runs = True
        self.sent: list[tuple[float, int]] = []

    def signal(self, request: dict[str, Any]) -> dict[str, bool]:
        assert {key: request[key] for key in PLACE} == PLACE
        assert request["freezes"] is (request["signal"] == STOP)
        if self.runs:
            self.sent.append((round(self.now - 100.0, 3), request["signal"]))
        return {"sent": self.runs}


@pytest.fixture
def programs() -> Programs:
    return Programs()


def throttled(programs: Programs) -> Throttles:
    throttles = Throttles(programs, clock=lambda: programs.now)  # type: ignore[arg-type]
    assert throttles.set({**PLACE, "stopped_s": 2.0, "running_s": 0.25}) == {"runs": True}
    return throttles


def pass_time(programs: Programs, throttles: Throttles, seconds: float) -> None:
    ends_at = programs.now + seconds
    while (wait_s := throttles.wait_s()) is not None and programs.now + wait_s <= ends_at:
        programs.now += wait_s
        throttles.tick()
    programs.now = ends_at


def test_a_program_is_stopped_and_runs_by_turns(programs: Programs) -> None:
    pass_time(programs, throttled(programs), 5.0)
    assert programs.sent == [(0.0, STOP), (2.0, CONT), (2.25, STOP), (4.25, CONT), (4.5, STOP)]


def test_a_program_that_is_let_go_runs_and_is_never_stopped_again(programs: Programs) -> None:
    throttles = throttled(programs)
    pass_time(programs, throttles, 1.0)
    assert throttles.set({**PLACE, "stopped_s": 0.0, "running_s": 0.0}) == {"runs": True}
    assert throttles.wait_s() is None
    pass_time(programs, throttles, 10.0)
    assert programs.sent == [(0.0, STOP), (1.0, CONT)]


def test_a_program_that_has_ended_is_forgotten(programs: Programs) -> None:
    throttles = throttled(programs)
    programs.runs = False
    pass_time(programs, throttles, 2.0)
    assert throttles.wait_s() is None


def test_a_program_that_does_not_run_cannot_be_throttled(programs: Programs) -> None:
    programs.runs = False
    throttles = Throttles(programs, clock=lambda: programs.now)  # type: ignore[arg-type]
    assert throttles.set({**PLACE, "stopped_s": 2.0, "running_s": 0.25}) == {"runs": False}
    assert throttles.wait_s() is None
