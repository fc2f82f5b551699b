"""Programs whose threads and processes wait in drawn ways: none is early, none is lost, and the clock does not hang."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.paced_programs import GRAIN_S, Paced, compiled, told

SOURCE = Path(__file__).with_name("random_waits.c")
LIVE_S = 150


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    if build.labtime() is None or build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return compiled(SOURCE, tmp_path_factory.mktemp("programs"))


@pytest.fixture
def paced(tmp_path) -> Iterator[Paced]:
    one = Paced(tmp_path, build.labtime(), build.pacer())
    yield one
    one.end()


@pytest.mark.parametrize("grain_s", [GRAIN_S, 0.0])
@pytest.mark.parametrize("seed", range(1, 9))
def test_no_wait_is_early_or_late_by_events(seed, grain_s, paced, program):
    child = paced.begin(program, seed, 3, 6, LIVE_S)
    paced.forward(LIVE_S + 60, grain_s)
    rows = told(child)
    assert len(rows) == 3
    for done, latest_s, errors in rows:
        assert errors == 0
        assert done > 50
        assert latest_s < 3.5  # a twentieth of 30 s, twice in the ways that wait twice


@pytest.mark.parametrize("seed", range(1, 4))
def test_no_wait_is_early_at_a_factor(seed, paced, program):
    paced.clock.set_factor(20)
    rows = told(paced.begin(program, seed, 2, 6, 20))
    assert [errors for _, _, errors in rows] == [0, 0]


@pytest.mark.parametrize("grain_s", [GRAIN_S, 0.0])
@pytest.mark.parametrize("seed", range(1, 5))
def test_the_clock_moves_while_processes_are_stopped_continued_and_killed(seed, grain_s, paced, program):
    source, is_over = random.Random(seed), threading.Event()
    child = paced.begin(program, seed, 4, 5, LIVE_S)
    killed = 0

    def disturb() -> None:
        nonlocal killed
        while not is_over.is_set():
            others = [pid for pid in paced.processes() if pid != child.pid]
            with contextlib.suppress(ProcessLookupError):
                os.kill(source.choice(others or [child.pid]), source.choice([signal.SIGSTOP, signal.SIGCONT]))
                if others and killed < 2 and source.random() < 0.05:
                    killed += 1
                    os.kill(source.choice(others), signal.SIGKILL)
            time.sleep(0.005)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    try:
        paced.forward(LIVE_S, grain_s)
    finally:
        is_over.set()
        disturber.join()
    ends_at = time.monotonic() + 30
    # others may be stopped still, and hold what it writes to, when the first one has ended
    while child.poll() is None or paced.processes():
        assert time.monotonic() < ends_at, paced.unrest()
        for pid in paced.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        paced.forward(LIVE_S, grain_s)
    rows = told(child)
    assert len(rows) >= 2
    assert sum(errors for _, _, errors in rows) <= killed  # a child that was killed did not end well


def test_a_clock_that_hangs_names_who_does_not_sleep(paced, program):
    child = paced.begin("/bin/sh", "-c", "echo begins; exec env -u LD_PRELOAD sleep 100")  # says nothing
    with pytest.raises(AssertionError, match=f"says 1, process {child.pid}, thread {child.pid}, kernel S"):
        paced.forward(100, timeout_s=1)
