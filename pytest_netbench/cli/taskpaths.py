"""Paths of task files on a command line, and what is said of those that there are not."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_netbench.errors import UsageError

SUFFIXES: Final = (".task.yaml", ".task.yml", ".task.json")


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Task files and folders of them."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="a task file, or a folder searched for *.task.yaml|yml|json",
    )


def task_file(text: str | Path) -> Path:
    """Return the path of one task file, which exists.

    Raises:
        UsageError: It does not, or it is a folder. The message names files that may be meant.
    """
    from pytest_netbench.taskfile.nearby import exists, task_files  # imports pydantic

    path = Path(text)
    if path.is_dir():
        found = sorted(task_files(path))
        example = f", e.g. {found[0]}" if found else ""
        raise UsageError(f"{path} is a folder: give one task file{example}")
    if not exists(str(path)):
        raise UsageError(missing(text))
    return path


def missing(text: str | Path) -> str:
    """What is said of a path that does not exist: near task files, or what to do with the name of a generator."""
    from pytest_netbench import parts
    from pytest_netbench.taskfile.nearby import did_you_mean  # imports pydantic

    generator = str(text).partition(":")[0].strip()
    if generator in parts.names("generators"):
        return (
            f"{text}: no such file or folder; {generator!r} is a generator, which writes its tasks as files:"
            f" netbench generate {text} -o DIR"
        )
    near = did_you_mean(str(text))
    return f"{text}: cannot be read: No such file or directory{'.' if near else ''}{near}"


def files(paths: Sequence[Path], *, must_exist: bool = True) -> Iterator[Path]:
    """The task files in ``paths``, which are files and folders.

    Raises:
        UsageError: A folder has none, or a path does not exist and must.
    """
    for path in paths:
        if not path.is_dir():
            if must_exist and not path.exists():
                raise UsageError(missing(path))
            yield path
            continue
        found = sorted(one for one in path.rglob("*.task.*") if one.name.endswith(SUFFIXES) and one.is_file())
        if not found:
            raise UsageError(f"{path}: no task files (*.task.yaml, *.task.yml, *.task.json) in this folder")
        yield from found
