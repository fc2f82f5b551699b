"""Examples from ground truth: of shipped tasks and of drawn ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_netbench.agents.answer import read_answer, read_with_answer, written_answer
from pytest_netbench.cli.main import main
from pytest_netbench.cli.validate import files
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.configure import configuration_of
from pytest_netbench.taskfile import load_task

ROOT = Path(__file__).parents[3]
SHIPPED = tuple(files([ROOT / "tasks"]))


@pytest.fixture
def exported(tmp_path, monkeypatch):
    """Exports and returns the messages of each example."""

    def run(*arguments: str) -> list[list[dict[str, str]]]:
        monkeypatch.chdir(ROOT)
        path = tmp_path / "out.jsonl"
        assert main(["export", "sft", *arguments, "-o", str(path)]) == 0
        return [json.loads(line)["messages"] for line in path.read_text(encoding="utf-8").splitlines()]

    return run


def test_every_shipped_task_is_an_example_with_its_own_solution_and_nothing_hidden(exported):
    examples = exported("tasks")
    assert len(examples) == len(SHIPPED)
    tasks = [load_task(path) for path in SHIPPED]
    for task, messages in zip(tasks, examples, strict=True):
        system, user, assistant = (message["content"] for message in messages)
        payload = configuration_of(task)
        reasoning, commands = read_answer(assistant, payload.topology.controls)
        assert reasoning == task.ground_truth_reasoning.strip()
        assert commands == {
            node: [line for one in lines for line in one.splitlines()]
            for node, lines in payload.ground_truth_configs.items()
            if lines
        }
        assert task.task_name in user
        asked = system + user
        for intent in payload.intents:
            for part in intent.sub_intents:
                assert part.text not in asked or part.text in intent.text, task.slug
        for other in tasks:
            if other.slug != task.slug and other.ground_truth_reasoning:
                assert other.ground_truth_reasoning.strip() not in asked + assistant, (task.slug, other.slug)
        assert task.ground_truth_reasoning.strip() not in asked


def test_drawn_questions_are_examples_with_the_golden_code(exported):
    tasks = [source.load() for source in read_series("plan:n=4,seed=3").sources()]
    for task, messages in zip(tasks, exported("--generate", "plan:n=4,seed=3"), strict=True):
        assert task.payload.question in messages[1]["content"]  # type: ignore[attr-defined]
        _, commands, answer = read_with_answer(messages[2]["content"], {})
        assert commands == {}
        assert "def process_graph" in answer["code"]
        assert answer["code"] not in messages[1]["content"]


def test_only_wanted_families_are_exported(exported):
    assert len(exported("tasks", "--generate", "plan:n=2", "--family", "plan")) == 2


@pytest.mark.parametrize("reasoning", ["", "Why.", 'Like this:\n\n```json\n{"R1": ["no"]}\n```\n\nor not.'])
@pytest.mark.parametrize("commands", [{}, {"R1": ["a", "b é"]}])
def test_a_written_answer_is_read_as_it_was_meant(reasoning, commands):
    assert read_answer(written_answer(reasoning, commands), ["R1"]) == (reasoning, commands)
    with_answer = written_answer(reasoning, commands, {"code": "x = '```'\n"})
    assert read_with_answer(with_answer, ["R1"])[1:] == (commands, {"code": "x = '```'\n"})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no run of pytest has left results in .netbench"),
        (["none.task.yaml"], "none.task.yaml: "),
        (["--generate", "plan:level=9"], "level=9: 9 is not within 1-3"),
        (["--results", "none"], "none: no such results directory"),
        (["--generate", "plan", "--family", "plann"], "unknown family 'plann'"),
    ],
)
def test_wrong_usage_is_one_line(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["export", "sft", *arguments, "-o", "out.jsonl"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("out.jsonl").exists()


def test_a_repair_needs_a_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["export", "sft", "--generate", "repair-routing:n=2", "-o", "out.jsonl"]) == 1
    assert "left out 2: the network of a task of family 'repair' is known only from a run" in capsys.readouterr().out
    assert not Path("out.jsonl").exists()
