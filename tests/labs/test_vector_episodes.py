"""Several episodes at once in processes of their own: as one environment alone, and what breaks is alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

pytest.importorskip("gymnasium", reason="gymnasium is not installed; fix: make setup-gate")

from pytest_netbench import parts
from pytest_netbench.errors import RequirementMissing, UsageError
from pytest_netbench.gymnasium import VectorEpisode
from pytest_netbench.lab.request import request_of
from tests.support.host import Host, Lab, below, command_line, descriptors
from tests.support.repairs import repair_task
from tests.support.scripted import look, submit

DOWN = repair_task(("interface-down", {"interface": "eth0"}))
DRAWN = "repair-routing:level=1,subnets=2,hosts=1"
LOOK, SUBMIT = json.dumps(look("r0", "ip route")), json.dumps(submit())


@pytest.fixture(scope="module", autouse=True)
def _this_machine_can() -> None:
    lack = parts.load("backends", "netns")().lacks(request_of(DOWN))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


@pytest.fixture(scope="module")
def alone() -> list[tuple[str, str]]:
    """Observation and task of the first draws of seeds 11 and 12 and the second one of 12, by one environment."""
    code = (
        "import json\nfrom pytest_netbench.gymnasium import NetbenchEnv\n"
        f"with NetbenchEnv({DRAWN!r}) as env:\n"
        "    seen = [env.reset(seed=11), env.reset(seed=12), env.reset()]\n"
        "print(json.dumps([(text, info['task']) for text, info in seen]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return [tuple(one) for one in json.loads(done.stdout)]


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    host, processes, open_before = Host.now(), set(below(os.getpid())), len(descriptors(os.getpid()))
    yield
    assert workers() == []
    assert set(below(os.getpid())) <= processes
    assert len(descriptors(os.getpid())) <= open_before
    assert Host.now() == host


def workers() -> list[int]:
    """The processes of the episodes, in their order."""
    return [pid for pid in below(os.getpid()) if b"gymnasium.worker" in command_line(pid)]


def test_each_episode_is_that_of_one_environment_with_the_same_seed(alone: list[tuple[str, str]]) -> None:
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    with VectorEpisode(DRAWN, n=2, reward=lambda turn: turn.number + 0.5) as bare:
        vector = RecordEpisodeStatistics(bare)  # a wrapper that relies on the autoreset mode
        texts, infos = vector.reset(seed=11)
        seen = [(texts, infos["task"].tolist())]
        texts, rewards, terminated, truncated, infos = vector.step([LOOK, SUBMIT])
        assert (rewards.tolist(), terminated.tolist(), truncated.tolist()) == ([1.5, 1.5], [False, True], [False] * 2)
        assert (infos["status"][1], infos["looked"].tolist()) == ("failed", [True, False])
        texts, rewards, terminated, truncated, infos = vector.step([SUBMIT, SUBMIT])  # the second begins an episode
        assert (rewards.tolist(), terminated.tolist()) == ([2.5, 0.0], [True, False])
        assert infos["_task"].tolist() == [False, True]
        assert (infos["episode"]["r"].tolist(), infos["episode"]["l"].tolist()) == ([4.0, 0.0], [2, 0])
        seen.append((texts, infos["task"].tolist()))
        assert texts in vector.observation_space
    first, second = ([*zip(texts, tasks, strict=True)] for texts, tasks in seen)
    assert first == alone[:2]
    assert second[1] == alone[2]


@pytest.mark.parametrize("victim", ["the process of the episode", "its lab"])
def test_what_breaks_is_truncated_and_the_others_go_on(victim: str) -> None:
    with VectorEpisode(DRAWN, n=2) as vector:
        vector.reset(seed=11)
        worker = workers()[1]
        lab = Lab.of(worker)
        below_worker = list(below(worker))
        os.kill(worker if victim == "the process of the episode" else below_worker[1], signal.SIGKILL)
        _, rewards, terminated, truncated, infos = vector.step([LOOK, LOOK])
        assert (rewards.tolist(), terminated.tolist(), truncated.tolist()) == ([10.0, 0.0], [False] * 2, [False, True])
        assert infos["status"].tolist() == [None, "error"]
        assert infos["error"][1]
        if victim != "its lab":
            assert infos["error"][1] == "the process of this episode ended by signal 9"
            assert lab.left_after(10) == []
        _, _, terminated, truncated, infos = vector.step([SUBMIT, SUBMIT])
        assert (terminated.tolist(), truncated.tolist()) == ([True, False], [False] * 2)
        assert infos["status"][0] == "failed"
        assert infos["task"][1].startswith("repair-routing-s12-0001")


KILLED = f"""
import sys
from pytest_netbench.gymnasium import VectorEpisode
vector = VectorEpisode({DRAWN!r}, n=2)
vector.reset(seed=11)
print("ready", flush=True)
vector.step(['{json.dumps(look("r0", "sleep 60"))}'] * 2)
"""


def test_kill_9_of_the_parent_leaves_nothing_although_commands_run() -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "ready\n"
        labs = Lab.of(parent.pid)
        assert len(labs.processes) > 4
        assert len(labs.namespaces) > 4
        parent.kill()
    assert labs.left_after(10) == []


INTERRUPTED = f"""
import os, signal, threading
from pytest_netbench.gymnasium import VectorEpisode
with VectorEpisode({DRAWN!r}, n=2) as vector:
    vector.reset(seed=11)
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        vector.step(['{json.dumps(look("r0", "sleep 60"))}', '{SUBMIT}'])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    _, infos = vector.reset()
    print(*infos["task"], flush=True)
    print(vector.step(['{SUBMIT}'] * 2)[4]["status"], flush=True)
"""


def test_after_an_interrupt_the_next_reset_begins_the_next_episodes() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False, timeout=120)
    first, tasks, status = done.stdout.splitlines()
    assert (first, status, done.returncode) == ("interrupted", "['failed' 'failed']", 0), done.stderr
    assert [task.rpartition("-")[0] for task in tasks.split()] == ["repair-routing-s11-0001", "repair-routing-s12-0001"]


def test_an_error_of_the_reward_is_raised_and_the_next_reset_succeeds() -> None:
    with VectorEpisode(DOWN, n=2, reward=lambda turn: "x" if turn.done else 0) as vector:  # type: ignore[arg-type, return-value]
        vector.reset()
        with pytest.raises(UsageError, match="instead of a finite number"):
            vector.step([LOOK, SUBMIT])
        vector.reset()
        assert vector.step([LOOK, LOOK])[1].tolist() == [0, 0]


def test_a_cluster_without_ray_is_refused_in_a_sentence() -> None:
    if find_spec("ray") is not None:
        pytest.skip("ray is installed")
    with pytest.raises(RequirementMissing, match=r"^ray='auto': ray is not installed") as refused:
        VectorEpisode(DRAWN, n=2, ray="auto")
    assert "pip install 'pytest-netbench[ray]'" in str(refused.value)
