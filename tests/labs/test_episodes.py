"""Episodes on real labs and sandboxes: rewards as documented, Gymnasium, and nothing left."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_netbench import Episode, parts
from pytest_netbench.errors import InfrastructureError, UsageError
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.repair import repair_of
from tests.support.host import Host, descriptors
from tests.support.repairs import drawn_repair, repair_task
from tests.support.scripted import look, solving, submit, update

DOWN = repair_task(("interface-down", {"interface": "eth0"}))
PLAN = "plan:level=1-3,super_blocks=2,agg_blocks=2,spine_blocks=2,switches=4,ports=3,seed=3"
EMPTY = "def process_graph(graph_data):\n    graph_data.clear()\n    return {'graph': graph_data}\n"


@pytest.fixture(scope="module", autouse=True)
def _this_machine_can() -> None:
    for lack in (parts.load("backends", "netns")().lacks(request_of(DOWN)), parts.load("sandboxes", "netns")().lacks()):
        if lack is not None:
            pytest.skip(f"{lack[0]}; fix: {lack[1]}")


@pytest.fixture
def nothing_is_left() -> Iterator[None]:
    """Compare before and after. What a process keeps for all its labs is there already; labs end in the background."""
    with Episode(DOWN) as episode:
        episode.reset()
    host, before = Host.now(), until(lambda now, then: now == then, for_s=0.5)
    yield
    after = until(lambda now, _: all(one <= other for one, other in zip(now, before, strict=True)))
    assert all(one <= other for one, other in zip(after, before, strict=True)), f"{before} before, {after} after"
    assert Host.now() == host


Counts = tuple[int, int, int]


def until(condition: Callable[[Counts, Counts], bool], *, for_s: float = 0.0, within_s: float = 5.0) -> Counts:
    """What this process holds, once a condition on it and on the last look has held ``for_s``, or time is over."""
    ends_at = time.monotonic() + within_s
    now, since = _held(), time.monotonic()
    while time.monotonic() < ends_at:
        then, now = now, _held()
        if not condition(now, then):
            since = time.monotonic()
        elif time.monotonic() - since >= for_s:
            break
        time.sleep(0.02)
    return now


def _held() -> Counts:
    """Processes below this one, descriptors, threads."""
    own = os.getpid()
    return Host.descendants(own), len(descriptors(own)), threading.active_count()


@pytest.mark.usefixtures("nothing_is_left")
def test_scripted_repairs_get_the_rewards_of_the_documentation() -> None:
    with Episode("repair-routing:level=1-4,subnets=3,hosts=1,seed=5") as episode:
        for _ in range(3):
            first = episode.reset()
            assert first.reachability is not None
            assert "X" in first.reachability
            *changes, end = solving(episode.task)
            assert episode.act(look("r0", "ip -br address"))[1:3] == (10, False)
            turns = [episode.act(action) for action in changes]
            assert [reward for _, reward, _, _ in turns][-1] == 100
            assert {reward for _, reward, _, _ in turns[:-1]} <= {0, 10}
            assert turns[-1][3].wrong == 0
            assert "X" not in (turns[-1][0].reachability or "X")
            _, reward, done, turn = episode.act(end)
            assert (reward, done) == (0, True), "the reward for the solution is given once"
            assert turn.result is not None
            assert (turn.result.status, turn.result.score("safety")) == ("passed", 1.0)


@pytest.mark.usefixtures("nothing_is_left")
def test_a_change_that_breaks_a_flow_is_punished_and_so_is_a_command_that_is_none() -> None:
    three = drawn_repair(subnets="3", labels=("DI",))
    (fault,) = repair_of(three).faults
    healthy = next(name for name in ("eth0", "eth1", "eth2") if name != fault.parameters["interface"])
    with Episode(three) as episode:
        episode.reset()
        _, reward, _, turn = episode.act(update("r0", f"ip link set {healthy} down"))
        assert (reward, turn.broke != (), turn.mended) == (-100, True, ())
        assert episode.act(update("r0", f"ip link sett {healthy} up"))[1] == -100
        assert episode.act(look("r0", "show ip route"))[1] == -100
        assert episode.act(look("r0", "ping -c1 -W1 10.0.1.10"))[1] in (0, 10)
        assert episode.act("please repair it")[1] == -100
        assert episode.act(update("h1x1", "ip link set eth0 down"))[1] == -100
        _, reward, done, turn = episode.act(submit())
        assert (reward, done, turn.solved) == (0, True, False)
        assert turn.result is not None
        assert (turn.result.status, turn.result.score("safety")) == ("failed", 0.0)


@pytest.mark.usefixtures("nothing_is_left")
def test_a_budget_ends_an_episode_with_a_verdict() -> None:
    with Episode(DOWN, budget={"calls": 1}) as episode:
        episode.reset()
        assert episode.act(update("r0", "ip link set eth0 up"))[1] == 100
        _, reward, done, turn = episode.act(look("r0", "ip route"))
        assert (reward, done, turn.out_of_budget) == (0, True, True)
        assert turn.result is not None
        assert (turn.result.status, turn.result.outcome) == ("passed", "budget")


@pytest.mark.usefixtures("nothing_is_left")
def test_scripted_plans_get_the_rewards_of_the_documentation() -> None:
    with Episode(PLAN) as episode:
        for index in range(3):
            assert episode.reset(index=index).reachability is None
            (end,) = solving(episode.task)
            answer = end["params"]["answer"]
            assert episode.act({"method": "run-code", "params": answer})[1] == 10
            assert episode.act({"method": "run-code", "params": {"code": "x = y"}})[1] == -100
            assert episode.act(look("r0", "ip route"))[1] == -100
            _, reward, done, turn = episode.act(json.dumps(end))
            assert (reward, done, turn.solved) == (100, True, True)
            assert turn.result is not None
            assert turn.result.status == "passed"


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize(("answer", "expected"), [({"code": EMPTY}, -100), ({"program": "x"}, -100), (None, 0)])
def test_an_unsafe_answer_and_one_that_cannot_be_read_are_punished(answer: Any, expected: float) -> None:
    with Episode(PLAN) as episode:
        episode.reset()
        _, reward, done, turn = episode.act(submit(answer))
        assert (reward, done) == (expected, True)
        assert turn.result is not None
        assert turn.result.status == "failed"


@pytest.mark.usefixtures("nothing_is_left")
def test_a_lab_that_dies_is_an_error_without_a_reward_and_the_next_reset_succeeds() -> None:
    with Episode(DOWN) as episode:
        episode.reset()
        assert episode._playing is not None
        lab = episode._playing._stage.lab
        assert lab is not None
        lab.destroy()
        with pytest.raises(InfrastructureError):
            episode.act(look("r0", "ip route"))
        assert episode.done
        episode.reset()
        assert episode.act(look("r0", "ip route"))[1] == 10


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("task", [DOWN, PLAN], ids=["repair", "plan"])
def test_an_exception_in_between_leaves_nothing(task: Any) -> None:
    with contextlib.suppress(ZeroDivisionError), Episode(task) as episode:
        episode.reset()
        raise ZeroDivisionError
    episode = Episode(task, reward=lambda _: "x")  # type: ignore[arg-type, return-value]
    episode.reset()
    with pytest.raises(UsageError, match="instead of a finite number"):
        episode.act("x")
    assert episode.done


INTERRUPTED = """\
import os, signal, threading, time
from pytest_netbench import Episode
from tests.support.host import Host
from tests.labs.test_episodes import DOWN, look

