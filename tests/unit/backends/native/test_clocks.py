"""What the clocks of a program under the preloaded library tell, against each other and the page."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.native import build

SECONDS = """
import ctypes, sys, time
libc = ctypes.CDLL(None)
libc.time.restype = ctypes.c_long
ends = time.clock_gettime(1000) + float(sys.argv[1])
told, seen = 0, set()
print("begins", flush=True)
while time.clock_gettime(1000) < ends:
    before = int(time.clock_gettime(time.CLOCK_REALTIME))
    now = libc.time(None)
    after = int(time.clock_gettime(time.CLOCK_REALTIME))
    assert before <= now <= after, (before, now, after)
    told += 1
    seen.add(now)
print(told, len(seen))
"""


@pytest.fixture
def clock(tmp_path) -> LabClock:
    if build.labtime() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return LabClock.create(str(tmp_path / "clock"), 20, date=1_600_000_000.0)


def begin(folder: Path, wall_s: float) -> subprocess.Popen[str]:
    env = {"PATH": os.environ["PATH"], "LD_PRELOAD": str(build.labtime()), "NETBENCH_CLOCK": str(folder / "clock")}
    argv = [sys.executable, "-c", SECONDS, str(wall_s)]
    child = subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begins\n"
    return child


def told(child: subprocess.Popen[str]) -> tuple[int, int]:
    output, _ = child.communicate(timeout=60)
    assert child.returncode == 0
    count, seconds = output.split()
    return int(count), int(seconds)


@pytest.mark.parametrize("factor", [0.5, 1, 20, 160, 2000])
def test_time_tells_the_second_of_the_precise_clock_at_any_factor(clock, tmp_path, factor):
    clock.set_factor(factor)
    count, seconds = told(begin(tmp_path, 2.2))
    assert count > 1000
    assert seconds >= min(2 * factor / 4, 100)


def test_time_follows_a_clock_whose_pace_changes_and_that_is_halted(clock, tmp_path):
    child = begin(tmp_path, 2)
    for factor in (1, 300, 0.1, 50, 1):
        clock.set_factor(factor)
        time.sleep(0.1)
        clock.halt()
        time.sleep(0.1)
        clock.set_factor(factor)
        time.sleep(0.1)
    count, seconds = told(child)
    assert count > 1000
    assert seconds > 20


def test_a_clock_that_stands_tells_one_moment_and_goes_on_from_it(clock, tmp_path):
    clock.halt()
    lines = ["import time", "print(time.clock_gettime_ns(0), time.clock_gettime_ns(1), int(time.time()))"] * 2
    env = {"PATH": os.environ["PATH"], "LD_PRELOAD": str(build.labtime()), "NETBENCH_CLOCK": str(tmp_path / "clock")}
    told = subprocess.run([sys.executable, "-c", "\n".join(lines)], env=env, capture_output=True, text=True, check=True)
    first, second = told.stdout.splitlines()
    assert first == second
    before = clock.lab_now()
    clock.set_factor(1)
    assert 0 <= clock.lab_now() - before < 0.5
