"""Whatever ends the owner of a lab, or the lab: nothing of it is left, and whoever still wants it is told."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.backends.netns import starter
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabDied
from pytest_netbench.lab.request import request_of
from tests.support import host, lab_owner
from tests.support.netns_networks import ospf_pair, pair

_GONE_S = 1.0


class Owner:
    """A process that owns a lab."""

    def __init__(self, how: str, folder: Path) -> None:
        self._folder = folder
        self.process = subprocess.Popen(
            [sys.executable, lab_owner.__file__, how],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder)},
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

    def files(self) -> list[Path]:
        """Its temporary files: those in its own folder, and those that are named after its processes elsewhere."""
        places = [place for place in map(Path, ("/tmp", "/run", "/dev/shm", "/var/tmp")) if place.is_dir()]
        numbers = {str(self.process.pid), str(self.supervisor)}
        named = [path for place in places for path in place.iterdir() if numbers & set(re.findall(r"\d+", path.name))]
        return [*self._folder.iterdir(), *(path for path in named if "netbench" in path.name)]


@pytest.fixture
def owners(backend: NetnsBackend) -> Iterator[list[Owner]]:
    made: list[Owner] = []
    yield made
    for owner in made:
        owner.process.kill()
        owner.process.wait()
        owner.process.stdout.close()


@pytest.fixture
def own(owners: list[Owner], tmp_path: Path) -> Callable[[str], Owner]:
    """Starts an owner of a lab."""

    def start(how: str) -> Owner:
        folder = tmp_path / str(len(owners))
        folder.mkdir()
        owners.append(Owner(how, folder))
        return owners[-1]

    return start


@pytest.mark.parametrize("how", ["idle", "busy"])
def test_nothing_is_left_of_the_lab_of_a_killed_owner(own: Callable[[str], Owner], how: str) -> None:
    owner = own(how)
    owner.until("busy" if how == "busy" else "ready")
    lab = host.Lab.of(owner.supervisor)
    assert len(lab.processes) >= 5
    assert len(lab.namespaces) >= 8
    owner.kill()
    assert lab.left_after(_GONE_S) == []
    assert host.abstract_sockets(owner.process.pid) == set()
    assert owner.files() == []


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.05, 0.1, 0.15, 0.25])
def test_nothing_is_left_of_a_lab_whose_owner_is_killed_while_it_deploys(
    own: Callable[[str], Owner], after_s: float
) -> None:
    owner = own("idle")
    deadline = time.monotonic() + after_s
    lab = host.Lab.of(owner.supervisor)
    while time.monotonic() < deadline:
        lab = lab | host.Lab.of(owner.supervisor)
    owner.kill()
    assert lab.left_after(_GONE_S) == []
    assert host.abstract_sockets(owner.process.pid) == set()


@pytest.mark.parametrize("after_s", [0.0, 0.03, 0.08])
def test_an_interrupt_while_a_lab_deploys_leaves_nothing(own: Callable[[str], Owner], after_s: float) -> None:
    owner = own("idle")
    threading.Event().wait(after_s)
    lab = host.Lab.of(owner.supervisor)
    owner.process.send_signal(signal.SIGINT)
    owner.until("interrupted")
    assert lab.left_after(_GONE_S) == []


def test_the_owner_of_a_lab_that_is_killed_is_told(backend: NetnsBackend) -> None:
    lab = backend.deploy(request_of(ospf_pair()))
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
    os.kill(lab.supervisor_pid, signal.SIGKILL)
    thread.join(timeout=5)
    assert "supervisor is gone" in str(answer[0])
    with pytest.raises(LabDied, match="supervisor is gone"):
        lab.nodes["R1"].shell("true", writable=False)
    lab.destroy()
    lab.destroy()
    assert traces.left_after(_GONE_S) == []


def test_a_lab_that_is_destroyed_leaves_nothing_and_may_be_destroyed_again(backend: NetnsBackend) -> None:
    starter.warm_up()
    threads, descriptors = threading.active_count(), len(host.descriptors(os.getpid()))
    lab = backend.deploy(request_of(pair()))
    traces = host.Lab.of(lab.supervisor_pid)
    lab.destroy()
    lab.destroy()
    lab.await_cleanup()
    assert traces.left() == []
    assert max(lab.destroy_s, lab.cleanup_s) < 5
    assert threading.active_count() == threads
    assert len(host.descriptors(os.getpid())) == descriptors


DESTROYS_AND_ENDS = """
import atexit
from pytest_netbench.backends.netns import starter
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import pair

