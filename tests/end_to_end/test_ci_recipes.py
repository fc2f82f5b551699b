"""The commands of the recipes that `netbench init --ci` writes, run in a repository that it made.

pip installs this tree's wheel; what that needs is lent by this environment. What only a CI service has is replaced:
`sudo`, and the two commands that change the machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from pytest_netbench.cli.recipes import PLACES

ROOT = Path(__file__).parents[2]
# one small task instead of all
ONE = "default-route-for-a-shop"
SAVE = "--netbench-save-baseline=baseline.json"


def as_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def of_github(content: dict) -> tuple[list[str], dict[str, str]]:
    (job,) = content["jobs"].values()
    env = {name: value for name, value in job["env"].items() if "${{" not in str(value)}
    return [step["run"] for step in job["steps"] if "run" in step], env


def of_gitlab(content: dict) -> tuple[list[str], dict[str, str]]:
    (job,) = content.values()
    return job["script"], job["variables"]


COMMANDS = {"github": of_github, "gitlab": of_gitlab}


@dataclass
class Repository:
    """A repository that `netbench init --ci` made, and a machine of a CI service."""

    folder: Path
    service: str
    bin: Path

    def steps(self) -> tuple[list[str], dict[str, str]]:
        return COMMANDS[self.service](yaml.safe_load((self.folder / PLACES[self.service]).read_text()))

    def run(self, **variables: str) -> tuple[int, str]:
        """Run the recipe's commands until one fails, as services do; its status, and all that was printed."""
        commands, given = self.steps()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "COV"))}
        env = clean | {name: str(value) for name, value in given.items()} | variables
        env |= {"PATH": f"{self.bin}:{os.environ['PATH']}:/usr/sbin:/sbin", "PYTEST_ADDOPTS": f"-k {ONE}"}
        env |= {"TMPDIR": str(self.bin.parent / "tmp")}  # a machine goes with what its programs leave in /tmp
        env |= {"GITHUB_STEP_SUMMARY": str(self.folder / "summary.md")} if self.service == "github" else {}
        printed = ""
        for command in commands:
            done = subprocess.run(
                ["bash", "-e", "-c", command], cwd=self.folder, env=env, capture_output=True, text=True, check=False
            )
            printed += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, printed
        return 0, printed


@pytest.fixture(scope="module")
def links(tmp_path_factory) -> Path:
    """A folder with this tree's wheel."""
    pytest.importorskip("hatchling", reason="hatchling is not installed; fix: make test")
    folder = tmp_path_factory.mktemp("links")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    return folder


@pytest.fixture
def machine(links: Path, tmp_path_factory) -> Path:
    """The programs of a new machine: a Python with pip, to which all that the wheel needs is lent."""
    home = tmp_path_factory.mktemp("machine")
    venv.create(home, symlinks=True)
    (site,) = home.glob("lib/python*/site-packages")
    lent = home / "lent"
    for folder in (lent, home / "tmp"):
        folder.mkdir()
    for place in (Path(one) for one in sys.path if one.endswith("site-packages")):
        for entry in place.iterdir():
            if not entry.name.startswith(("pytest_netbench", "_editable")) and not (lent / entry.name).exists():
                (lent / entry.name).symlink_to(entry)
    (site / "lent.pth").write_text(f"{lent}\n")
    pip = f"PIP_FIND_LINKS={links} PIP_NO_INDEX=1 exec {home}/bin/python -m pip --disable-pip-version-check"
    as_program(home / "bin/pip", f'{pip} "$@"')
    as_program(home / "bin/pytest", f'exec {home}/bin/python -P -m pytest "$@"')
    as_program(home / "bin/sudo", 'exec "$@"')
    as_program(home / "bin/apt-get", f'echo "$@" >>{home}/apt')
    as_program(home / "bin/sysctl", f'echo "$@" >>{home}/sysctl')
    return home


@pytest.fixture(params=sorted(PLACES))
def repository(request, machine, tmp_path) -> Repository:
    made = subprocess.run(
        [sys.executable, "-m", "pytest_netbench.cli", "init", tmp_path / "bench", "--ci", request.param],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return Repository(tmp_path / "bench", request.param, machine / "bin")


@pytest.mark.timeout(900)  # five runs of pytest, each from nothing
def test_a_recipe_works_in_a_new_repository_and_judges_once_there_is_a_baseline(repository, machine):
    status, printed = repository.run()
    assert status == 0, printed
    assert "1 passed" in printed
    assert (repository.folder / "results/report.html").exists()
    assert (repository.folder / "results/junit.xml").exists()
    assert "Successfully installed pytest-netbench" in printed

    asked = (machine / "apt").read_text()
    assert "update" in asked
    assert "frr" in asked

    assert SAVE in (repository.folder / PLACES[repository.service]).read_text()
    saved = subprocess.run(
        [machine / "bin/pytest", "tasks/", "--agent=oracle", "-n", "auto", "-k", ONE, "--netbench-trials=5", SAVE],
        cwd=repository.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert saved.returncode == 0, saved.stdout + saved.stderr
    shutil.rmtree(repository.folder / "results")
    status, printed = repository.run(AGENT="oracle")
    assert status == 0, printed
    assert "netbench gate" in printed
    shutil.rmtree(repository.folder / "results")
    status, printed = repository.run(AGENT="nop", TRIALS="5")
    assert status == 10, printed


def test_a_recipe_without_a_baseline_fails_if_a_trial_fails(repository):
    status, printed = repository.run(AGENT="nop")
    assert status == 1, printed
    assert "1 failed" in printed


def test_the_packages_of_a_recipe_are_those_that_set_up_installs_for_labs(repository):
    (line,) = (command for command in repository.steps()[0] if "apt-get install" in command)
    asked = line.split("--no-install-recommends")[1].split()
    known = (ROOT / "scripts/setup.d/system").read_text()
    assert not [package for package in asked if f"packages+=({package})" not in known]
    install = (ROOT / "docs/how-to/install.md").read_text()
    (needed,) = (one for one in install.splitlines() if one.startswith("    sudo apt-get install") and " frr " in one)
    assert set(needed.split("--no-install-recommends")[1].split()) <= set(asked)
