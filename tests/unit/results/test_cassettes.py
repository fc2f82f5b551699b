"""The directory of cassettes: whole files that people can read, and clear errors for all others."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.agents.cassettes.question import Question
from pytest_netbench.agents.cassettes.secrets import Redaction
from pytest_netbench.agents.cassettes.tapes import Recording
from pytest_netbench.agents.completion import Completion
from pytest_netbench.errors import CassetteError
from pytest_netbench.results.cassettes import CassetteDir

TRIAL = {"agent": "mine", "task": "tasks/qos/x.task.yaml::x", "trial": 2}


def recorded(text: str = "an answer"):
    recording = Recording(redaction=Redaction({}))
    messages = [{"role": "user", "content": "which\ud800?"}]
    question = Question.of(model="m", messages=messages, parameters={}, redaction=recording.redaction)
    recording.keep(question, answer=Completion(text=text, prompt_tokens=3))
    return recording.cassette(**TRIAL, task_digest="d", out_of_time=False)


def test_a_cassette_is_found_again_and_readable(tmp_path):
    folder = CassetteDir(tmp_path / "tapes")
    path = folder.save(recorded())
    assert path.relative_to(tmp_path).as_posix().startswith("tapes/mine/x-")
    assert path.name.endswith(".2.json")
    assert folder.load(**TRIAL) == recorded().model_copy(update={"recorded_at": folder.load(**TRIAL).recorded_at})
    plain = json.loads(path.read_text())
    assert list(plain)[:3] == ["format", "netbench", "recorded_at"]
    assert plain["format"] == 1
    folder.check()


def test_a_cassette_replaces_the_one_before_and_leaves_no_other_file(tmp_path):
    folder = CassetteDir(tmp_path)
    folder.save(recorded())
    folder.save(recorded("another"))
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]
    assert folder.load(**TRIAL).entries[0].answer.text == "another"


def test_trials_agents_and_tasks_have_files_of_their_own(tmp_path):
    folder = CassetteDir(tmp_path)
    others = [{"agent": "other"}, {"task": "tasks/routing/x.task.yaml::x"}, {"trial": 3}]
    assert len({folder.file(**TRIAL), *(folder.file(**{**TRIAL, **one}) for one in others)}) == 4
    assert folder.file(agent="../..", task="a/../../b", trial=1).relative_to(tmp_path).parts[0] not in {"..", "."}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no cassette of trial 2 of agent 'mine' at tasks/qos/x.task.yaml::x; record it with --netbench-record="),
        ("", "not a cassette: Invalid JSON"),
        ('{"format": 1, "netb', "not a cassette: Invalid JSON"),
        ('{"format": 2}', "not a cassette: format: Input should be 1"),
        ("[]", "not a cassette: "),
    ],
)
def test_what_is_no_cassette_is_refused_with_its_path(tmp_path, text, words):
    folder = CassetteDir(tmp_path)
    path = folder.file(**TRIAL)
    if text is not None:
        path.parent.mkdir()
        path.write_text(text)
    with pytest.raises(CassetteError) as caught:
        folder.load(**TRIAL)
    assert str(caught.value).startswith(f"{path}: {words}")


def test_a_cassette_of_another_trial_is_not_used(tmp_path):
    folder = CassetteDir(tmp_path)
    path = folder.save(recorded())
    path.rename(folder.file(**{**TRIAL, "trial": 1}))
    with pytest.raises(CassetteError, match="is of trial 2 of agent 'mine'"):
        folder.load(**{**TRIAL, "trial": 1})


@pytest.mark.parametrize("make", [False, True])
def test_a_directory_without_cassettes_is_refused(tmp_path, make):
    folder = CassetteDir(tmp_path / "tapes")
    if make:
        folder.path.mkdir()
    with pytest.raises(CassetteError, match="has no cassettes" if make else "no such directory of cassettes"):
        folder.check()
