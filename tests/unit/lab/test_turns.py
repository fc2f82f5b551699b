"""Turns of a lab that stands still between requests, with a clock that is written down."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_netbench.errors import LabDied
from pytest_netbench.lab.approach import MOMENTS_S, STANDS, STEP_LAB_S
from pytest_netbench.lab.turns import Turns
from pytest_netbench.platforms.capabilities import Passed

PACE = 50.0
SOON_S = 0.2
FORWARD = [("change", PACE), ("change", PACE), ("change", 1.0)]


class Clock:
    """A lab's clock that does what it is told, and notes it."""

    def __init__(self) -> None:
        self.done: list[tuple[str, float]] = []
        self._lab, self._since, self._factor, self._until = 100.0, time.time(), PACE, math.inf

    def at(self, moment: float) -> float:
        return min(self._lab + (moment - self._since) * self._factor, self._until)

    def change(self, factor: float, *, until: float | None = None) -> None:
        self._set(factor)
        self._until = math.inf if until is None else until
        self.done.append(("change", factor))

    def halt(self) -> None:
        self._set(0.0)
        self.done.append(("halt", 0.0))

    def _set(self, factor: float) -> None:
        now = time.time()
        self._lab, self._since, self._factor = self.at(now), now, factor


def made() -> tuple[Turns, Clock]:
    clock = Clock()
    return Turns(clock, pace=PACE), clock


def test_before_the_beginning_and_after_the_end_a_turn_takes_what_its_work_takes() -> None:
    turns, clock = made()
    told: list[float] = []
    with turns.turn(5.0, taken=told.append):
        pass
    assert (told, clock.done) == ([], [])
    turns.begin()
    turns.end()
    turns.end()
    with turns.turn(5.0):
        pass
    assert clock.done == [("halt", 0.0), ("change", PACE)]


def test_nothing_passes_between_turns_and_each_takes_its_charge() -> None:
    turns, clock = made()
    turns.begin()
    began = turns.lab_s()
    time.sleep(0.05)
    assert turns.lab_s() == began
    told: list[float] = []
    with turns.turn(5.0, taken=told.append):
        assert turns.lab_s() - began < 1, "while it is answered the lab goes like the wall"
    assert told[0] == pytest.approx(turns.lab_s() - began, abs=0.01)
    assert 5.0 <= told[0] < 5.0 + PACE * SOON_S
    assert clock.done == [("halt", 0.0), ("change", 1.0), *FORWARD, ("halt", 0.0)]


def test_a_turn_whose_work_took_longer_is_not_run_forward() -> None:
    turns, clock = made()
    turns.begin()
    told: list[float] = []
    with turns.turn(0.05, taken=told.append):
        time.sleep(0.06)
    assert told[0] >= 0.06
    assert clock.done == [("halt", 0.0), ("change", 1.0), ("halt", 0.0)]


def test_a_request_that_fails_is_charged_as_well() -> None:
    turns, _ = made()
    turns.begin()
    began = turns.lab_s()
    with pytest.raises(ValueError, match="refused"), turns.turn(5.0):
        raise ValueError("refused")
    assert turns.lab_s() - began >= 5.0


def test_turns_are_taken_one_at_a_time() -> None:
    turns, _ = made()
    turns.begin()
    inside, most, lock = 0, 0, threading.Lock()

    def take(_number: int) -> None:
        nonlocal inside, most
        with turns.turn(1.0):
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(8)))
    assert most == 1


def test_a_look_begins_in_a_turn_and_the_turn_ends_after_it() -> None:
    turns, _ = made()
    turns.begin()
    moments: list[str] = []
    looked = threading.Event()

    def look() -> None:
        with turns.looks.look():
            looked.set()
            moments.append("begins")
            time.sleep(SOON_S)
            moments.append("ends")

    thread = threading.Thread(target=look)
    thread.start()
    assert not looked.wait(SOON_S), "the lab stands still"
    with turns.turn(1.0):
        assert looked.wait(5)
    moments.append("turn over")
    thread.join()
    assert moments == ["begins", "ends", "turn over"]


