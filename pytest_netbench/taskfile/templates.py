"""The task that ``netbench new task`` writes: complete and small, on each of the platforms that it knows."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

_FOLDER: Final = Path(__file__).with_name("templates")


class Template(NamedTuple):
    """The texts of a new task.

    Attributes:
        task: The task file.
        solutions: Right and wrong solutions.
        behaviour: The recorded reference behaviour, as JSON.
    """

    task: str
    solutions: str
    behaviour: str


def template(platform: str, *, name: str, path: Path) -> Template:
    """Return the texts of a task.

    Args:
        platform: Of the routers; there is a template for each of ``cli.new.PLATFORMS``.
        name: The task's name for people.
        path: Its file, which the text names.
    """
    return Template(
        task=_read(f"{platform}.task.yaml").format(name=name, path=path),
        solutions=_read(f"{platform}.solutions.yaml"),
        behaviour=_read(f"{platform}.reference.json"),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
