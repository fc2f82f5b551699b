"""A lab that stands still: no daemon, no program of an agent and no clock of it goes on."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.platforms.capabilities import CLOCK, DAEMONS
from tests.support.netns_networks import network

STILL_S = 1.0


def ospf(number: int) -> str:
    return (
        f"interface eth0\n ip address 10.0.12.{number}/24\n ip ospf area 0\nexit\n"
        f"router ospf\n ospf router-id {number}.{number}.{number}.{number}\nexit\n"
    )


@pytest.fixture(scope="module")
def lab(deploy) -> Lab:
    kinds = {"R1": "frr", "R2": "frr", "H1": "linux"}
    return deploy(network(kinds, ("R1 eth0 - R2 eth0",), {"R1": ospf(1), "R2": ospf(2)}, time_scale=10))


@pytest.fixture
def clock(lab: Lab) -> Iterator:
    found = lab.nodes["R1"].capability(CLOCK)
    yield found
    found.change(lab.time_scale)


def neighbor(lab: Lab) -> dict:
    text = lab.nodes["R1"].vty([("ospfd", "show ip ospf neighbor json")])[0][0]
    found = json.loads(text[text.index("{") :])["neighbors"]
    return next(one for several in found.values() for one in several)


def processes(lab: Lab) -> list[int]:
    """The processes of a lab as this machine numbers them, but for its supervisor."""
    found, waiting = [], [lab.supervisor_pid]
    while waiting:
        pid = waiting.pop()
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = [int(one) for one in (task / "children").read_text().split()]
            found += children
            waiting += children
    return found


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def ticks(pids: list[int]) -> int:
    """Processor time that some processes have used, in ticks of the kernel."""
    words = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in words)


def test_no_lab_time_passes_and_no_process_runs(lab: Lab, clock) -> None:
    before = neighbor(lab)
    clock.halt()
    halted_at = clock.at(time.time())
    pids = processes(lab)
    assert len(pids) >= 4, "two daemons of each router"
    assert {state(pid) for pid in pids} == {"T"}
    used = ticks([*pids, lab.supervisor_pid])
    time.sleep(STILL_S)
    assert ticks([*pids, lab.supervisor_pid]) - used <= 1
    assert clock.at(time.time()) == halted_at
    clock.change(0.001)
    after = neighbor(lab)
    clock.change(lab.time_scale)
    passed_s = (after["upTimeInMsec"] - before["upTimeInMsec"]) / 1000
    assert 0 <= passed_s < STILL_S * lab.time_scale / 2, "the second in which the lab stood still does not count"
    assert after["nbrState"] == before["nbrState"]


def stands_still_and_goes_on(lab: Lab, clock, path: str) -> None:
    """Check that what grows in a file of H1 does not while the lab is halted, and does again afterwards."""

    def beats() -> int:
        return len(lab.nodes["H1"].run(["cat", path], timeout_s=10).stdout.split())

    def grow_beyond(count: int) -> None:
        ends_at = time.monotonic() + 10
        while beats() <= count:
            assert time.monotonic() < ends_at
            time.sleep(0.05)

    grow_beyond(2)
    clock.halt()
    before = beats()
    time.sleep(0.5)
    assert beats() == before
    clock.change(lab.time_scale)
    grow_beyond(before)


def test_what_an_agent_left_behind_stands_still_as_well(lab: Lab, clock) -> None:
    node = lab.nodes["H1"]
    loop = "trap '' TERM; while :; do echo x >> /tmp/steps; sleep 0.02; done"
    node.run(["sh", "-c", f'setsid sh -c "{loop}" >/dev/null 2>&1 </dev/null & exit 0'], timeout_s=10)
    stands_still_and_goes_on(lab, clock, "/tmp/steps")
    node.run(["pkill", "-KILL", "-f", "steps"], timeout_s=10)


def test_what_was_stopped_before_stays_stopped(lab: Lab, clock) -> None:
    daemons = lab.nodes["R2"].capability(DAEMONS)
    daemons.freeze("ospfd")
    clock.halt()
    clock.change(lab.time_scale)
    frozen = [pid for pid in processes(lab) if state(pid) == "T"]
    assert len(frozen) == 1
    assert "ospfd" in Path(f"/proc/{frozen[0]}/cmdline").read_text()
    daemons.resume("ospfd")
    assert neighbor(lab)["nbrState"].startswith("Full")


def test_halting_twice_and_a_process_that_is_killed_meanwhile(lab: Lab, clock) -> None:
    clock.halt()
    clock.halt()
    pids = processes(lab)
    clock.change(lab.time_scale)
    assert neighbor(lab)["nbrState"].startswith("Full")
    assert all(state(pid) != "T" for pid in pids if Path(f"/proc/{pid}").exists())


def test_the_end_of_a_lab_that_stands_still_leaves_nothing(deploy) -> None:
    made = deploy(network({"R1": "frr"}, (), {"R1": "hostname R1\n"}))
    made.nodes["R1"].capability(CLOCK).halt()
    pids = [made.supervisor_pid, *processes(made)]
    os.kill(made.supervisor_pid, signal.SIGKILL)
    made.destroy()
    made.await_cleanup()
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists() and state(pid) != "Z"]


def test_a_process_whose_first_thread_has_ended_goes_on_as_well(lab: Lab, clock) -> None:
    node = lab.nodes["H1"]
    code = (
        "import ctypes, threading, time\n"
        "def count():\n"
        "    while True:\n"
        "        open('/tmp/beats', 'a').write('x ')\n"
        "        time.sleep(0.02)\n"
        "threading.Thread(target=count).start()\n"
        "ctypes.CDLL(None).pthread_exit(None)\n"
    )
    node.write_file("/tmp/threads.py", code)
    node.run(["sh", "-c", "setsid python3 /tmp/threads.py >/dev/null 2>&1 </dev/null & exit 0"], timeout_s=10)
    stands_still_and_goes_on(lab, clock, "/tmp/beats")
    node.run(["pkill", "-KILL", "-f", "threads.py"], timeout_s=10)