def test_a_look_that_waits_for_a_turn_goes_on_when_the_agent_has_ended() -> None:
    turns, _ = made()
    turns.begin()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: turns.looks.look().__enter__())
        time.sleep(0.05)
        assert not waiting.done()
        turns.end()
        waiting.result(timeout=5)


def test_the_end_breaks_off_what_is_run_forward() -> None:
    turns, clock = made()
    turns.begin()

    def long() -> None:
        with turns.turn(PACE * 600):
            pass

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(long)
        time.sleep(0.1)
        turns.end()
        running.result(timeout=5)
    assert clock.done[-1] == ("change", PACE), "it was not halted"


def test_what_waits_for_the_lab_within_a_turn_has_its_usual_pace() -> None:
    turns, clock = made()
    turns.begin()
    with turns.turn(1.0), turns.at_usual_pace(), turns.at_usual_pace():
        assert clock.done[-1] == ("change", PACE)
    assert clock.done[2:4] == [("change", PACE), ("change", 1.0)]


def test_wall_seconds_do_not_count_while_the_lab_stands_still() -> None:
    turns, _ = made()
    turns.begin()
    before = turns.wall_s()
    time.sleep(0.1)
    assert turns.wall_s() == before
    with turns.turn(1.0):
        time.sleep(0.05)
    assert 0.05 <= turns.wall_s() - before < 0.1 + SOON_S


def test_who_waits_for_a_turn_of_a_lab_that_has_died_goes_on() -> None:
    turns, clock = made()
    turns.begin()

    def broken(factor: float) -> None:
        raise LabDied(f"no clock at {factor}")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: turns.looks.look().__enter__())
        time.sleep(0.05)
        clock.change = broken
        with pytest.raises(LabDied):
            turns.end()
        turns.end()
        waiting.result(timeout=5)


def test_what_takes_too_long_is_run_forward_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_netbench.lab.turns.LONGEST_FORWARD_S", 0.2)
    turns, _ = made()
    turns.begin()
    began = time.monotonic()
    told: list[float] = []
    with turns.turn(PACE * 600, taken=told.append):
        pass
    assert 0.2 <= time.monotonic() - began < 2
    assert told[0] < PACE * 2


def test_lab_seconds_are_told_before_the_next_turn_begins() -> None:
    turns, _ = made()
    turns.begin()
    told: list[float] = []

    def take(_number: int) -> int:
        with turns.turn(1.0, taken=told.append):
            return len(told)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(take, range(4))) == [0, 1, 2, 3]


EXACT_S = 1e-6


class EventClock(Clock):
    """One that can be moved by events, too; ``held_s`` is for how long something holds it each time."""

    held_s = 0.0

    def __init__(self) -> None:
        super().__init__()
        self._factor = STANDS

    def forward(self, lab_s: float) -> Passed:
        now = time.time()
        self._lab, self._since = self.at(now) + lab_s, now
        self.done.append(("forward", round(lab_s, 3)))
        return Passed(lab_s=lab_s, wall_s=0.0, held_s=self.held_s, moves=1, looks=1)


