"""Real children under the preloaded library, whose clock the pacer moves from one event to the next."""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.native import build
from tests.support.paced_programs import BUSY, GONE, GRAIN_S, Paced, compiled, told


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict[str, Path]:
    if build.labtime() is None or build.pacer() is None:
        pytest.skip(f"{build.why_not()}; apt-get install gcc libc6-dev")
    folder, here = tmp_path_factory.mktemp("programs"), Path(__file__).parent
    names = {"waits": "waits", "threads": "waits_of_threads", "slots again": "slots_again"}
    return {key: compiled(here / f"{name}.c", folder) for key, name in names.items()}


@pytest.fixture(scope="module")
def slow_fork(programs, tmp_path_factory) -> Path:
    library = tmp_path_factory.mktemp("library") / "slow_fork.so"
    source = Path(__file__).with_name("slow_fork.c")
    subprocess.run([build.compiler(), "-O2", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    return library


@pytest.fixture
def paced(tmp_path, programs) -> Iterator[Paced]:
    one = Paced(tmp_path, build.labtime(), build.pacer())
    yield one
    one.end()


def await_state(child: subprocess.Popen[str], state: str) -> None:
    ends_at = time.monotonic() + 10
    while Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] != state:
        assert time.monotonic() < ends_at
        time.sleep(0.01)


PARTS_OF_THE_PACER = ("kernel.c", "neighbors.c", "sleepers.c")
WAITS = [
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
    "clockwait monotonic",
    "sem_clockwait",
    "futex",
]


@pytest.mark.parametrize("how", WAITS)
def test_a_wait_of_100_lab_seconds_ends_in_time_and_costs_no_wall_time(how, paced, programs):
    child = paced.begin(programs["waits"], how, 100)
    passed = paced.forward(110)
    [[lab_s, wall_s, result]] = told(child)
    assert result == 0
    assert 100 <= lab_s <= 100 + GRAIN_S + 0.1
    assert wall_s < 2
    assert passed.lab_s == 110
    assert passed.held_s < 0.5


def test_a_wait_for_ever_is_idle_until_something_happens(paced, programs):
    child = paced.begin(programs["waits"], "forever until a child writes", 0.9)
    assert paced.forward(10).held_s < 0.5
    [[lab_s, _, result]] = told(child)
    assert result == 1
    assert 0.9 <= lab_s <= 1.2


def test_no_wait_of_many_threads_is_early_and_none_later_than_its_slack(paced, programs):
    source = random.Random(1)
    asked = [round(source.uniform(0.01, 300), 3) for _ in range(60)]
    child = paced.begin(programs["threads"], "threads", *asked)
    paced.forward(320)
    rows = told(child)
    assert [row[0] for row in rows] == asked
    for wanted_s, lab_s in rows:
        assert wanted_s <= lab_s <= wanted_s + min(GRAIN_S, wanted_s / 20) + 0.1, (wanted_s, lab_s)


def test_what_one_process_sends_another_is_taken_up_before_the_clock_moves(paced, programs):
    child = paced.begin(programs["threads"], "ping-pong", 100)
    passed = paced.forward(500)
    [[lab_s]] = told(child)
    # 200 waits of a second, each late by at most a twentieth
    assert 199 <= lab_s <= 200 * 1.05 + 1
    assert passed.wall_s < 10


def test_computing_takes_as_much_lab_time_as_processor_time_beside_busy_loops(paced, programs):
    core = min(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        child = paced.begin(programs["threads"], "compute", 0.1)
        for one in (child, *busy):
            os.sched_setaffinity(one.pid, [core])
        paced.forward(2)
        [[used_s, lab_s]] = told(child)
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert used_s / 2 <= lab_s <= 1.5 * used_s  # by the wall it would be five times as much


def test_without_a_grain_nothing_that_is_measured_moves_the_clock(paced, programs):
    child = paced.begin(programs["threads"], "ping-pong", 100)
    paced.forward(500, 0)
    [[lab_s]] = told(child)
    assert 199 <= lab_s <= 199.1, "waits of a second, and no time for what happens in between"


def test_without_a_grain_computing_takes_hardly_any_lab_time(paced, programs):
    paced.clock.set_factor(1e-9)
    child = paced.begin(programs["threads"], "compute", 0.1)
    paced.forward(2, 0)
    [[used_s, lab_s]] = told(child)
    assert used_s >= 0.1
    assert lab_s <= used_s / 10


def test_without_a_grain_the_clock_stops_at_whole_milliseconds(paced, programs):
    child = paced.begin(programs["waits"], "nanosleep", 0.7654321)
    for _ in range(3):
        paced.clock.set_factor(1e-9)
        paced.forward(0.3333, 0)
        assert round(paced.clock.lab_now() * 1e9) % 10**6 < 1000
    [[lab_s, _, result]] = told(child)
    assert (0.765 <= lab_s <= 0.767, result) == (True, 0)


def test_a_wait_that_is_not_told_holds_the_clock_at_the_speed_of_the_wall_and_is_named(paced, programs):
    child = paced.begin(programs["threads"], "untold", stdin=subprocess.PIPE)
    passed = paced.forward(1.5)
    assert passed.wall_s >= 1.4
    assert passed.held_s > 0.3
    assert passed.holder == child.pid


def test_a_stopped_process_holds_nothing_and_goes_on_when_it_is_continued(paced, programs):
    child = paced.begin(programs["waits"], "ppoll", 10)
    await_state(child, "S")
    os.kill(child.pid, signal.SIGSTOP)
    await_state(child, "T")
    assert paced.forward(100).wall_s < 2
    os.kill(child.pid, signal.SIGCONT)
    paced.forward(1)
    [[lab_s, _, result]] = told(child)
    assert (round(lab_s) // 100, result) == (1, 0)


def test_a_killed_process_is_forgotten(paced, programs):
    child = paced.begin(programs["threads"], "untold", stdin=subprocess.PIPE)
    child.kill()
    child.wait()
    assert paced.forward(1000).wall_s < 2


def test_a_process_that_is_killed_while_it_starts_a_thread_holds_nothing_although_nobody_asks_for_it(paced, programs):
    child = paced.begin(programs["threads"], "untold", stdin=subprocess.PIPE)
    child.kill()
    await_state(child, "Z")
    (count,) = struct.unpack("=I", os.pread(paced.clock.slots, 4, 4))
    os.pwrite(paced.clock.slots, struct.pack("=Iii", BUSY, child.pid, 0), 64 + 64 * count)
    os.pwrite(paced.clock.slots, struct.pack("=I", count + 1), 4)
    assert paced.forward(1000).wall_s < 2


def test_a_place_that_a_child_has_left_before_its_parent_runs_again_is_the_next_threads(paced, programs, slow_fork):
    paced.env["LD_PRELOAD"] += f":{slow_fork}"
    child = paced.begin(programs["slots again"], 100)
    passed = paced.forward(200)
    [[slept_s]] = told(child)
    assert 100 <= slept_s <= 100 + GRAIN_S + 1
    assert passed.wall_s < 3


def test_a_place_is_left_to_a_thread_that_took_it_while_the_pacer_looked_at_the_last_one(tmp_path):
    program, native = tmp_path / "slots_of_others", Path(build.__file__).parent
    sources = [Path(__file__).with_name("slots_of_others.c"), *map(native.joinpath, PARTS_OF_THE_PACER)]
    flags = ["-std=gnu11", f"-I{native}"]
    subprocess.run([build.compiler() or "cc", *flags, *sources, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(GONE), str(BUSY)]


def test_a_clock_goes_on_when_its_pacer_is_killed(paced, programs):
    child = paced.begin(programs["waits"], "ppoll", 5)
    held = paced.begin(programs["threads"], "untold", stdin=subprocess.PIPE)  # keeps the pacer at the wall's speed
    pacer = paced.start_pacer(1000)
    time.sleep(0.3)
    pacer.kill()
    pacer.communicate()
    paced.clock.set_factor(20)
    paced.clock.take_back()
    [[lab_s, wall_s, result]] = told(child)
    held.kill()
    assert result == 0
    assert 5 <= lab_s < 30
    assert wall_s < 3


def test_a_pacer_that_is_killed_while_it_writes_the_clock_stops_nobody(paced, programs):
    paced.clock.hand_over()
    with paced.path.open("r+b") as page:
        (sequence,) = struct.unpack("=Q", page.read(8))
        page.seek(0)
        page.write(struct.pack("=Q", sequence | 1))
    paced.clock.take_back()
    [[lab_s, _, result]] = told(paced.begin(programs["waits"], "ppoll", 0.2))
    assert (result, lab_s < 5) == (0, True)


def test_threads_for_which_there_is_no_slot_hold_the_clock(paced):
    os.pwrite(paced.clock.slots, struct.pack("=I", 1), 8)
    passed = paced.forward(0.3)
    assert passed.held_s >= 0.25


def test_a_pacer_that_is_told_to_end_says_how_far_it_came(paced, programs):
    paced.begin(programs["threads"], "untold", stdin=subprocess.PIPE)
    pacer = paced.start_pacer(1000)
    time.sleep(1.5)
    pacer.terminate()
    lab_ns = int(pacer.communicate(timeout=5)[0].split()[0])
    paced.clock.take_back()
    assert 0 < lab_ns < 100e9


def test_nobody_moves_a_clock_that_is_moved(paced):
    paced.clock.hand_over()
    with pytest.raises(ValueError, match="being moved already"):
        paced.clock.hand_over()
    paced.clock.take_back()
    assert paced.forward(5).lab_s == 5


def test_the_factor_holds_again_afterwards_and_lab_time_never_jumps_back(paced, programs):
    before = paced.clock.lab_now()
    paced.forward(50)
    after = paced.clock.lab_now()
    assert after - before >= 50
    time.sleep(0.2)
    assert 0.2 <= paced.clock.lab_now() - after < 0.6
