"""Agent files: what may be in them, and what is said of what may not."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.agents.agentfile import AgentFile, load_agent_file
from pytest_netbench.agents.react import React
from pytest_netbench.errors import AgentFileError
from pytest_netbench.model.trial import AgentInfo

FULL = """\
name: full
model: openai/gpt-4o
strategy: react
settings:
  temperature: 0
  max_tokens: 2000
  api_base: http://127.0.0.1:8000/v1
  timeout: 30s
  seed: 7
  extra: {reasoning_effort: high}
retries: {attempts: 3, first_wait: 500ms, longest_wait: 20}
price: {input_per_token: 2.5e-6, output_per_token: 1.0e-5}
parallel_tool_calls: false
prompt: my-prompt.md
budget: {calls: 20, tokens: null}
policy: {methods: [get-topology, update-cfg]}
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "mine.agent.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_everything_an_agent_file_may_say_is_read(write, tmp_path):
    (tmp_path / "my-prompt.md").write_text("You are terse.")
    file = load_agent_file(write(FULL))
    assert (file.settings.seed, file.retries.attempts, file.price.output_per_token) == (7, 3, 1e-5)
    assert file.settings.request() == {
        "temperature": 0,
        "max_tokens": 2000,
        "api_base": "http://127.0.0.1:8000/v1",
        "seed": 7,
        "reasoning_effort": "high",
    }


def test_what_can_change_a_result_is_in_the_agents_info(write, tmp_path):
    (tmp_path / "my-prompt.md").write_text("You are terse.")
    info = React(file=load_agent_file(write(FULL))).info
    assert (info.id, info.model, info.strategy) == ("full", "openai/gpt-4o", "react")
    assert info.settings["budget"] == {"calls": 20, "tokens": None}
    assert info.settings["policy"] == {"methods": ["get-topology", "update-cfg"]}
    assert info.settings["parallel_tool_calls"] is False
    assert info.settings["prompts"]["react"] == hashlib.sha256(b"You are terse.").hexdigest()[:12]
    assert set(info.settings["prompts"]) == {
        *("react", "react-question", "task", "question", "nudge", "condense", "answer")
    }


def test_another_prompt_has_another_digest(write, tmp_path):
    own = tmp_path / "p.md"
    own.write_text("You are terse.")
    packaged = React(file=load_agent_file(write("model: openai/x\n"))).info.settings["prompts"]
    changed = React(file=load_agent_file(write("model: openai/x\nprompt: p.md\n"))).info.settings["prompts"]
    assert packaged["react"] != changed["react"]
    assert packaged["task"] == changed["task"]


def test_a_file_without_a_name_is_named_after_itself(write):
    assert load_agent_file(write("model: openai/x\n", "quick.agent.yml")).name == "quick"


def test_a_minimal_file_means_react_and_sends_no_settings(write):
    file = load_agent_file(write("model: openai/x\n"))
    assert (file.strategy, file.settings.request(), file.info().settings) == ("react", {}, {})


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            "modle: openai/x\n",
            1,
            r"unknown key 'modle' \(known: a2a, access, budget, environment, .*\)\. Did you mean 'model'\?",
        ),
        (
            "model: openai/x\nsettings:\n  temperatur: 0\n",
            3,
            r"unknown key 'settings\.temperatur' \(known: api_base, extra, .*Did you mean 'temperature'\?",
        ),
        ("model: openai/x\nprice:\n  input: 1\n", 3, r"unknown key 'price\.input'.*"),
        ("model: openai/x\nprice:\n  input_per_token: 1\n", 2, r"'price\.output_per_token' is missing"),
        ("model: openai/x\nbudget: {calls: -3}\n", 2, r"budget\.calls: input should be greater than 0, not -3"),
        (
            "model: openai/x\n\nsettings: {temperature: hot}\n",
            3,
            r"settings\.temperature: input should be a valid number.*'hot'",
        ),
        ("model: openai/x\nretries: 5\n", 2, "retries: input should be a valid dictionary"),
        ("name: a b\nmodel: openai/x\n", 1, "name: string should match pattern"),
        ("model: openai/x\nmodel: openai/y\n", 2, r"key 'model' is given twice \(first in line 1\)"),
        ("model: [openai/x\n", 1, "invalid YAML"),
        ("model: openai/x\noptions: &a\n  deep: *a\n", 3, "aliases are not supported"),
        ("model: openai/x\n1: 2\n", 2, r"unknown key '1' \(known: "),
        ("- react\n", 1, r"expected a mapping of fields \(model: openai/gpt-4o\) at the top"),
    ],
)
def test_a_file_that_is_wrong_says_where_and_what_was_meant(write, text, line, words):
    path = write(text)
    with pytest.raises(AgentFileError, match=words) as caught:
        load_agent_file(path)
    assert str(caught.value).startswith(f"{path}:{line}:")


