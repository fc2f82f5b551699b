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


class Nodes(Programs):
    """The processes of a node."""

    def signal_all(self, node: str, number: int) -> None:
        assert node == PLACE["node"]
        self.sent.append((round(self.now - 100.0, 3), number))


def test_what_begins_on_a_node_while_all_else_is_stopped_is_stopped_too() -> None:
    nodes = Nodes()
    throttles = Throttles(nodes, clock=lambda: nodes.now)  # type: ignore[arg-type]
    place = {"node": PLACE["node"], "daemon": None}
    assert throttles.set({**place, "stopped_s": 0.1, "running_s": 0.5}) == {"runs": True}
    pass_time(nodes, throttles, 0.695)
    stops = [0.0, 0.03, 0.06, 0.09]
    assert nodes.sent == [
        *((at, STOP) for at in stops),
        (0.1, CONT),
        (0.6, STOP),
        (0.63, STOP),
        (0.66, STOP),
        (0.69, STOP),
    ]
    assert throttles.set({**place, "stopped_s": 0.0, "running_s": 0.0}) == {"runs": True}
    assert nodes.sent[-1] == (0.695, CONT)
    assert throttles.wait_s() is None
