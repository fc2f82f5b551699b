from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.errors import UsageError
from pytest_netbench.taskfile import corpus

ROOT = Path(corpus.pytest_netbench.__file__).parent.parent


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package with a small corpus."""
    package = tmp_path / "site-packages" / "pytest_netbench"
    files = {
        "tasks/qos/voice.task.yaml": "task_name: x\n",
        "tasks/qos/video.task.json": "{}\n",
        "tasks/qos/.solutions/notes.yaml": "a: 1\n",
        "tasks/qos/.truth/voice.json": "{}\n",
        "agents/react.agent.yaml": "model: m\n",
        "container/Dockerfile": "FROM x\n",
        "agents/__pycache__/x.pyc": "",
    }
    for name, text in files.items():
        path = package / "corpus" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = package / "corpus" / "agents" / "run.py"
    program.write_text("#!/usr/bin/env python3\n")
    program.chmod(0o555)
    monkeypatch.setattr(corpus.pytest_netbench, "__file__", str(package / "__init__.py"))
    return package


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_init_writes_the_corpus_with_recorded_truths_and_says_what_to_run(package, tmp_path, capsys):
    target = tmp_path / "my bench"
    assert main(["init", str(target)]) == 0
    assert written(target) == [
        "agents/react.agent.yaml",
        "agents/run.py",
        "conftest.py",
        "container/Dockerfile",
        "tasks/qos/.solutions/notes.yaml",
        "tasks/qos/.truth/voice.json",
        "tasks/qos/video.task.json",
        "tasks/qos/voice.task.yaml",
    ]
    assert os.access(target / "agents" / "run.py", os.X_OK | os.W_OK)
    assert capsys.readouterr().out == (
        f"wrote 2 tasks to {target}. Next:\n  cd '{target}' && pytest tasks/ --agent=oracle -n auto\n"
    )


def test_init_takes_an_empty_folder(package, tmp_path):
    (tmp_path / "empty").mkdir()
    assert main(["init", str(tmp_path / "empty")]) == 0


def test_init_refuses_a_folder_with_something_in_it(package, tmp_path, capsys):
    target = tmp_path / "full"
    target.mkdir()
    (target / "mine.txt").write_text("x")
    assert main(["init", str(target)]) == 2
    assert capsys.readouterr().err == (
        f"netbench: {target} is not empty; name another folder, or add --force to write into it\n"
    )
    assert written(target) == ["mine.txt"]


def test_init_refuses_a_file(package, tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    assert main(["init", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err == f"netbench: {tmp_path}/file is a file; name a folder\n"


def test_force_names_every_file_that_it_overwrites_and_keeps_the_rest(package, tmp_path, capsys):
    target = tmp_path / "bench"
    assert main(["init", str(target)]) == 0
    (target / "conftest.py").write_text("mine = 1\n")
    (target / "mine.txt").write_text("x")
    (target / "tasks" / "qos" / "voice.task.yaml").write_text("changed\n")
    capsys.readouterr()
    assert main(["init", str(target), "--force"]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if "overwrote" in line] == [
        f"overwrote {target}/tasks/qos/voice.task.yaml"
    ]
    assert (target / "conftest.py").read_text() == "mine = 1\n"
    assert (target / "tasks" / "qos" / "voice.task.yaml").read_text() == "task_name: x\n"


def test_force_does_not_write_through_a_link(package, tmp_path):
    outside = tmp_path / "outside.yaml"
    outside.write_text("precious\n")
    place = tmp_path / "bench" / "tasks" / "qos" / "voice.task.yaml"
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)
    assert main(["init", str(tmp_path / "bench"), "--force"]) == 0
    assert outside.read_text() == "precious\n"
    assert place.read_text() == "task_name: x\n"


def test_an_installation_without_tasks_says_how_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus.pytest_netbench, "__file__", str(tmp_path / "pytest_netbench" / "__init__.py"))
    for folder in corpus.FOLDERS:
        (tmp_path / folder).mkdir()
    with pytest.raises(UsageError, match=r"the tasks are not in this installation .*; install the wheel: pip install"):
        corpus.corpus()


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="needs a checkout")
def test_a_checkout_is_its_own_corpus():
    assert corpus.corpus() == ROOT


def test_a_folder_that_cannot_be_made_is_one_line_and_status_3(package, tmp_path, capsys):
    (tmp_path / "file").write_text("x")
    assert main(["init", str(tmp_path / "file" / "bench")]) == 3
    assert capsys.readouterr().err == f"netbench: cannot use {tmp_path}/file/bench: Not a directory\n"


# ---- recipes ----

PLACES = {"github": ".github/workflows/agents.yml", "gitlab": ".gitlab-ci.yml"}


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_recipe_is_written_beside_the_tasks_of_a_new_folder(package, tmp_path, capsys, service):
    target = tmp_path / "bench"
    assert main(["init", str(target), "--ci", service]) == 0
    assert (target / PLACES[service]).read_text() == (ROOT / f"pytest_netbench/cli/recipes/{service}.yaml").read_text()
    assert (target / "tasks/qos/voice.task.yaml").exists()
    assert f"wrote {target}/{PLACES[service]}. Name your agent in it: the line that begins with AGENT\n" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_of_a_folder_that_is_in_use_the_recipe_is_all_that_is_written(package, tmp_path, monkeypatch, capsys, service):
    (tmp_path / "bench/tasks").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "bench")
    assert main(["init", "--ci", service]) == 0
    assert written(Path()) == [PLACES[service]]
    assert main(["init", "--ci", service]) == 0, "the same text again"
    assert "no folder tasks/" not in capsys.readouterr().out


def test_a_new_repository_counts_as_empty(package, tmp_path):
    (tmp_path / "bench/.git").mkdir(parents=True)
    assert main(["init", str(tmp_path / "bench"), "--ci", "github"]) == 0
    assert (tmp_path / "bench/tasks/qos/voice.task.yaml").exists()


def test_a_recipe_without_tasks_says_what_it_lacks(package, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("x")
    assert main(["init", str(tmp_path), "--ci", "gitlab"]) == 0
    assert f"{tmp_path} has no folder tasks/, which the recipe runs" in capsys.readouterr().out


def test_another_recipe_is_not_overwritten_unless_forced_and_nothing_else_is_written(package, tmp_path, capsys):
    place = tmp_path / ".gitlab-ci.yml"
    place.write_text("mine: {}\n")
    assert main(["init", str(tmp_path), "--ci", "gitlab"]) == 2
    assert capsys.readouterr().err == (
        f"netbench: {place} exists and is another one; move it away, or add --force to overwrite it\n"
    )
    assert place.read_text() == "mine: {}\n"
    assert main(["init", str(tmp_path), "--ci", "gitlab", "--force"]) == 0
    assert f"overwrote {place}\n" in capsys.readouterr().out


def test_a_folder_must_be_named_unless_a_recipe_is_asked_for(package, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 2
    assert capsys.readouterr().err == "netbench: name the folder to write: netbench init DIR\n"
