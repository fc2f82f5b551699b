"""Paths of task files on a command line, and what is said of those that there are not."""

from __future__ import annotations

from pathlib import Path

from pytest_netbench.errors import UsageError


def task_file(text: str | Path) -> Path:
    """Return the path of one task file, which exists.

    Raises:
        UsageError: It does not, or it is a folder. The message names files that may be meant.
    """
    from pytest_netbench.taskfile.nearby import exists, task_files  # noqa: PLC0415  (imports pydantic)

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
    from pytest_netbench import parts  # noqa: PLC0415
    from pytest_netbench.taskfile.nearby import did_you_mean  # noqa: PLC0415  (imports pydantic)

    generator = str(text).partition(":")[0].strip()
    if generator in parts.names("generators"):
        return (
            f"{text}: no such file or folder; {generator!r} is a generator, which writes its tasks as files:"
            f" netbench generate {text} -o DIR"
        )
    near = did_you_mean(str(text))
    return f"{text}: cannot be read: No such file or directory{'.' if near else ''}{near}"
