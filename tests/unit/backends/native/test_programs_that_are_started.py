"""Programs that a program of the lab becomes or starts: they take part in the clock that is moved by events."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.paced_programs import Paced, told

_SLEEP = "['/usr/bin/sleep', '100']"
_TIMED = "import os, subprocess, sys, time; print('begins', flush=True); began = time.monotonic()"
_TELL = "print(time.monotonic() - began)"
STARTED = {
    "spawned": f"os.waitpid(os.posix_spawn('/usr/bin/sleep', {_SLEEP}, os.environ), 0)",
    "spawned by name": f"os.waitpid(os.posix_spawnp('sleep', {_SLEEP}, os.environ), 0)",
    "forked": f"os.waitpid(os.fork() or os.execv('/usr/bin/sleep', {_SLEEP}), 0)",
    "forked with an environment": f"os.waitpid(os.fork() or os.execve('/usr/bin/sleep', {_SLEEP}, os.environ), 0)",
    "of a shell": "os.waitpid(os.posix_spawn('/bin/sh', ['sh', '-c', 'sleep 60; sleep 40'], os.environ), 0)",
}


@pytest.fixture
def paced(tmp_path) -> Iterator[Paced]:
    if build.labtime() is None or build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    one = Paced(tmp_path, build.labtime(), build.pacer())
    yield one
    one.end()


def begin(paced: Paced, line: str):
    return paced.begin(sys.executable, "-c", f"{_TIMED}; {line}; {_TELL}")


@pytest.mark.parametrize("how", STARTED)
def test_a_program_that_is_started_waits_in_lab_time_that_costs_no_wall_time(how, paced):
    child = begin(paced, STARTED[how])
    passed = paced.forward(115)
    [[lab_s]] = told(child)
    assert 100 <= lab_s <= 102
    assert passed.wall_s < 3
    assert passed.held_s < 1


def test_what_a_program_becomes_waits_in_lab_time(paced):
    child = begin(paced, "os.execvp('sleep', ['sleep', '50'])")
    assert paced.forward(49, grain_s=0).wall_s < 3
    time.sleep(0.2)
    assert child.poll() is None
    paced.forward(3)
    assert child.wait(2) == 0


def test_a_program_takes_over_one_slot_and_leaves_it_when_it_ends(paced):
    rounds = "for n in range(300): os.waitpid(os.posix_spawn('/usr/bin/true', ['true'], os.environ), 0)"
    child = paced.begin(sys.executable, "-c", f"{_TIMED}\n{rounds}\n{_TELL}\nsys.stdout.flush()\ntime.sleep(1000)")
    child.stdout.readline()
    paced.forward(10)
    used = int.from_bytes(os.pread(paced.clock.slots, 4, 4), sys.byteorder)
    assert used < 310
    assert paced.forward(100).wall_s < 2


def test_a_program_without_the_clock_works_as_long_as_it_runs(paced):
    child = begin(paced, "os.waitpid(os.posix_spawn('/usr/bin/sleep', ['sleep', '20'], {'PATH': '/usr/bin'}), 0)")
    passed = paced.forward(1.5)
    assert passed.wall_s > 1.4
    assert passed.holder != child.pid


def test_no_program_that_is_started_otherwise_has_the_descriptor_of_the_slots(paced):
    listing = "os.waitpid(os.posix_spawn('/bin/ls', ['ls', '-l', '/proc/self/fd'], {'PATH': '/usr/bin'}), 0)"
    child = begin(paced, listing)
    output, _ = child.communicate(timeout=20)
    assert "memfd" not in output
    assert " -> " in output


def test_a_program_that_closes_all_descriptors_starts_others_that_hold_the_clock(paced):
    child = begin(paced, "subprocess.run(['sleep', '2'])")
    passed = paced.forward(1)
    assert passed.held_s > 0.3 or passed.wall_s > 0.9
    child.kill()


def test_a_number_that_was_closed_and_opened_again_is_not_taken_for_the_slots(paced, tmp_path):
    other = tmp_path / "other"
    size = os.fstat(paced.clock.slots).st_size
    other.write_bytes(bytes(size))
    lines = [
        "fds = [int(fd) for fd in os.listdir('/proc/self/fd') if int(fd) > 100]",
        "os.closerange(3, 1000)",
        f"mine = os.open({str(other)!r}, os.O_RDWR)",
        "[os.dup2(mine, fd, inheritable=True) for fd in fds]",
        STARTED["spawned"],
    ]
    child = begin(paced, "; ".join(lines))
    paced.forward(1)
    child.kill()
    assert Path(other).read_bytes() == bytes(size)
