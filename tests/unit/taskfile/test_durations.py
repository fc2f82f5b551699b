"""Durations are written in one way in all files and options; former words are accepted with a warning."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import pytest

from pytest_netbench.agents.agentfile import load_agent_file
from pytest_netbench.cli.main import main
from pytest_netbench.documents.durations import seconds, warn_once
from pytest_netbench.episodes.episode import checked_budget
from pytest_netbench.errors import AgentFileError, PolicyFileError, UsageError
from pytest_netbench.plugin.options import budget, duration
from pytest_netbench.regression_gate.policy import load_policy
from pytest_netbench.taskfile import units

NEW = """model: openai/x
budget: {wall: 1h30m}
settings: {timeout: 90s}
retries: {first_wait: 500ms, longest_wait: 2m}
policy: {approval_timeout: 30}
"""
FORMER = """model: openai/x
budget: {wall_s: 5400}
settings: {timeout_s: 90}
retries: {first_wait_s: 0.5, longest_wait_s: 120}
policy: {approval_timeout_s: 30}
"""


@pytest.fixture(autouse=True)
def _as_in_a_new_process(monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    warn_once.cache_clear()


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "a.agent.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90s", 90),
        ("10m", 600),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1m500ms", 60.5),
        ("2H", 7200),
        ("5", 5),
        (2.5, 2.5),
    ],
)
def test_a_duration_has_units_or_is_a_number_of_seconds_everywhere(text, expected):
    assert seconds(text) == expected
    assert units.seconds(text) == expected
    if isinstance(text, str):
        assert duration(text) == expected
        assert budget(f"wall={text}") == {"wall_s": expected}


@pytest.mark.parametrize(
    "text", ["", "m", "1x", "-5", "1s1m", "1m1m", "1h30", "inf", True, None, -1, float("inf"), [5]]
)
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="is not a duration such as 90s, 10m, 1h30m or 500ms"):
        seconds(text)


def test_an_agent_file_takes_durations_and_results_keep_their_fields(write):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        file = load_agent_file(write(NEW))
    assert file.budget.wall_s == 5400
    assert file.settings.timeout_s == 90
    assert (file.retries.first_wait_s, file.retries.longest_wait_s) == (0.5, 120)
    assert file.policy.approval_timeout_s == 30
    assert file.info().settings["budget"] == {"wall_s": 5400}
    assert load_agent_file(write("model: x\nbudget: {wall: null}\n")).info().settings["budget"] == {"wall_s": None}


def test_each_former_word_of_an_agent_file_is_accepted_and_named_once(write):
    with pytest.warns(FutureWarning) as caught:
        former = load_agent_file(write(FORMER))
    assert former == load_agent_file(write(NEW))
    said = [str(one.message).partition("a.agent.yaml:")[2] for one in caught]
    assert sorted(one.partition(" now")[0] for one in said) == [
        "2: 'wall_s' is called 'wall'",
        "3: 'timeout_s' is called 'timeout'",
        "4: 'first_wait_s' is called 'first_wait'",
        "4: 'longest_wait_s' is called 'longest_wait'",
        "5: 'approval_timeout_s' is called 'approval_timeout'",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: x\nbudget:\n  wall: soon\n", ":3: budget.wall: 'soon' is not a duration such as"),
        ("model: x\nbudget:\n  wall: 0\n", ":3: budget.wall: input should be greater than 0"),
        ("model: x\nbudget: {wall: 5m, wall_s: 300}\n", ":2: 'wall' and 'wall_s' are the same: leave 'wall_s' out"),
        (
            "model: x\nbudget: {wal: 5m}\n",
            "unknown key 'budget.wal' (known: calls, commands, lab, tokens, wall). Did you",
        ),
        ("model: x\nretries: {first_wiat: 5}\n", "(known: attempts, first_wait, longest_wait). Did you mean 'first_wa"),
    ],
)
def test_an_error_names_the_present_word_and_the_line(write, text, said):
    with pytest.raises(AgentFileError) as caught:
        load_agent_file(write(text))
    assert said in str(caught.value)


def test_a_policy_has_the_most_time_of_a_trial(write):
    assert load_policy(write("rules: [{agent: a}, {most_time: 2m}]\n", "p.yaml")).rules[1].most_seconds == 120
    with pytest.warns(FutureWarning, match=r"p\.yaml:2: 'most_seconds' is called 'most_time' now"):
        assert load_policy(write("rules:\n  - most_seconds: 120\n", "p.yaml")).rules[0].most_seconds == 120
    with pytest.raises(PolicyFileError, match=r"p\.yaml:1: rules\.\*\.most_time: 'x' is not a duration"):
        load_policy(write("rules: [{most_time: x}]\n", "p.yaml"))


def test_the_budget_of_the_option_and_of_episodes_take_both_words(monkeypatch):
    with pytest.warns(FutureWarning, match="--netbench-budget: 'wall_s' is called 'wall' now"):
        assert budget("calls=3,wall_s=5") == {"calls": 3, "wall_s": 5}
    with pytest.warns(FutureWarning, match="budget: 'wall_s' is called 'wall' now"):
        assert checked_budget({"wall_s": 5}) == {"wall_s": 5}
    assert checked_budget({"wall": "1m", "calls": None}) == {"wall_s": 60, "calls": None}
    with pytest.raises(UsageError, match="budget: wall: 'x' is not a duration"):
        checked_budget({"wall": "x"})
    with pytest.raises(
        argparse.ArgumentTypeError, match="wall=soon: must be a duration such as 90s, 10m or 1h30m above"
    ):
        budget("wall=soon")
    assert budget("wall=none") == {"wall_s": None}
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert budget("wall_s=5") == {"wall_s": 5}


def test_a_command_prints_a_warning_as_one_line(write, capsys, tmp_path):
    policy = write("rules: [{most_seconds: 5}]\n", "p.yaml")
    main(["gate", "none.json", str(tmp_path), "--policy", str(policy)])
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "most_seconds" in line)
    assert line.startswith(f"netbench: warning: {policy}:1: 'most_seconds' is called 'most_time' now, and takes a ")