class Known:
    """Neighbor entries, as what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def last(self, *, lasting: bool) -> None:
        self.asked.append("last" if lasting else "age")

    def forget(self) -> None:
        self.asked.append("forget")


def moved() -> tuple[Turns, EventClock, Known]:
    clock, known = EventClock(), Known()
    return Turns(clock, pace=PACE, neighbors=known, exactly=clock.forward), clock, known


def test_an_agent_begins_at_a_stated_moment_however_long_the_network_was_prepared() -> None:
    began = []
    for seconds in (0.0, 0.3):
        turns, clock, _ = moved()
        turns.before.start()
        time.sleep(seconds)
        with turns.before.at_a_moment():
            pass
        time.sleep(seconds)
        with turns.before.at_a_moment():
            turns.begin()
        began.append(turns.lab_s() - 100.0)
        turns.end()
    assert began == pytest.approx([2 * MOMENTS_S, 2 * MOMENTS_S], abs=EXACT_S)
    assert clock.done.count(("forward", STEP_LAB_S)) > 2, "it moves in steps"


def test_a_lab_that_is_moved_fast_waits_at_a_stated_moment() -> None:
    clock = EventClock()
    turns = Turns(clock, pace=100 * MOMENTS_S, exactly=clock.forward)
    turns.before.start()
    time.sleep(0.5)  # as long as 50 moments, if nothing stopped it
    assert turns.lab_s() == pytest.approx(100.0 + MOMENTS_S, abs=EXACT_S)
    for number in (1, 2, 3):
        with turns.before.at_a_moment():
            assert turns.lab_s() == pytest.approx(100.0 + number * MOMENTS_S, abs=EXACT_S)
    turns.begin()
    turns.end()


def test_a_lab_that_was_brought_up_slowly_goes_on_to_a_later_moment() -> None:
    turns, clock, _ = moved()
    clock.forward(MOMENTS_S + 10.0)
    turns.before.start()
    with turns.before.at_a_moment():
        assert turns.lab_s() == pytest.approx(100.0 + 2 * MOMENTS_S, abs=EXACT_S)
    turns.end()


def test_a_turn_by_events_takes_its_charge_to_the_microsecond() -> None:
    turns, clock, _ = moved()
    turns.begin()
    before = turns.lab_s()
    for _ in range(3):
        with turns.turn(5.0):
            time.sleep(0.05)
            assert turns.lab_s() == pytest.approx(before, abs=EXACT_S), "no lab time passes in a short request"
        before += 5.0
        assert turns.lab_s() == pytest.approx(before, abs=EXACT_S)
    assert clock.done[-3:] == [("change", STANDS), ("forward", 5.0), ("halt", 0.0)]


def test_a_lab_that_something_holds_goes_on_at_the_usual_pace() -> None:
    turns, clock, _ = moved()
    clock.held_s = 60.0
    turns.begin()
    for _ in range(2):
        with turns.turn(5.0):
            pass
    assert [what for what, _ in clock.done].count("forward") == 1
    assert clock.done[-4:] == [*FORWARD, ("halt", 0.0)]
    turns.end()


def test_neighbors_are_asked_for_anew_before_the_agent_begins_and_after_changes() -> None:
    turns, _, known = moved()
    turns.before.start()
    with turns.before.at_a_moment():
        turns.begin()
    with turns.turn(5.0):
        pass
    assert known.asked == ["last", "forget"]
    with turns.turn(20.0, may_change=True):
        pass
    turns.end()
    assert known.asked == ["last", "forget", "forget", "age"]


def test_what_goes_by_the_wall_gets_the_usual_pace() -> None:
    turns, clock, known = moved()
    turns.before.start()
    turns.before.go_by_the_wall()
    with turns.before.at_a_moment():
        turns.begin()
    with turns.turn(5.0):
        pass
    assert clock.done[-5:] == [("change", 1.0), *FORWARD, ("halt", 0.0)]
    assert known.asked == []


@pytest.mark.parametrize("measures", [False, True])
def test_who_looks_regularly_does_so_once_in_each_short_turn_and_again_and_again_in_others(measures: bool) -> None:
    turns, _, _ = moved()
    looked: list[bool] = []
    over, is_answered = threading.Event(), False

    def run() -> None:
        while not over.is_set():
            with turns.looks.regular_look():
                looked.append(is_answered)
                time.sleep(0.02)

    turns.looks.regularly(looks=True)
    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.05)
    assert not looked, "the first turn has not begun"
    turns.begin()
    for number in range(4):
        is_answered = False
        with turns.turn(1.0, measures=measures):
            time.sleep(0.1 * (number % 2))
            is_answered = True
        assert len(looked) >= number + 1
    assert (len(looked) > 4, set(looked) == {True}) == (measures, not measures)
    over.set()
    turns.end()
    thread.join(5)
    assert not thread.is_alive()


def test_a_lab_that_something_holds_before_the_agent_begins_gets_the_usual_pace() -> None:
    turns, clock, _ = moved()
    clock.held_s = 60.0
    turns.before.start()
    with turns.before.at_a_moment():
        assert clock.done[-1] == ("change", PACE)
    assert [what for what, _ in clock.done].count("forward") == 1
    turns.end()
