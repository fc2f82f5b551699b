"""Real children under the preloaded library, from C and from Python, against the wall clock."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.native import build

DATE = 1_600_000_000.0


class Waited(NamedTuple):
    lab_s: float
    wall_s: float
    result: int


class Preloaded:
    """Programs in the lab time of one clock."""

    def __init__(self, waits: Path, clock_path: Path, library: Path) -> None:
        self.waits = waits
        self.env = {"PATH": os.environ["PATH"], "LD_PRELOAD": str(library), "NETBENCH_CLOCK": str(clock_path)}

    def run(self, *argv: str) -> str:
        return subprocess.run(argv, env=self.env, capture_output=True, text=True, check=True, timeout=30).stdout

    def begin(self, how: str, seconds: float) -> subprocess.Popen[str]:
        child = subprocess.Popen([self.waits, how, str(seconds)], env=self.env, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "begins\n"
        return child

    def end(self, child: subprocess.Popen[str]) -> Waited:
        assert child.stdout is not None
        lab, wall, result = child.stdout.read().split()
        child.stdout.close()
        child.wait(5)
        return Waited(float(lab), float(wall), int(result))

    def wait(self, how: str, seconds: float) -> Waited:
        return self.end(self.begin(how, seconds))


@pytest.fixture(scope="module")
def library() -> Path:
    path = build.labtime()
    if path is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    return path


@pytest.fixture(scope="module")
def waits(tmp_path_factory, library) -> Path:
    program = tmp_path_factory.mktemp("waits") / "waits"
    source = Path(__file__).with_name("waits.c")
    # fortified, as distributions build their daemons: some calls then go to __poll_chk and its like
    flags = ["-O2", "-D_FORTIFY_SOURCE=2", "-std=gnu11", "-Wall", "-Wextra"]
    subprocess.run([build.compiler() or "cc", *flags, source, "-o", program, "-lpthread"], check=True)
    return program


@pytest.fixture
def clock_path(tmp_path) -> Path:
    return tmp_path / "clock"


@pytest.fixture
def clock(clock_path) -> LabClock:
    return LabClock.create(str(clock_path), 20, date=DATE)


@pytest.fixture
def preloaded(waits, clock_path, library) -> Preloaded:
    return Preloaded(waits, clock_path, library)


SCALED = [
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "epoll_pwait",
    "nanosleep",
    "clock_nanosleep",
    "clock_nanosleep absolute",
    "sleep",
    "cond monotonic",
    "cond realtime",
    "clockwait monotonic",
    "clockwait realtime",
    "sem_clockwait",
    "sem_timedwait",
    "clock_nanosleep realtime absolute",
    "futex",
    "poll in a child",
]


@pytest.mark.parametrize("how", SCALED)
def test_a_wait_of_two_lab_seconds_takes_a_tenth_of_a_second_at_factor_20(how, clock, preloaded):
    waited = preloaded.wait(how, 2)
    assert waited.result == 0
    assert 1.999 <= waited.lab_s < 6
    assert 0.0999 <= waited.wall_s < 0.3


def test_usleep_is_scaled(clock, preloaded):
    waited = preloaded.wait("usleep", 0.9)
    assert 0.9 <= waited.lab_s < 4
    assert waited.wall_s < 0.2


def test_a_timeout_of_zero_does_not_wait(clock, preloaded):
    assert preloaded.wait("poll zero", 0).wall_s < 0.05


def test_no_timeout_waits_until_something_happens(clock, preloaded):
    waited = preloaded.wait("forever until a child writes", 0.9)
    assert waited.result == 1
    assert 0.9 <= waited.lab_s < 4


def test_a_ready_descriptor_ends_the_wait_at_once(clock, preloaded):
    waited = preloaded.wait("ready descriptor", 100)
    assert waited.result == 1
    assert waited.wall_s < 0.1


def test_all_monotonic_clocks_tell_lab_time_and_the_realtime_clock_its_date(clock, preloaded):
    start, date = clock.lab_now(), clock.moment()[1]
    *monotonic, realtime = map(float, preloaded.run(str(preloaded.waits), "clocks").split())
    assert all(start <= value <= clock.lab_now() for value in monotonic)
    assert DATE <= date <= realtime <= clock.moment()[1] < DATE + 60


def test_clocks_of_processor_time_are_not_scaled(clock, preloaded):
    code = "import time; [None for _ in range(10**6)]; print(time.process_time(), time.thread_time())"
    began = time.monotonic()
    used = max(map(float, preloaded.run(sys.executable, "-c", code).split()))
    assert 0 < used <= time.monotonic() - began


def test_a_python_child_lives_in_lab_time_too(clock, preloaded):
    code = (
        "import time; told = lambda: (time.monotonic(), time.time(), time.clock_gettime(1000))\n"
        "began = told(); time.sleep(4); print(*(now - then for now, then in zip(told(), began)))"
    )
    lab, real, wall = map(float, preloaded.run(sys.executable, "-c", code).split())
    assert 4 <= lab < 10
    assert real == pytest.approx(lab, abs=0.5)
    assert 0.2 <= wall < 0.5


def test_a_factor_below_one_slows_time_down(clock_path, preloaded):
    LabClock.create(str(clock_path), 0.5)
    waited = preloaded.wait("poll", 0.1)
    assert waited.wall_s >= 0.2


def test_without_the_page_everything_passes_through(preloaded):
    waited = preloaded.wait("poll", 0.2)
    assert waited.lab_s == pytest.approx(waited.wall_s, abs=0.01)
    assert 0.2 <= waited.wall_s < 0.4


def test_a_page_that_is_too_short_is_as_good_as_none(clock_path, preloaded):
    clock_path.write_bytes(b"too short")
    assert 0.2 <= preloaded.wait("poll", 0.2).wall_s < 0.4


@pytest.mark.parametrize("how", ["poll", "epoll_wait", "select", "nanosleep", "cond monotonic", "futex"])
def test_a_wait_that_began_slowly_notices_that_time_went_faster(how, clock_path, preloaded):
    clock = LabClock.create(str(clock_path), 1)
    child = preloaded.begin(how, 20)
    clock.set_factor(100)
    waited = preloaded.end(child)
    assert 20 <= waited.lab_s < 50
    assert waited.wall_s < 1


@pytest.mark.parametrize("how", ["poll", "nanosleep", "cond monotonic"])
def test_a_wait_that_began_fast_does_not_end_early_when_time_slows_down(how, clock_path, preloaded):
    clock = LabClock.create(str(clock_path), 20)
    child = preloaded.begin(how, 8)
    clock.set_factor(10)
    waited = preloaded.end(child)
    assert waited.lab_s >= 8


def test_lab_time_never_jumps_back_while_the_factor_keeps_changing(clock, preloaded):
    child = preloaded.begin("backwards", 0.5)
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            for factor in (1, 50, 3, 20):
                clock.set_factor(factor)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        assert preloaded.end(child).result == 0
    finally:
        done.set()
        changer.join()


def test_a_waiting_process_is_not_busy(clock, preloaded):
    before = os.times()
    preloaded.wait("poll", 20)
    after = os.times()
    assert (after.children_user + after.children_system) - (before.children_user + before.children_system) < 0.1
