"""netbench init: write the shipped tasks, agents and a conftest.py into a folder."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pytest_netbench.errors import UsageError

CONFTEST: Final = '"""Makes this folder the rootdir of runs over tasks/. Add your own fixtures here."""\n'
_LITTER: Final = frozenset({"__pycache__", ".pytest_cache", ".netbench", ".git"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to."""
    parser.add_argument("directory", type=Path, metavar="DIR", help="the folder to write; created if it does not exist")
    parser.add_argument(
        "--force", action="store_true", help="write into a folder that is not empty; changed files are listed"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the corpus and print the command to run next."""
    from pytest_netbench.taskfile.corpus import FOLDERS, corpus  # noqa: PLC0415  (imports pydantic)

    target: Path = arguments.directory
    if target.exists() and not target.is_dir():
        raise UsageError(f"{target} is a file; name a folder")
    if target.is_dir() and any(target.iterdir()) and not arguments.force:
        raise UsageError(f"{target} is not empty; name another folder, or add --force to write into it")
    root = corpus()
    target.mkdir(parents=True, exist_ok=True)
    for folder in FOLDERS:
        for source in _files(root / folder):
            place = target / source.relative_to(root)
            _write(place, source.read_bytes(), executable=source.stat().st_mode & 0o111 != 0)
    if not (target / "conftest.py").exists():
        _write(target / "conftest.py", CONFTEST.encode(), executable=False)
    tasks = len(list((target / "tasks").rglob("*.task.yaml")))
    print(
        f"wrote {tasks} tasks to {target}. Next:\n  cd {shlex.quote(str(target))} && pytest tasks/ --agent=oracle -n"
        " auto"
    )
    return 0


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
