"""The reader of recorded solutions: what it accepts, and the line and words of each error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.errors import SolutionsFileError
from pytest_netbench.taskfile.solutions import load_solutions, solutions_path
from tests.support.memory_trial import task_of

pytestmark = pytest.mark.usefixtures("memory_parts")


def entry(name: str, **changes: Any) -> dict[str, Any]:
    return {"name": name, "reason": "because", "configs": {"edge": ["policy x"]}, **changes}


def whole(**changes: Any) -> dict[str, Any]:
    right = [entry("r1"), entry("r2")]
    return {"right": right, "wrong": [entry(f"w{n}") for n in range(5)], **changes}


@pytest.fixture
def load(tmp_path):
    def run(content: dict[str, Any] | str, **more: Any):
        path = tmp_path / "reach.yaml"
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False))
        return load_solutions(path, task_of(), **more)

    return run


def error_of(load, content, **more: Any) -> tuple[int | None, str]:
    with pytest.raises(SolutionsFileError) as caught:
        load(content, **more)
    return caught.value.line, caught.value.message


def test_a_whole_file_is_read(load):
    explained = {"node": "edge", "line": "route 10.9.0.0/16 via 10.0.2.10", "mutant": "route x", "reason": "why not"}
    solutions = load(whole(mutants=[explained]))
    assert [one.name for one in solutions.right] == ["r1", "r2"]
    assert [one.name for one in solutions.wrong] == ["w0", "w1", "w2", "w3", "w4"]
    assert solutions.right[0].configs == {"edge": ("policy x",)}
    assert solutions.mutants[0].reason == "why not"


def test_the_file_is_found_by_the_slug_beside_the_task():
    path = solutions_path(Path("tasks/qos/Voice.task.yaml"), "voice")
    assert path == Path("tasks/qos/.solutions/voice.yaml")


NODE = "unknown node 'edgy' (known: 'branch', 'edge', 'web'). Did you mean 'edge'?"
FIELD = (
    "unknown field 'nmae' (known: 'name', 'reason', 'configs', 'reasoning', 'tampers', 'provenance', 'kinds')."
    " Did you mean 'name'?"
)


@pytest.mark.parametrize(
    ("changes", "line", "message"),
    [
        ({"configs": {"edgy": ["policy x"]}}, 5, f"solution 'r1': {NODE}"),
        ({"configs": {"edge": []}}, 4, "solution 'r1' configures nothing"),
        ({"reason": " "}, 3, "right solution 'r1': 'reason' is empty"),
        ({"tampers": True}, 4, "solution 'r1': a right solution does not tamper; remove 'tampers'"),
        ({"nmae": "x"}, 7, FIELD),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_solution_is_said_with_its_line(load, changes, line, message):
    assert error_of(load, whole(right=[entry("r1", **changes), entry("r2")])) == (line, message)


def test_a_solution_without_a_name_or_a_reason_is_an_error(load):
    nameless = {"reason": "because", "configs": {"edge": ["x"]}}
    unreasoned = {"name": "r2", "configs": {"edge": ["x"]}}
    line, message = error_of(load, whole(right=[nameless, unreasoned]))
    assert line == 2
    assert message == "right solution 1 lacks 'name'\n  line 6, column 3: right solution 'r2' lacks 'reason'"


def test_a_name_is_given_once_in_the_file(load):
    line, message = error_of(load, whole(right=[entry("w3"), entry("r2")]))
    assert message == "the name 'w3' is given twice"
    assert line is not None
    assert line > 10


def test_two_right_and_five_wrong_solutions_are_needed(load):
    line, message = error_of(load, {"right": [entry("r")], "wrong": [entry("w")]})
    assert line == 1
    assert message == (
        "1 right solutions; a task needs 2 that differ in mechanism or structure\n"
        "  line 7, column 1: 1 wrong solutions; a task needs 5"
    )


def test_one_that_tampers_must_configure_a_node_that_is_not_managed(load):
    wrong = [*(entry(f"w{n}") for n in range(4)), entry("w4", tampers=True)]
    _, message = error_of(load, whole(wrong=wrong))
    assert message == "solution 'w4': 'tampers: true', but it configures only managed nodes"


def test_an_explained_mutant_names_a_line_of_the_truth(load):
    mutants = [{"node": "edge", "line": "route 10.8.0.0/16 via 10.0.2.10", "mutant": "x", "reason": "why not"}]
    _, message = error_of(load, whole(mutants=mutants))
    assert message.startswith("unknown ground-truth line of 'edge' 'route 10.8.0.0/16 via 10.0.2.10' (known: ")


def test_a_judge_may_object_to_a_right_solution(load):
    line, message = error_of(load, whole(), judge=lambda one: "it is a renaming" if one.name == "r2" else None)
    assert (line, message) == (7, "solution 'r2': it is a renaming")


@pytest.mark.parametrize("text", ["", "- a list", "right: 5", "right: [5]", "wrong: {a: b}"])
def test_what_is_no_file_of_solutions_is_an_error_and_not_a_crash(load, text):
    line, message = error_of(load, text)
    assert message
    assert line is None or line >= 1
