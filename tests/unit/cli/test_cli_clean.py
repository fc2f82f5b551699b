"""netbench clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.cli.main import main


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of labs of a user whose containerlab and engine do as they are told."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("containerlab", "docker"):
        (programs / name).write_text("#!/bin/sh\nexit ${ENGINE_STATUS:-0}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "netbench/containerlab"


def abandon() -> None:
    """Let a process that ends at once begin a lab."""
    code = "from pytest_netbench.backends.containerlab import leftovers; leftovers.new_folder('x')"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_labs_of_processes_that_have_ended_are_removed_and_named(labs, capsys):
    abandon()
    (folder,) = labs.iterdir()
    assert main(["clean"]) == 0
    assert capsys.readouterr().out == f"containerlab: removed {folder.name}\n"
    assert not folder.exists()
    assert main(["clean", "--backend", "containerlab"]) == 0
    assert capsys.readouterr().out == "nothing to remove\n"


def test_what_cannot_be_removed_is_told_and_stays(labs, capsys, monkeypatch):
    abandon()
    monkeypatch.setenv("ENGINE_STATUS", "1")
    assert main(["clean"]) == 1
    assert "containerlab: docker ps: exit status 1" in capsys.readouterr().out
    assert [*labs.iterdir()]


def test_a_backend_that_leaves_nothing_and_one_that_is_not_there_are_refused(labs, capsys):
    assert main(["clean", "--backend", "netns"]) == 2
    assert "leaves nothing behind" in capsys.readouterr().err
    assert main(["clean", "--backend", "netn"]) == 2
    assert "Did you mean 'netns'?" in capsys.readouterr().err


def test_a_lab_whose_owner_cannot_be_seen_is_named_and_stays(labs, capsys):
    abandon()
    (folder,) = labs.iterdir()
    owner = folder / "owner.json"
    owner.write_text(owner.read_text().replace('"machine": "', '"machine": "another '))
    assert main(["clean"]) == 0
    assert f"containerlab: left alone: {folder} belongs to process " in capsys.readouterr().out
    assert folder.exists()
