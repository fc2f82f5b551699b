"""Every way to wait, in a real child: at a factor, and with a clock that is moved by events."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.paced_programs import Paced, compiled, told

HERE = Path(__file__).parent
PROGRAMS = ("waits_of_timers", "waits_in_calls", "waits_of_dates", "waits_of_c11")


def ways(name: str) -> list[str]:
    return re.findall(r'^\t\{"([^"]+)", ', (HERE / f"{name}.c").read_text(), re.MULTILINE)


WAYS = [(name, way) for name in PROGRAMS for way in ways(name)]


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict[str, Path]:
    if build.labtime() is None or build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    folder = tmp_path_factory.mktemp("programs")
    return {name: compiled(HERE / f"{name}.c", folder) for name in PROGRAMS}


@pytest.fixture
def paced(tmp_path, programs) -> Iterator[Paced]:
    one = Paced(tmp_path, build.labtime(), build.pacer())
    yield one
    one.end()


@pytest.mark.parametrize(("program", "way"), WAYS)
def test_a_wait_of_100_lab_seconds_costs_no_wall_time_by_events(program, way, paced, programs):
    child = paced.begin(programs[program], way, 100)
    passed = paced.forward(120)
    [[lab_s, wall_s, result]] = told(child)
    assert result == 0
    assert 100 <= lab_s <= 102
    assert wall_s < 3
    assert passed.held_s < 1


@pytest.mark.parametrize("has_slots", [True, False])
@pytest.mark.parametrize(("program", "way"), WAYS)
def test_a_wait_of_4_lab_seconds_takes_a_fifth_of_a_second_at_factor_20(program, way, has_slots, paced, programs):
    if not has_slots:  # as a program that a daemon has started
        del paced.env["NETBENCH_SLOTS"]
    paced.clock.set_factor(20)
    [[lab_s, wall_s, result]] = told(paced.begin(programs[program], way, 4))
    assert result == 0
    assert 4 <= lab_s < 16
    assert 0.2 <= wall_s < 0.8


@pytest.mark.parametrize("way", ["read", "join"])
def test_who_begins_or_ends_is_awake_although_there_is_no_processor_for_him(way, paced, programs):
    core = min(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        for one in busy:
            os.sched_setaffinity(one.pid, [core])
        for _ in range(5):
            child = paced.begin(
                programs["waits_in_calls"], way, 100, preexec_fn=lambda: os.sched_setaffinity(0, [core])
            )
            paced.forward(120)
            [[lab_s, _, result]] = told(child)
            assert result == 0
            assert 100 <= lab_s <= 102
    finally:
        for one in busy:
            one.kill()
            one.wait()
