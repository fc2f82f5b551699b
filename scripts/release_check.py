"""Checks that this checkout can be released: ``make release-check``.

The source distribution and the wheel are built as a user of PyPI would build them, the wheel from the unpacked source
distribution. Both are read by twine, the wheel is installed into a new environment, and there the commands of the
README's section *Without a checkout* are run. Packages come from where pip takes them; nothing is uploaded.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SECTION: Final = "## Without a checkout"
_INSTALLS: Final = "pip install pytest-netbench"
_BEGAN: Final = time.monotonic()


class NotReady(Exception):
    """Why this checkout cannot be released, and what to do."""


def say(text: str) -> None:
    """Print progress, with the seconds that have passed."""
    print(f"release {time.monotonic() - _BEGAN:5.0f} s  {text}", flush=True)


def commands_of(readme: str) -> list[str]:
    """The shell commands of the README's section for users of PyPI, without the one that installs the package.

    Raises:
        NotReady: There is no such section, or it does not begin with that command.
    """
    _, found, rest = readme.partition(f"{SECTION}\n")
    section = re.split(r"^## ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line.partition("  #")[0].strip() for line in section.splitlines() if line.startswith("    ")]
    if not found or not lines or lines[0] != _INSTALLS:
        raise NotReady(f"README.md has no section {SECTION!r} whose first command is {_INSTALLS!r}: write one")
    return lines[1:]


def check_changelog(changelog: str, version: str) -> None:
    """Check that the version to be released has a section that is not empty.

    Raises:
        NotReady: It has none.
    """
    heading = re.compile(rf"^## .*\b{re.escape(version)}\b.*$", re.MULTILINE)
    if (found := heading.search(changelog)) is None:
        raise NotReady(f"CHANGELOG.md has no section for version {version}: name its section '## {version} (DATE)'")
    if not re.match(r"\s*- ", changelog[found.end() :]):
        raise NotReady(f"the section of version {version} in CHANGELOG.md says nothing: list what a user notices")


def check_tree(status: str) -> None:
    """Check what ``git status --porcelain`` printed.

    Raises:
        NotReady: Something is not committed, and would be in the packages.
    """
    if status:
        raise NotReady(f"these files are not as they were committed, so commit or remove them first:\n{status}")


def run(*argv: str | Path, cwd: Path = ROOT, path: Path | None = None) -> str:
    """Run a program and return what it prints.

    Args:
        argv: The program and its arguments.
        cwd: Where it runs.
        path: A folder of programs that come before all others.

    Raises:
        NotReady: It failed; with the end of what it printed.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    if path is not None:
        env["PATH"] = f"{path}:{env['PATH']}"
    done = subprocess.run(
        argv, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        end = "\n".join(done.stdout.splitlines()[-30:])
        raise NotReady(f"{' '.join(map(str, argv))} ended with {done.returncode}:\n{end}")
    return done.stdout


def build(checkout: Path, folder: Path) -> tuple[Path, Path]:
    """Build the source distribution of a checkout, and the wheel from what is in it.

    Returns:
        The source distribution and the wheel, both in ``folder``.

    Raises:
        NotReady: One of them cannot be built.
    """
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=checkout)
    (source,) = folder.glob("*.tar.gz")
    with tempfile.TemporaryDirectory() as unpacked:
        with tarfile.open(source) as archive:
            archive.extractall(unpacked, filter="data")
        (tree,) = Path(unpacked).iterdir()
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=tree)
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def check_contents(wheel: Path, tracked: Sequence[str]) -> None:
    """Check that what is committed of the package, the tasks and the agents is in the wheel.

    Args:
        wheel: It may have been built elsewhere.
        tracked: The committed files, relative to the checkout.

    Raises:
        NotReady: A file is missing.
    """
    names = set(zipfile.ZipFile(wheel).namelist())
    places = {one: one if one.startswith("pytest_netbench/") else f"pytest_netbench/corpus/{one}" for one in tracked}
    if missing := sorted(one for one, place in places.items() if place not in names):
        raise NotReady(f"{wheel.name} lacks {len(missing)} committed files, {missing[0]} for one: see pyproject.toml")


def environment(folder: Path, wheel: Path) -> Path:
    """Make a new environment with the wheel and what it depends on, and return its folder of programs."""
    venv.create(folder, with_pip=True)
    run(folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", wheel, "pytest-xdist", "twine")
    return folder / "bin"


def check(*, allow_changes: bool) -> None:
    """Do all of it.

    Args:
        allow_changes: Whether files may differ from what is committed.

    Raises:
        NotReady: With the first reason that was found.
    """
    version = re.search(r'^__version__ = "(.+)"$', (ROOT / "pytest_netbench/__init__.py").read_text(), re.MULTILINE)
    assert version is not None, "pytest_netbench/__init__.py has the version"
    commands = commands_of((ROOT / "README.md").read_text())
    check_changelog((ROOT / "CHANGELOG.md").read_text(), version[1])
    if not allow_changes:
        check_tree(run("git", "status", "--porcelain"))
    with tempfile.TemporaryDirectory(prefix="netbench-release-") as name:
        folder = Path(name)
        say("building the source distribution, and the wheel from it")
        source, wheel = build(ROOT, folder / "dist")
        check_contents(wheel, run("git", "ls-files", "pytest_netbench", "tasks", "agents", "container").split())
        say(f"installing {wheel.name} into a new environment")
        programs = environment(folder / "environment", wheel)
        run(programs / "twine", "check", "--strict", source, wheel)
        home = folder / "home"
        home.mkdir()
        say("running the commands of the README")
        print(run("bash", "-euxc", "\n".join(commands), cwd=home, path=programs), end="")
    say(f"version {version[1]} can be released")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the check; 1 if this checkout cannot be released."""
    parser = argparse.ArgumentParser(prog="scripts/release_check.py", description=__doc__)
    parser.add_argument("--allow-changes", action="store_true", help="also with files that are not committed")
    try:
        check(allow_changes=parser.parse_args(argv).allow_changes)
    except NotReady as reason:
        say(f"not ready: {reason}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
