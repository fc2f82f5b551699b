"""``netbench seal`` and ``netbench unseal``, and what ``netbench validate`` says of a bundle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main
from pytest_netbench.taskfile.names import known_platforms
from tests.support.memory_tasks import write_task


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)
    for name in ("NETBENCH_KEY", "NETBENCH_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    known_platforms.cache_clear()
    yield
    known_platforms.cache_clear()


@pytest.fixture
def bundle(capsys) -> Path:
    """Two tasks, sealed with the key in ``owner.key``."""
    for slug in ("one", "two"):
        write_task(Path("tasks/access"), slug)
    assert main(["seal", "tasks", "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    capsys.readouterr()
    return Path("set.sealed")


def files_in(folder: str) -> dict[str, bytes]:
    root = Path(folder)
    return {str(one.relative_to(root)): one.read_bytes() for one in root.rglob("*") if one.is_file()}


def test_unsealing_gives_the_same_files(bundle, capsys):
    assert main(["unseal", str(bundle), "-o", "plain", "--key", "owner.key"]) == 0
    assert files_in("plain") == files_in("tasks")
    assert capsys.readouterr().out == "plain: 2 tasks unsealed, 2 files\n"


def test_the_bundle_is_validated_without_the_key_and_its_tasks_with_it(bundle, capsys, monkeypatch):
    assert main(["validate", str(bundle)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("set.sealed: complete (2 tasks, sealed ")
    assert out.endswith("; give the key to check the tasks\n")
    monkeypatch.setenv("NETBENCH_KEY", Path("owner.key").read_text())
    assert main(["validate", str(bundle)]) == 0
    assert capsys.readouterr().out.endswith("): one, two\n")


def test_validate_names_a_task_that_was_changed(bundle, capsys):
    lines = bundle.read_bytes().split(b"\n")
    lines[1] = lines[1].swapcase()
    bundle.write_bytes(b"\n".join(lines))
    assert main(["validate", str(bundle)]) == 1
    assert capsys.readouterr().err == "set.sealed: was changed: task one\n"


def test_another_key_does_not_open_it(bundle, capsys):
    assert main(["seal", "tasks", "-o", "other.sealed", "--new-key", "other.key"]) == 0
    for command in (["validate"], ["unseal", "-o", "plain"]):
        assert main([*command, str(bundle), "--key", "other.key"]) in {1, 2}
        assert "set.sealed: sealed with the key" in capsys.readouterr().err
    assert not Path("plain").exists()


def test_a_frozen_set_is_sealed_with_its_manifest_and_tells_nothing_of_the_draw(capsys):
    assert main(["freeze", "branches:n=3,seed=4711", "-o", "held"]) == 0
    assert main(["seal", "held", "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    first = Path("set.sealed").read_text().splitlines()[0]
    assert [one["name"] for one in json.loads(first)["tasks"]] == ["set-0001", "set-0002", "set-0003"]
    assert "4711" not in first.replace(json.loads(first)["key"], "").split('"tasks"')[0]
    assert "branches" not in first
    assert main(["unseal", "set.sealed", "-o", "plain", "--key", "owner.key"]) == 0
    assert files_in("plain/held") == files_in("held")
    assert main(["validate", "plain"]) == 0
    assert "frozen set as released (3 tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "set.sealed"], "set.sealed exists: remove it"),
        (["-o", "set.zip"], "name it set.sealed"),
        (["-o", "new.sealed"], "no key: give its file with --key FILE, or the key itself in NETBENCH_KEY"),
        (["-o", "new.sealed", "--new-key", "owner.key"], "owner.key exists, and its key may be in use"),
        (["tasks/access/one.task.yaml", "-o", "new.sealed", "--key", "owner.key"], "are both called 'one'"),
    ],
)
def test_what_cannot_be_sealed_is_said_and_nothing_is_written(bundle, arguments, message, capsys):
    assert main(["seal", "tasks", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not Path("new.sealed").exists()


def test_nothing_is_unsealed_into_a_folder_with_files(bundle, capsys):
    assert main(["unseal", str(bundle), "-o", "tasks", "--key", "owner.key"]) == 2
    assert "tasks is not empty" in capsys.readouterr().err


def test_a_folder_without_sealed_results_is_refused(bundle, capsys):
    assert main(["unseal", "tasks", "-o", "plain", "--key", "owner.key"]) == 2
    assert "no results of sealed tasks here" in capsys.readouterr().err