def test_an_agent_file_is_read_as_task_files_are(write):
    with pytest.raises(AgentFileError, match="the file is empty"):
        load_agent_file(write(""))
    with pytest.raises(AgentFileError, match=r":2:1: a second document starts here"):
        load_agent_file(write("model: a/b\n---\nmodel: c/d\n"))
    assert load_agent_file(write("model: a/b\noptions: {mode: no, at: 12:30}\n")).options == {
        "mode": "no",
        "at": "12:30",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("model: openai/x\napi_key: abc\n", 2),
        ("model: openai/x\nsettings:\n  extra:\n    api_key: abc\n", 4),
        ("model: openai/x\nsettings: {extra: {extra_headers: {Authorization: abc}}}\n", 2),
        ("model: openai/x\noptions: {auth_token: abc}\n", 2),
        ("model: openai/x\noptions:\n  whatever: sk-proj-abcdefghijklmnopqrstuvwx\n", 3),
        ("model: openai/x\nsettings:\n  api_base: https://me:secret@example.org/v1\n", 3),
        ("model: openai/x\noptions:\n  nested:\n  - password: abc\n", 4),
    ],
)
def test_a_key_in_a_file_is_refused_and_not_repeated(write, text, line):
    path = write(text)
    with pytest.raises(AgentFileError, match=r"looks like a key.*read from the environment") as caught:
        load_agent_file(path)
    assert caught.value.line == line
    assert "abc" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_words_that_only_contain_key_or_token_are_no_keys(write):
    text = (
        "model: openai/x\nsettings: {max_tokens: 5, extra: {top_logprobs: 1}}\noptions: {keyboard: qwerty, tokens: 4}\n"
    )
    assert load_agent_file(write(text)).settings.max_tokens == 5


def test_a_prompt_that_is_not_there_is_told_with_its_path(write, tmp_path):
    file = load_agent_file(write("model: openai/x\nprompt: none.md\n"))
    with pytest.raises(AgentFileError, match="the prompt cannot be read") as caught:
        React(file=file)
    assert caught.value.path == tmp_path / "none.md"


def test_an_empty_prompt_is_refused(write, tmp_path):
    (tmp_path / "p.md").write_text(" \n")
    with pytest.raises(AgentFileError, match="the prompt is empty"):
        React(file=load_agent_file(write("model: openai/x\nprompt: p.md\n")))


def test_a_file_that_is_no_text_is_told(write, tmp_path):
    path = tmp_path / "x.agent.yaml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(AgentFileError, match="not UTF-8 text"):
        load_agent_file(path)


@given(text=st.text(max_size=200))
def test_no_text_whatever_raises_anything_but_an_agent_file_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.agent.yaml"
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(AgentFileError):
        assert isinstance(load_agent_file(path), AgentFile)


def test_extras_and_access_are_told_to_whoever_opens_the_ani(write):
    path = write("model: openai/x\nextras: [search-manual]\naccess: ssh\n")
    info = load_agent_file(path).info()
    assert (info.settings["extras"], info.settings["access"]) == (["search-manual"], "ssh")
    assert info.overrides.offers() == ("search-manual", "ssh")


def test_sub_intents_are_offered_to_an_agent_that_asks_for_them_and_results_say_so(write):
    info = load_agent_file(write("model: openai/x\nsub_intents: true\n")).info()
    assert info.settings["sub_intents"] is True
    assert info.overrides.offers() == ("sub-intents",)


def test_who_asks_for_nothing_has_nothing_extra(write):
    info = load_agent_file(write("model: openai/x\naccess: ani\nsub_intents: false\n")).info()
    assert "sub_intents" not in info.settings
    assert "extras" not in info.settings
    assert "access" not in info.settings
    assert info.overrides.offers() == ()


def test_results_carry_the_overrides_once_in_their_settings(write):
    info = load_agent_file(write("model: openai/x\nbudget: {calls: 5, wall: null}\npolicy: {devices: [R1]}\n")).info()
    plain = info.model_dump(mode="json")
    assert set(plain) == {"id", "model", "strategy", "settings"}
    assert plain["settings"] == {"budget": {"calls": 5, "wall_s": None}, "policy": {"devices": ["R1"]}}
    assert AgentInfo.model_validate(plain).settings == info.settings
