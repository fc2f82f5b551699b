"""What a program hands in: the words of ``task-done``, the present ones and those of earlier versions."""

from __future__ import annotations

import pytest

from pytest_netbench.ani.submission import TASK_DONE, SubmissionMethods
from pytest_netbench.errors import AniError
from tests.support.memory_ani import MemoryAni, brief_of


@pytest.fixture
def desk() -> SubmissionMethods:
    return SubmissionMethods(brief_of(MemoryAni({"R1": []})), text="make R1 reach R2")


def test_the_explanation_is_called_reasoning(desk):
    assert desk.task_done({"reasoning": "a route"}) == {"ok": True}
    assert desk.submission is not None
    assert desk.submission.reasoning == "a route"
    assert set(TASK_DONE.parameters["properties"]) == {"reasoning", "answer"}


def test_the_former_word_is_accepted_with_a_note(desk):
    assert desk.task_done({"summary": "a route"}) == {
        "ok": True,
        "note": "'summary' was taken as 'reasoning', as it is called now",
    }
    assert desk.submission is not None
    assert desk.submission.reasoning == "a route"


def test_of_both_words_the_present_one_counts(desk):
    assert desk.task_done({"summary": "old", "reasoning": "new"})["ok"]
    assert desk.submission is not None
    assert desk.submission.reasoning == "new"


@pytest.mark.parametrize("params", [{"summary": 5}, {"summery": "x"}, ["a route"]])
def test_what_is_no_explanation_is_refused(desk, params):
    with pytest.raises(AniError, match="task-done: "):
        desk.task_done(params)
    assert desk.submission is None
