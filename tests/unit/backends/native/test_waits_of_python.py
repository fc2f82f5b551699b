"""A program of CPython in lab time: its waits at a factor, and with a clock that is moved by events."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.paced_programs import Paced, told
from tests.unit.backends.native import waits_of_python

PROGRAM = Path(__file__).with_name("waits_of_python.py")


@pytest.fixture
def paced(tmp_path) -> Iterator[Paced]:
    if build.labtime() is None or build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    one = Paced(tmp_path, build.labtime(), build.pacer())
    yield one
    one.end()


@pytest.mark.parametrize("way", waits_of_python.WAYS)
def test_a_wait_of_100_lab_seconds_costs_no_wall_time_by_events(way, paced):
    child = paced.begin(sys.executable, "-I", PROGRAM, way, 100)
    passed = paced.forward(120)
    [[lab_s, wall_s, result]] = told(child)
    assert result == 0
    assert 100 <= lab_s <= 102
    assert wall_s < 3
    assert passed.held_s < 1


@pytest.mark.parametrize("way", waits_of_python.WAYS)
def test_a_wait_of_4_lab_seconds_takes_a_fifth_of_a_second_at_factor_20(way, paced):
    paced.clock.set_factor(20)
    [[lab_s, wall_s, result]] = told(paced.begin(sys.executable, "-I", PROGRAM, way, 4))
    assert result == 0
    assert 4 <= lab_s < 16
    assert 0.2 <= wall_s < 0.8


STARTS = {
    "vfork": "subprocess.run(argv, check=True)",
    "fork": "subprocess.run(argv, check=True, preexec_fn=int)",
    "posix_spawn": "os.waitpid(os.posix_spawn(argv[0], argv, os.environ), 0)",
}


@pytest.mark.parametrize("way", STARTS)
def test_a_program_that_is_started_holds_the_clock_at_the_speed_of_the_wall(way, paced):
    program = f"""
import os, subprocess, time
print("begins", flush=True)
argv, began = ["/bin/sleep", "0.7"], time.monotonic()
{STARTS[way]}
print(time.monotonic() - began)
"""
    child = paced.begin(sys.executable, "-I", "-c", program)
    assert paced.forward(100).lab_s == 100
    [[lab_s]] = told(child)
    assert 0.7 <= lab_s < 5
