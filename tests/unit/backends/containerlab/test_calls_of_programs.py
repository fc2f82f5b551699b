"""What is read of the answers of containerlab, and what becomes of programs that fail."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.backends.containerlab import commands, leftovers
from pytest_netbench.backends.containerlab.backend import ContainerlabBackend
from pytest_netbench.backends.containerlab.checks import release_of
from pytest_netbench.errors import LabError

# in the form of release 0.79
MISSING_IMAGE = """\
06:51:17 INFO Containerlab started version=0.79.0
06:51:17 INFO Parsing & checking topology file=absent.clab.yml

   ERROR

  Image frr:absent not found locally, and image-pull-policy=Never prevents containerlab from pulling it.
"""
BROKEN = """\
06:51:17 INFO Containerlab started version=0.79.0

   ERROR

  Failed to read topology file: yaml: line 1: did not find expected node content
  Consult with release notes to see if any fields were changed/removed.
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MISSING_IMAGE, "Image frr:absent not found locally, and image-pull-policy=Never prevents"),
        (BROKEN, "Failed to read topology file: yaml: line 1: did not find expected node content Consult with"),
        ("│ Error: kind is not supported │\n", "kind is not supported"),
        ("Cannot connect to the Docker daemon\n", "Cannot connect to the Docker daemon"),
    ],
)
def test_the_reason_of_a_failure_is_told_without_logs_and_frames(text: str, said: str) -> None:
    assert commands.reason(text).startswith(said)
    assert "INFO" not in commands.reason(text)


@pytest.mark.parametrize(
    ("text", "release"), [("0.79.0\n", (0, 79, 0)), ("v0.60\n", (0, 60, 0)), ("0.0.0", None), ("unknown", None)]
)
def test_a_release_is_read(text: str, release: tuple[int, ...] | None) -> None:
    assert commands.version(text) == release


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that comes first on the path; labs have their state beside it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    release_of.cache_clear()
    return folder


def program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_a_program_that_fails_hangs_or_talks_nonsense_is_an_error_of_one_sentence(programs: Path) -> None:
    fails, hangs = 'fail) echo "Error: no" >&2; exit 1;;', "hang) exec sleep 60;;"
    killed = 'killed) echo "INFO Creating container" >&2; kill -9 $$;;'
    program(programs, "containerlab", f"case $1 in {fails} {hangs} {killed} esac; echo hello")
    with pytest.raises(LabError, match=r"^containerlab killed was killed by signal 9$"):
        commands.containerlab("killed")
    with pytest.raises(LabError, match=r"^containerlab fail: no$"):
        commands.containerlab("fail")
    with pytest.raises(LabError, match=r"^containerlab hang did not end within 0\.2 s$"):
        commands.containerlab("hang", timeout_s=0.2)
    with pytest.raises(LabError, match=r"^containerlab deploy printed no JSON: hello$"):
        commands.containerlab("deploy")


@pytest.mark.parametrize(("printed", "release"), [("0.79.0", "0.79.0"), ("0.0.0", "without a release number")])
def test_the_releases_of_both_programs_are_told(programs: Path, printed: str, release: str) -> None:
    program(programs, "docker", "echo 20.10.24")
    program(programs, "containerlab", f"echo {printed}")
    assert commands.releases() == {"containerlab": release, "docker": "20.10.24"}


def test_doctor_names_what_is_missing_and_a_release_that_is_too_old(programs: Path) -> None:
    program(programs, "docker", "echo 'Cannot connect to the Docker daemon' >&2; exit 1")
    program(programs, "containerlab", "echo 0.40.0")
    by_name = {check.name: check for check in ContainerlabBackend().report()}
    assert not by_name["containerlab"].ok
    assert "0.40.0, too old: 0.60 is the oldest" in by_name["containerlab"].detail
    assert not by_name["docker"].ok
    assert "Cannot connect" in by_name["docker"].detail


def test_a_lab_is_abandoned_once_its_owner_has_ended(programs: Path) -> None:
    program(programs, "docker", "exit 0")
    program(programs, "containerlab", "exit 0")
    own = leftovers.new_folder("Mine & yours!")
    assert own.name.startswith("netbench-mine-yours-")
    code = "from pytest_netbench.backends.containerlab import leftovers; print(leftovers.new_folder('x'))"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert [str(folder) for folder in leftovers.abandoned()] == [made]
    assert ContainerlabBackend().clean() == ((Path(made).name,), ())
    assert not Path(made).exists()
    assert own.exists()
    owner = own / "owner.json"
    owner.write_text(json.dumps(json.loads(owner.read_text()) | {"boot": "another"}))
    assert [*leftovers.abandoned()] == [own]


@pytest.mark.parametrize("key", ["machine", "processes"])
def test_a_lab_of_another_machine_or_container_is_left_alone(programs: Path, key: str) -> None:
    program(programs, "docker", "exit 0")
    folder = leftovers.new_folder("x")
    owner = folder / "owner.json"
    owner.write_text(json.dumps(json.loads(owner.read_text()) | {key: "another", "pid": 2**22 + 1}))
    assert [*leftovers.abandoned()] == []
    removed, (left,) = ContainerlabBackend().clean()
    assert removed == ()
    assert str(folder) in left
    assert folder.exists()


def test_a_lab_that_cannot_be_removed_keeps_its_folder(programs: Path) -> None:
    program(programs, "containerlab", "exit 0")
    program(programs, "docker", "echo 'daemon is gone' >&2; exit 1")
    folder = leftovers.new_folder("x")
    with pytest.raises(LabError, match="daemon is gone"):
        leftovers.remove(folder)
    assert folder.exists()