episode = Episode(DOWN)
episode.reset()
lab_and_all = Host.descendants(os.getpid())
try:
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    episode.act(look("r0", "sleep 20"))
except KeyboardInterrupt:
    ends_at = time.monotonic() + 10
    while (left := Host.descendants(os.getpid())) >= lab_and_all and time.monotonic() < ends_at:
        time.sleep(0.01)
    print(episode.done, left < lab_and_all, flush=True)
    episode.reset()
    print(episode.act(look("r0", "ip route"))[1], flush=True)
    episode.close()
"""


def test_an_interrupt_while_a_command_runs_ends_its_lab_and_the_process_can_go_on() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.returncode) == ("True True\n10.0\n", 0), done.stderr


@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["Repair", "Plan"])
def test_the_environments_of_gymnasium_pass_its_checker(name: str) -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; fix: make setup-gate")
    from gymnasium.utils.env_checker import check_env

    task = PLAN if name == "Plan" else "repair-routing:subnets=2,hosts=1"
    env = gymnasium.make(f"pytest_netbench.gymnasium:pytest_netbench/{name}-v0", task=task, render_mode="ansi")
    with env.unwrapped as bare:
        check_env(bare)


@pytest.mark.usefixtures("nothing_is_left")
def test_an_environment_of_gymnasium_says_how_an_episode_ended() -> None:
    gymnasium = pytest.importorskip("gymnasium", reason="gymnasium is not installed; fix: make setup-gate")
    import pytest_netbench.gymnasium as ours

    with gymnasium.make(ours.REPAIR, task="repair-routing:subnets=2,hosts=1,level=1", budget={"calls": 2}) as env:
        text, info = env.reset(seed=11)
        again, same = env.reset(seed=11)
        assert (text, info) == (again, same)
        *changes, end = solving(env.unwrapped.episode.task)
        for action in changes[:1]:
            env.step(json.dumps(action))
        text, reward, terminated, truncated, info = env.step(json.dumps(end))
        assert (terminated, truncated, info["status"]) == (True, False, "passed")
        assert info["scores"]["correctness"] == 1.0
        env.reset()
        env.step("x")
        env.step("x")
        _, reward, terminated, truncated, info = env.step("x")
        assert (reward, terminated, truncated, info["status"]) == (0, False, True, "failed")
        env.reset(options={"task": DOWN})
        with pytest.raises(UsageError, match="unknown option 'tsk'"):
            env.reset(options={"tsk": DOWN})