lab = NetnsBackend().deploy(request_of(pair()))
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
    lab = backend.deploy(request_of(pair()))
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


def test_a_supervisor_that_hangs_is_ended_with_its_lab(backend: NetnsBackend) -> None:
    lab = backend.deploy(request_of(pair()))
    traces = host.Lab.of(lab.supervisor_pid)
    os.kill(lab.supervisor_pid, signal.SIGSTOP)
    lab.destroy()
    lab.await_cleanup()
    assert lab.cleanup_s < _GONE_S
    assert traces.left_after(_GONE_S) == []


def test_labs_of_one_owner_share_no_socket_and_no_namespace(backend: NetnsBackend) -> None:
    labs = [backend.deploy(request_of(pair())) for _ in range(2)]
    try:
        first, second = (host.Lab.of(lab.supervisor_pid) for lab in labs)
        assert not first.namespaces & second.namespaces
        one, other = (
            {name for name in host.descriptors(lab.supervisor_pid).values() if name.startswith(("socket:", "net:"))}
            for lab in labs
        )
        assert one
        assert not one & other
    finally:
        for lab in labs:
            lab.destroy()


LOSES_ITS_STARTER = """
import os, signal
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabDied
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import pair

lab = NetnsBackend().deploy(request_of(pair()))
traces = host.Lab.of(lab.supervisor_pid)
starter = int(host.status(lab.supervisor_pid)["PPid"])
os.kill(starter, signal.SIGKILL)
try:
    while True:
        lab.nodes["a"].run(["true"])
except LabDied as error:
    print(error)
print("left", traces.left_after(1.0))
lab.destroy()
again = NetnsBackend().deploy(request_of(pair()))
print("again", again.nodes["a"].run(["echo", "up"]).stdout.strip())
again.destroy()
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "dev", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(host.__file__).parents[2],
    )


def test_labs_end_with_the_process_that_started_them_and_another_one_starts_the_next() -> None:
    done = run(LOSES_ITS_STARTER)
    assert done.stderr == ""
    assert done.stdout == "the lab's supervisor is gone\nleft []\nagain up\n"


RUNS_OUT_OF_DESCRIPTORS = """
import resource
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.errors import LabError
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import pair

lab = NetnsBackend().deploy(request_of(pair()))
starter = int(host.status(lab.supervisor_pid)["PPid"])
limits = resource.prlimit(starter, resource.RLIMIT_NOFILE)
most = max(map(int, host.descriptors(starter))) + 1
for more in range(7):
    resource.prlimit(starter, resource.RLIMIT_NOFILE, (most + more, limits[1]))
    try:
        NetnsBackend().deploy(request_of(pair()))
    except LabError as error:
        print(more, str(error).partition(":")[0])
resource.prlimit(starter, resource.RLIMIT_NOFILE, limits)
for one in (lab, NetnsBackend().deploy(request_of(pair()))):
    print(one.nodes["a"].run(["echo", "up"]).stdout.strip())
    one.destroy()
"""


def test_a_lab_that_cannot_be_started_harms_no_other_one() -> None:
    done = run(RUNS_OUT_OF_DESCRIPTORS)
    assert done.stderr == ""
    refused = "".join(f"{more} the lab could not be built\n" for more in range(7))
    assert done.stdout == f"{refused}up\nup\n"


STARTS_MANY_AND_IS_KILLED = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import pair

with ThreadPoolExecutor(4) as pool:
    labs = list(pool.map(lambda _: NetnsBackend().deploy(request_of(pair(), workers=4)), range(4)))
starters = {int(host.status(lab.supervisor_pid)["PPid"]) for lab in labs}
assert all(host.command_line(pid) for pid in starters)
print(starters, flush=True)
os.kill(os.getpid(), 9)
"""


def test_one_process_starts_all_labs_and_ends_with_their_owner() -> None:
    done = run(STARTS_MANY_AND_IS_KILLED)
    (starter_pid,) = ast.literal_eval(done.stdout)
    assert done.returncode == -signal.SIGKILL
    deadline = time.monotonic() + _GONE_S
    while host.command_line(starter_pid) and time.monotonic() < deadline:
        os.sched_yield()
    assert host.command_line(starter_pid) == b""
