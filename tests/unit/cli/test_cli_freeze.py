"""``netbench freeze``, and what ``netbench validate`` says of frozen sets."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from pytest_netbench import __version__
from pytest_netbench.cli.main import main
from pytest_netbench.taskfile.names import known_platforms

SERIES = "branches:n=4,seed=7"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, memory_parts):
    monkeypatch.chdir(tmp_path)
    known_platforms.cache_clear()
    yield
    known_platforms.cache_clear()


@pytest.fixture
def frozen(capsys) -> Path:
    assert main(["freeze", SERIES, "-o", "set"]) == 0
    capsys.readouterr()
    return Path("set")


def test_a_set_says_how_it_was_drawn_and_has_the_digest_that_sha256sum_computes(capsys):
    assert main(["freeze", SERIES, "-o", "set"]) == 0
    manifest = json.loads(Path("set/frozen.json").read_text())
    command = "sha256sum *.task.yaml | LC_ALL=C sort -k 2 | sha256sum"
    done = subprocess.run(["sh", "-c", command], cwd="set", capture_output=True, text=True, check=True)
    assert manifest["digest"] == done.stdout.split()[0]
    assert capsys.readouterr().out.splitlines()[-1] == f"frozen: 4 tasks, sha256 {manifest['digest']}"
    assert (manifest["series"], manifest["seed"], manifest["count"]) == (SERIES, 7, 4)
    assert manifest["version"] == __version__
    assert manifest["parameters"]["level"]


def test_the_same_series_has_the_same_digest(frozen):
    assert main(["freeze", SERIES, "-o", "again"]) == 0
    assert Path("again/frozen.json").read_text() == (frozen / "frozen.json").read_text()


def test_an_untouched_set_is_valid(frozen, capsys):
    assert main(["validate", str(frozen)]) == 0
    assert "set: frozen set as released (4 tasks, sha256 " in capsys.readouterr().out


@pytest.mark.parametrize("what", ["changed", "missing", "added", "digest"])
def test_each_change_of_a_set_is_told(frozen, capsys, what):
    first, second, *_ = sorted(frozen.glob("*.task.yaml"))
    manifest = frozen / "frozen.json"
    if what == "changed":
        first.write_text(first.read_text() + "# a comment\n")
        expected = f"set: {first.name} was changed"
    elif what == "missing":
        first.unlink()
        expected = f"set: {first.name} is missing"
    elif what == "added":
        (frozen / "other.task.yaml").write_text(second.read_text())
        expected = "set: other.task.yaml is not in the set"
    else:
        read = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**read, "digest": "0" * 64}))
        expected = "set: the digest of the set is not that of its files: the manifest was changed"
    assert main(["validate", "set"]) == 1
    assert expected in capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("name", ["other.task.yml", "other.task.json", "below/other.task.yaml"])
def test_a_task_file_of_another_suffix_or_in_a_folder_below_is_not_in_the_set(frozen, capsys, name):
    first = min(frozen.glob("*.task.yaml"))
    (frozen / name).parent.mkdir(exist_ok=True)
    (frozen / name).write_text(first.read_text())
    assert main(["validate", "set"]) == 1
    assert f"set: {name} is not in the set" in capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 2}', "\x00"])
def test_a_manifest_that_is_none_is_an_error(frozen, capsys, text):
    (frozen / "frozen.json").write_text(text)
    assert main(["validate", "set"]) == 2
    assert "set/frozen.json: not the manifest of a frozen set" in capsys.readouterr().err


def test_a_set_is_frozen_in_a_folder_of_its_own(frozen, capsys):
    before = {path.name: path.read_bytes() for path in frozen.iterdir()}
    assert main(["freeze", "branches:n=1,seed=8", "-o", "set"]) == 2
    assert "set is not empty" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in frozen.iterdir()} == before
    Path("file").write_text("")
    assert main(["freeze", SERIES, "-o", "file"]) == 2


def test_a_set_in_which_nothing_is_left_has_no_manifest(capsys):
    argv = ["freeze", "branches:n=2,flaw=1", "-o", "set", "--prove", "--backend", "memory"]
    assert main(argv) == 1
    assert "wrote 0 of 2 tasks to set" in capsys.readouterr().out
    assert list(Path("set").iterdir()) == []


def test_sealing_a_set_that_was_changed_warns_with_the_names_of_its_files(frozen, capsys):
    first, second, third, _ = sorted(frozen.glob("*.task.yaml"))
    first.write_text(first.read_text() + "# changed\n")
    second.rename(frozen / "new.task.yaml")
    third.unlink()
    assert main(["seal", "set", "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    (warning,) = (line for line in capsys.readouterr().err.splitlines() if "not the set that was frozen" in line)
    assert warning.startswith("netbench: warning: set is not the set that was frozen: ")
    for words in (f"{first.name} was changed", f"{second.name} is missing", "new.task.yaml is not in the set"):
        assert words in warning
    assert f"{third.name} is missing" in warning


def test_sealing_a_set_as_it_was_released_warns_of_nothing(frozen, capsys):
    assert main(["seal", "set", "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    assert main(["unseal", "set.sealed", "-o", "plain", "--key", "owner.key"]) == 0
    assert capsys.readouterr().err == ""


def test_sealing_one_changed_file_of_a_set_warns_and_so_does_unsealing(frozen, capsys):
    first = min(frozen.glob("*.task.yaml"))
    first.write_text(first.read_text() + "# changed\n")
    assert main(["seal", str(first), "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    assert f"{first.name} was changed" in capsys.readouterr().err
    assert main(["unseal", "set.sealed", "-o", "plain", "--key", "owner.key"]) == 0
    assert f"{first.name} was changed" in capsys.readouterr().err


def test_a_changed_manifest_is_told_when_a_set_is_sealed(frozen, capsys):
    manifest = frozen / "frozen.json"
    manifest.write_text(manifest.read_text().replace('"count": 4', '"count": "x"'))
    assert main(["seal", "set", "-o", "set.sealed", "--new-key", "owner.key"]) == 0
    assert "not the manifest of a frozen set" in capsys.readouterr().err
