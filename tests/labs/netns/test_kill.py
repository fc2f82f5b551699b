"""Whatever ends the owner of a lab, or the lab: nothing of it is left, and whoever still wants it is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabDied
from tests.support import host, lab_owner
from tests.support.netns_networks import ospf_pair, pair

_GONE_S = 1.0


class Owner:
    """A process that owns a lab."""

    def __init__(self, how: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, lab_owner.__file__, how], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.supervisor = int(self.until("pid").split()[1])

    def until(self, word: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                return line
        raise AssertionError(f"the owner ended before it said {word!r}")

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=10)


@pytest.fixture
def owners(backend: NetnsBackend) -> Iterator[list[Owner]]:
    made: list[Owner] = []
    yield made
    for owner in made:
        owner.process.kill()
        owner.process.wait()
        owner.process.stdout.close()


def own(owners: list[Owner], how: str) -> Owner:
    owners.append(Owner(how))
    return owners[-1]


def files() -> set[str]:
    """Names in the usual places for temporary files that are this package's."""
    places = (Path("/tmp"), Path("/run"), Path("/dev/shm"), Path("/var/tmp"))
    return {str(path) for place in places if place.is_dir() for path in place.iterdir() if "netbench" in path.name}


@pytest.mark.parametrize("how", ["idle", "busy"])
def test_nothing_is_left_of_the_lab_of_a_killed_owner(owners: list[Owner], how: str) -> None:
    before = files()
    owner = own(owners, how)
    owner.until("busy" if how == "busy" else "ready")
    lab = host.Lab.of(owner.supervisor)
    assert len(lab.processes) >= 6
    assert len(lab.namespaces) >= 8
    owner.kill()
    assert lab.left_after(_GONE_S) == []
    assert host.abstract_sockets(owner.process.pid) == set()
    assert files() <= before


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.05, 0.1, 0.15, 0.25])
def test_nothing_is_left_of_a_lab_whose_owner_is_killed_while_it_deploys(owners: list[Owner], after_s: float) -> None:
    owner = own(owners, "idle")
    deadline = time.monotonic() + after_s
    lab = host.Lab.of(owner.supervisor)
    while time.monotonic() < deadline:
        lab = lab | host.Lab.of(owner.supervisor)
    owner.kill()
    assert lab.left_after(_GONE_S) == []
    assert host.abstract_sockets(owner.process.pid) == set()


@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.25])
def test_an_interrupt_while_a_lab_deploys_leaves_nothing(owners: list[Owner], after_s: float) -> None:
    owner = own(owners, "idle")
    threading.Event().wait(after_s)
    lab = host.Lab.of(owner.supervisor)
    owner.process.send_signal(signal.SIGINT)
    owner.until("interrupted")
    assert lab.left_after(_GONE_S) == []


@pytest.mark.parametrize("which", ["outer", "inner"])
def test_the_owner_of_a_lab_that_is_killed_is_told(backend: NetnsBackend, which: str) -> None:
    lab = backend.deploy(ospf_pair())
    traces = host.Lab.of(lab.supervisor_pid)
    answer: list[BaseException] = []

    def wait() -> None:
        with pytest.raises(LabDied) as caught:
            lab.nodes["R1"].run(["sleep", "100"])
        answer.append(caught.value)

    thread = threading.Thread(target=wait)
    thread.start()
    while not any(b"sleep" in host.command_line(pid) for pid in host.below(lab.supervisor_pid)):
        os.sched_yield()
    pid = lab.supervisor_pid if which == "outer" else next(host.below(lab.supervisor_pid))
    os.kill(pid, signal.SIGKILL)
    thread.join(timeout=5)
    assert "supervisor is gone" in str(answer[0])
    with pytest.raises(LabDied, match="supervisor is gone"):
        lab.nodes["R1"].shell("true", writable=False)
    lab.destroy()
    lab.destroy()
    assert traces.left_after(_GONE_S) == []


def test_a_lab_that_is_destroyed_leaves_nothing_and_may_be_destroyed_again(backend: NetnsBackend) -> None:
    threads, descriptors = threading.active_count(), len(host.descriptors(os.getpid()))
    lab = backend.deploy(pair())
    traces = host.Lab.of(lab.supervisor_pid)
    lab.destroy()
    lab.destroy()
    lab.await_cleanup()
    assert traces.left() == []
    assert lab.destroy_s <= lab.cleanup_s < 5
    assert threading.active_count() == threads
    assert len(host.descriptors(os.getpid())) == descriptors


DESTROYS_AND_ENDS = """
import atexit
from pytest_netbench.backends.netns.backend import NetnsBackend
from tests.support import host
from tests.support.netns_networks import pair

lab = NetnsBackend().deploy(pair())
traces = host.Lab.of(lab.supervisor_pid)
atexit.register(lambda: print("left", traces.left()))
lab.destroy()
"""


def test_a_process_ends_after_the_cleanup_of_the_labs_it_destroyed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DESTROYS_AND_ENDS],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(host.__file__).parents[2],
    )
    assert (done.stdout, done.stderr) == ("left []\n", "")


def test_destroying_a_lab_ends_what_is_under_way_in_it(backend: NetnsBackend) -> None:
    lab = backend.deploy(pair())
    traces = host.Lab.of(lab.supervisor_pid)
    caught: list[Any] = []

    def wait() -> None:
        with pytest.raises(LabDied) as error:
            lab.nodes["a"].shell("sleep 100", writable=False)
        caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    while not any(b"sleep" in host.command_line(pid) for pid in host.below(lab.supervisor_pid)):
        os.sched_yield()
    started = time.monotonic()
    lab.destroy()
    thread.join(timeout=5)
    assert caught
    assert time.monotonic() - started < 1
    assert traces.left_after(_GONE_S) == []
