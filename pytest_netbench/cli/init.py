"""netbench init: write the shipped tasks, agents and a conftest.py into a folder, and a recipe for CI."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_netbench.cli.recipes import EVERY, recipe
from pytest_netbench.errors import UsageError

CONFTEST: Final = '"""Makes this folder the rootdir of runs over tasks/. Add your own fixtures here."""\n'
_LITTER: Final = frozenset({"__pycache__", ".pytest_cache", ".netbench", ".git"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and for which CI service."""
    parser.add_argument(
        "directory",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="the folder to write; created if it does not exist. With --ci the current one, if none is named",
    )
    parser.add_argument(
        "--ci",
        choices=sorted(EVERY),
        help="also write a recipe that runs an agent in CI. Into a folder that is not empty only the recipe is written",
    )
    parser.add_argument(
        "--force", action="store_true", help="write into a folder that is not empty; changed files are listed"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the corpus, the recipe or both, and print what to do next."""
    target: Path | None = arguments.directory
    if target is None:
        if arguments.ci is None:
            raise UsageError("name the folder to write: netbench init DIR")
        target = Path()
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; name a folder")
    occupied = target.is_dir() and any(one.name not in _LITTER for one in target.iterdir())
    if arguments.ci is not None:
        _check_recipe(target, arguments.ci, force=arguments.force)
    elif occupied and not arguments.force:
        raise UsageError(f"{target} is not empty; name another folder, or add --force to write into it")
    if arguments.force or not occupied:
        _write_corpus(target)
    if arguments.ci is not None:
        _write_recipe(target, arguments.ci)
    return 0


def _write_corpus(target: Path) -> None:
    from pytest_netbench.taskfile.corpus import FOLDERS, corpus  # imports pydantic
    from pytest_netbench.taskfile.frozen import SUFFIXES

    root = corpus()
    target.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for source in _files(root / folder):
            place = target / source.relative_to(root)
            _write(place, source.read_bytes(), executable=source.stat().st_mode & 0o111 != 0)
    if not (target / "conftest.py").exists():
        _write(target / "conftest.py", CONFTEST.encode(), executable=False)
    tasks = sum(path.name.endswith(SUFFIXES) for path in _files(root / "tasks"))
    print(f"wrote {tasks} {'task' if tasks == 1 else 'tasks'} to {target}. Next:")
    print(f"  cd {shlex.quote(str(target))} && pytest tasks/ --agent=oracle -n auto")


def _check_recipe(target: Path, service: str, *, force: bool) -> None:
    """Refuse to overwrite another recipe, before anything is written."""
    place = target / EVERY[service]
    if place.exists() and not force and place.read_bytes() != recipe(service).encode():
        raise UsageError(f"{place} exists and is another one; move it away, or add --force to overwrite it")


def _write_recipe(target: Path, service: str) -> None:
    _write(target / EVERY[service], recipe(service).encode(), executable=False)
    print(f"wrote {target / EVERY[service]}. Name your agent in it: the line that begins with AGENT")
    if not (target / "tasks").is_dir():
        print(f"{target} has no folder tasks/, which the recipe runs; `netbench init` writes one into an empty folder")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _LITTER & set(path.relative_to(folder).parts):
            yield path


def _write(place: Path, content: bytes, *, executable: bool) -> None:
    if place.is_symlink() or place.exists():
        if place.is_file() and not place.is_symlink() and place.read_bytes() == content:
            return
        if place.is_dir() and not place.is_symlink():
            raise UsageError(f"{place} is a folder where a file is to be written; move it away")
        print(f"overwrote {place}")
        place.unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if executable:
        place.chmod(0o755)
