"""Task files that somebody may mean who gives a name that is no file: for error messages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.taskfile.corpus import corpus
from pytest_netbench.taskfile.frozen import SUFFIXES

MOST_NAMED: Final = 3
MOST_FOLDERS: Final = 2000
"""Folders that are searched. An error message must not take long in a large tree."""
_SHORTEST: Final = 4
"""Letters of a name that may be a part of a file's name."""
_NOT_SEARCHED: Final = frozenset({"node_modules", "site-packages", "__pycache__"})


def meant(text: str, *, root: Path | None = None) -> tuple[Path, ...]:
    """Return the task files below a folder whose names are near ``text``, the nearest first.

    Args:
        text: What was given: the name of a task, of a file, or a path.
        root: The folder; by default the working directory. Paths are relative to it.
    """
    wanted = _stem(Path(text.partition(":")[0].strip() or text).name).lower()
    found: dict[str, list[Path]] = {}
    for path in task_files(root or Path()):
        found.setdefault(_stem(path.name).lower(), []).append(path)
    parts = [name for name in sorted(found) if len(wanted) >= _SHORTEST and wanted in name]
    near = [wanted] if wanted in found else [*get_close_matches(wanted, found, n=MOST_NAMED), *parts]
    return tuple(path for name in dict.fromkeys(near) for path in sorted(found[name]))[:MOST_NAMED]


def exists(text: str) -> bool:
    """Whether there is such a file or folder. What is drawn may be longer than a name of a file can be."""
    try:
        return Path(text).exists()
    except OSError:
        return False


def did_you_mean(text: str) -> str:
    """Return `` Did you mean tasks/routing/x.task.yaml?``, or nothing if no file is near.

    Files of the working directory go before those that this package ships.
    """
    found = meant(text) or _shipped(text)
    return f" Did you mean {' or '.join(map(str, found))}?" if found else ""


def _shipped(text: str) -> tuple[Path, ...]:
    try:
        return meant(text, root=corpus() / "tasks")
    except UsageError:
        return ()


def _stem(name: str) -> str:
    for suffix in (*SUFFIXES, ".yaml", ".yml", ".json"):
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def task_files(root: Path) -> Iterator[Path]:
    """The task files below a folder, without hidden folders and those of packages."""
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number == MOST_FOLDERS:
            return
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one not in _NOT_SEARCHED)
        yield from (Path(folder, name) for name in files if name.endswith(SUFFIXES))
