"""Episodes on labs in memory: one after the other, budgets, bad inputs, and everything removed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench import Episode
from pytest_netbench.episodes import NetArenaReward, Turn
from pytest_netbench.errors import LabError, TaskFileError, UsageError
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.trial import AgentInfo
from pytest_netbench.trial import Settings
from tests.support.memory_backend import WatchedBackend
from tests.support.memory_trial import WORK, task_of
from tests.support.scripted import look, solving, submit, update

pytestmark = pytest.mark.usefixtures("memory_parts")


@pytest.fixture
def backend() -> WatchedBackend:
    return WatchedBackend()


@pytest.fixture
def episode(backend):
    with Episode(task_of(), settings=Settings(backend=backend, time_scale=100.0)) as made:
        yield made
    assert backend.left == 0


def test_the_reference_solution_ends_with_a_passed_verdict_and_its_reward(episode, backend):
    first = episode.reset()
    assert first.brief.task_name == "Reach the web server"
    *changes, end = solving(episode.task)
    for action in changes:
        _, reward, done, turn = episode.act(action)
        assert (reward, done, turn.wrong, turn.looked) == (0, False, None, False)
    observation, reward, done, turn = episode.act(end)
    assert (reward, done, turn.solved) == (100, True, True)
    assert turn.result is not None
    assert turn.result.status == "passed"
    assert observation.error is None
    assert (episode.done, backend.left) == (True, 0)
    record = episode.record
    assert record is not None
    assert [step.data["method"] for step in record.trace] == ["update-cfg"] * len(changes)
    assert {one.status for one in record.testcase_results} == {"pass"}
    assert (record.agent.id, record.outcome, record.submission.stop_reason) == ("episode", "done", "done")


def test_an_episode_that_submits_at_once_fails_without_a_reward(episode):
    episode.reset()
    _, reward, done, turn = episode.act(submit())
    assert (reward, done, turn.solved, turn.result.status) == (0, True, False, "failed")


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("show me the routes", "an action is a JSON object"),
        ({"method": "reboot"}, "unknown method 'reboot'"),
        (look("nowhere", "show routes"), "nowhere"),
        ({"method": "execute-cmd", "params": {"device": "edge"}}, "parameter 'command' is missing"),
        (update("edge", "rubbish"), "rubbish"),
    ],
)
def test_an_invalid_action_is_punished_counted_and_recorded_and_the_episode_goes_on(episode, action, why):
    before = episode.reset().budget_left["calls"]
    observation, reward, done, turn = episode.act(action)
    assert (reward, done) == (-100, False)
    assert why in turn.refused
    assert observation.error == turn.refused or "error" in str(observation.result)
    assert observation.budget_left["calls"] == before - 1
    episode.act(submit())
    assert len(episode.record.trace) == 1


def test_what_a_policy_sends_is_safe_to_print(episode):
    episode.reset()
    observation, reward, _, turn = episode.act({"method": "\x1b[31m" + "x" * 10_000})
    assert reward == -100
    assert len(turn.method) < 100
    assert "\x1b" not in f"{turn}{observation}"
    observation = episode.act(update("edge", "\x1b[2J"))[0]
    assert "\x1b" not in str(observation)


def test_a_diagnostic_is_rewarded(episode):
    episode.reset()
    observation, reward, _, turn = episode.act({"method": "get-running-cfg", "params": {"device": "edge"}})
    assert (reward, turn.looked) == (10, True)
    assert "deny tcp 80 any" in observation.result["running_config"]
    assert "deny tcp 80 any" in str(observation)
    assert episode.observe() == observation


def test_a_submission_that_cannot_be_read_ends_the_episode_as_a_failure(episode):
    episode.reset()
    *changes, _ = solving(episode.task)
    for action in changes:
        episode.act(action)
    observation, reward, done, turn = episode.act({"method": "submit", "params": {"code": 1}})
    assert (reward, done, turn.result.status) == (-100, True, "failed")
    assert "unknown parameter 'code'" in (observation.error or "")


def test_the_call_beyond_the_budget_ends_the_episode_with_a_verdict_on_what_was_left(backend):
    with Episode(task_of(), budget={"calls": 2}, settings=Settings(backend=backend)) as episode:
        episode.reset()
        episode.act(update("edge", *WORK))
        episode.act("nonsense")
        observation, reward, done, turn = episode.act({"method": "get-topology"})
        assert (done, turn.out_of_budget, turn.result.outcome, turn.result.status) == (True, True, "budget", "passed")
        assert reward == 100
        assert "calls" in observation.error
        assert backend.left == 0


def test_an_agents_terms_apply(backend):
    info = AgentInfo(id="mine", strategy="rl", overrides=AgentSettings.model_validate({"policy": {"devices": ["web"]}}))
    with Episode(task_of(), agent=info, settings=Settings(backend=backend)) as episode:
        episode.reset()
        assert "not permitted" in episode.act(update("edge", *WORK))[3].refused


def test_any_function_of_a_turn_can_be_the_reward(backend):
    seen: list[Turn] = []
    with Episode(task_of(), reward=lambda turn: seen.append(turn) or 0.5, settings=Settings(backend=backend)) as one:
        one.reset()
        assert one.act({"method": "get-topology"})[1] == 0.5
        assert [turn.number for turn in seen] == [1]


def test_a_reset_drops_the_episode_that_is_running(episode, backend):
    episode.reset()
    episode.act({"method": "get-topology"})
    episode.reset()
    assert (len(backend.labs), backend.left) == (2, 1)
    assert episode.act({"method": "get-topology"})[3].number == 1


def test_draws_follow_each_other_and_a_seed_begins_again(backend):
    with Episode("branches:seed=7", settings=Settings(backend=backend)) as episode:
        drawn = []
        for options in ({}, {}, {"seed": 7}, {"index": 1}, {"seed": 8, "index": 3}, {}):
            episode.reset(**options)
            drawn.append((episode.task.drawn.seed, episode.task.drawn.index))
        assert drawn == [(7, 0), (7, 1), (7, 0), (7, 1), (8, 3), (8, 4)]
        episode.reset(task=task_of())
        assert episode.task.slug == "reach"


def test_a_reset_that_fails_leaves_nothing_and_the_next_one_succeeds(backend):
    broken = task_of(requirements=["lab-breaks"])
    with Episode(broken, settings=Settings(backend=backend)) as episode:
        with pytest.raises(LabError):
            episode.reset()
        assert backend.left == 0
        episode.reset(task=task_of())
        assert not episode.done


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_exception_in_between_leaves_nothing(backend, error):
    def raises(turn: Turn) -> float:
        raise error

    episode = Episode(task_of(), reward=raises, settings=Settings(backend=backend))
    episode.reset()
    with pytest.raises(error):
        episode.act({"method": "get-topology"})
    assert (len(backend.labs), backend.left, episode.done) == (1, 0, True)


def test_steps_out_of_order_say_what_is_missing(episode):
    for use in (lambda: episode.act(submit()), episode.observe, lambda: episode.task):
        with pytest.raises(UsageError, match=r"call reset\(\)"):
            use()
    episode.reset()
    episode.act(submit())
    with pytest.raises(UsageError, match=r"no episode is running: call reset\(\) before act\(\)"):
        episode.act(submit())
    episode.close()
    episode.close()
    with pytest.raises(UsageError, match="closed"):
        episode.reset()


@pytest.mark.parametrize(
    ("arguments", "error", "why"),
    [
        ({"task": 3}, UsageError, "an episode needs a Task, the path of a task file or a generator"),
        ({"task": "no-such-generator"}, UsageError, "unknown generator 'no-such-generator'"),
        ({"task": "branches:hots=3"}, UsageError, "unknown parameter 'hots'"),
        ({"task": Path("nowhere.task.yaml")}, TaskFileError, "nowhere.task.yaml"),
        ({"reward": 3}, UsageError, "reward=3: must be a function of a Turn"),
        ({"budget": {"cals": 3}}, UsageError, r"budget: cals: .* \(known: calls, commands, wall, tokens, lab\)"),
        ({"budget": {"calls": -1}}, UsageError, "budget: calls: "),
    ],
)
def test_a_wrong_argument_is_a_clear_error(arguments, error, why):
    with pytest.raises(error, match=why):
        Episode(**{"task": task_of(), **arguments})


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"seed": -1}, r"reset\(seed=-1\): must be a whole number, 0 or above"),
        ({"seed": "7"}, r"reset\(seed='7'\)"),
        ({"index": True}, r"reset\(index=True\)"),
        ({"task": "unknown"}, "unknown generator"),
    ],
)
def test_a_wrong_argument_of_a_reset_is_a_clear_error(options, why):
    with Episode("branches") as episode, pytest.raises(UsageError, match=why):
        episode.reset(**options)


def test_a_single_task_has_no_index(episode):
    with pytest.raises(UsageError, match="task reach is not drawn, so it has no index"):
        episode.reset(index=1)


def test_the_package_is_light_until_an_episode_is_asked_for_and_never_imports_pytest():
    code = (
        "import sys, pytest_netbench\n"
        "assert not {'pydantic', 'yaml'} & set(sys.modules)\n"
        "pytest_netbench.Episode\n"
        "assert 'pydantic' in sys.modules and not {'pytest', '_pytest', 'litellm'} & set(sys.modules)\n"
        "try:\n    pytest_netbench.Episodes\n"
        "except AttributeError as error:\n    assert 'Episodes' in str(error)\n"
        "else:\n    raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_reward_is_the_papers_by_default():
    assert NetArenaReward() == NetArenaReward(invalid=-100, broke=-100, diagnostic=10, mended=10, solved=100)
