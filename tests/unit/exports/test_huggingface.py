"""The dataset for the Hugging Face Hub."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from pytest_netbench.cli.main import main
from pytest_netbench.taskfile import load_task
from tests.support.task_list import TASKS

STATIC = str(TASKS / "routing/static-routing.task.json")
DRAWN = "--generate=repair-routing:n=1,seed=7"


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def exported(folder: Path, *argv: str) -> dict[str, str]:
    assert main(["export", "huggingface", *argv, "-o", str(folder)]) == 0
    return files(folder)


def test_equal_tasks_give_equal_bytes(tmp_path: Path) -> None:
    first, second = (exported(tmp_path / one, STATIC, DRAWN, "--name=Networks") for one in ("a", "b"))
    assert first == second


def test_files_load_as_the_tasks_and_have_their_records_beside_them(tmp_path: Path) -> None:
    written = exported(tmp_path / "set", STATIC)
    assert (
        load_task(tmp_path / "set/tasks/static-routing.task.yaml").truth_digest == load_task(Path(STATIC)).truth_digest
    )
    assert any(name.startswith("tasks/.truth/static-routing-") for name in written)


def test_rows_have_question_and_answer_where_a_task_can_be_asked_in_words(tmp_path: Path) -> None:
    written = exported(tmp_path / "set", STATIC, DRAWN)
    (asked,) = (json.loads(line) for line in written["data/configure.jsonl"].splitlines())
    assert "ip route 2.2.2.0 255.255.255.252 192.168.1.2" in asked["target"]
    assert "ip route 2.2.2.0 255.255.255.252 192.168.1.2" not in asked["input"]
    (silent,) = (json.loads(line) for line in written["data/repair.jsonl"].splitlines())
    assert (silent["input"], silent["target"]) == ("", "")
    assert [one["id"] for one in yaml.safe_load(written["eval.yaml"])["tasks"]] == ["configure"]


def test_the_card_names_each_configuration_with_its_file(tmp_path: Path) -> None:
    written = exported(tmp_path / "set", STATIC, DRAWN, "--name=Networks")
    _, head, text = written["README.md"].split("---\n", 2)
    card = yaml.safe_load(head)
    assert card["pretty_name"] == "Networks"
    places = {one["config_name"]: one["data_files"][0]["path"] for one in card["configs"]}
    assert places == {"configure": "data/configure.jsonl", "repair": "data/repair.jsonl"}
    assert set(places.values()) <= written.keys()
    assert "| `repair` | 1 | no |" in text


def test_without_a_task_that_can_be_asked_there_is_no_eval_yaml(tmp_path: Path, capsys) -> None:
    written = exported(tmp_path / "set", DRAWN)
    assert "eval.yaml" not in written
    assert "left out eval.yaml: no task of these families can be asked without a network" in capsys.readouterr().out


def test_a_task_that_is_named_twice_is_refused(tmp_path: Path, capsys) -> None:
    assert main(["export", "huggingface", STATIC, STATIC, "-o", str(tmp_path / "set")]) == 2
    assert "several tasks are called static-routing" in capsys.readouterr().err


def test_what_is_of_trials_is_refused(tmp_path: Path, capsys) -> None:
    argv = ["export", "huggingface", STATIC, "--agent=mine", "-o", str(tmp_path / "set")]
    assert main(argv) == 2
    assert "huggingface is of tasks" in capsys.readouterr().err


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path, capsys) -> None:
    (tmp_path / "mine").write_text("mine")
    assert main(["export", "huggingface", STATIC, "-o", str(tmp_path)]) == 2
    assert files(tmp_path) == {"mine": "mine"}
