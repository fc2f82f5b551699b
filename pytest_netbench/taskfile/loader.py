"""Load a task file: read, put into form, validate, check; every error with its place."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.documents import reading
from pytest_netbench.documents.problems import Problems, Where, in_one_text, known, unknown
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import TaskFileError
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task, flat_model, task_of
from pytest_netbench.taskfile.checks import check
from pytest_netbench.taskfile.clab_topology import Beside, with_nodes_and_links
from pytest_netbench.taskfile.forms import payload_of, task_form
from pytest_netbench.taskfile.testcases import KINDS
from pytest_netbench.taskfile.units import QUANTITIES

_SPELLING: Final = {name: quantity.name for name, quantity in QUANTITIES.items()}


def load_task(path: Path, *, data: bytes | None = None, beside: Beside | None = None) -> Task:
    """The task in ``path``: a ``*.task.yaml``, ``*.task.yml`` or ``*.task.json`` file, or the draft's plain JSON.

    Slug and domain come from the file's name and folder unless the file gives them.

    Args:
        path: The file.
        data: Its content, if it is not on the disk.
        beside: Files that it names, by their paths from its folder, if they are not on the disk.

    Raises:
        TaskFileError: With the place of the first problem; its message lists the others.
    """
    tree = reading.read(path, error=TaskFileError, example="task_name: …", data=data)
    problems = Problems()
    raw = with_nodes_and_links(tree.plain(), path, problems, beside)
    payload = payload_of(raw, problems)
    if payload is None:
        raise _error(path, tree, problems)
    form = task_form(raw, payload, problems, json=path.suffix.lower() == ".json")
    form.setdefault("domain", _domain(path))
    if "slug" not in form:
        form["slug"] = slug_of(path)
    task = _validated(form, payload, problems)
    if task is not None and not problems:
        check(task, problems)
    if task is None or problems:
        raise _error(path, tree, problems)
    return task


def slug_of(path: Path) -> str:
    """The task's slug: the file's name without ``.task`` and suffix, in lower case, other signs as ``-``.

    Raises:
        TaskFileError: Nothing is left of the name.
    """
    stem = path.stem[: -len(".task")] if path.stem.lower().endswith(".task") else path.stem
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    if not slug:
        raise TaskFileError(f"no slug can be made of {path.name!r}: name the file in letters or digits", path=path)
    return slug


def _domain(path: Path) -> str:
    folder = path.absolute().parent.name
    return "misc" if folder in {"", "tasks"} else folder


def _validated(form: dict[str, Any], payload: type[Payload], problems: Problems) -> Task | None:
    """The task, or ``None`` and the model's objections; those that only repeat what is known are left out."""
    try:
        return task_of(flat_model(payload).model_validate_json(json.dumps(form), strict=True), payload)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_context=True):
            where = _in_the_file(one["loc"])
            if not problems.touch(where):
                problems.add(where, _message(where, dict(one)))
    return None


def _in_the_file(loc: tuple[str | int, ...]) -> Where:
    """A place in the model as a place in the file: its spelling, and no tag of the testcase's kind."""
    return tuple(_SPELLING.get(str(step), step) for place, step in enumerate(loc) if place != 2 or step not in KINDS)


def _message(where: Where, error: dict[str, Any]) -> str:
    name = next((step for step in reversed(where) if isinstance(step, str)), "the task")
    value = error["input"]
    match error["type"]:
        case "missing":
            return f"{_owner(where[:-1])} lacks {name!r}"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", error["ctx"]["expected"])
            return unknown(name, value, choices) if isinstance(value, str) else f"{name}: one of {known(choices)}"
        case "string_pattern_mismatch":
            return f"{name}: {value!r} does not fit {error['ctx']['pattern']}"
        case "value_error":
            return str(error["msg"]).removeprefix("Value error, ")
    shown = f", not {value!r}" if isinstance(value, str | int | float) or value is None else ""
    said = error["msg"].removeprefix("Input ").replace("valid string", "text")
    return f"{name}: {said}{shown if len(shown) < 80 else ''}"


def _owner(where: Where) -> str:
    """Return the part that lacks a field: ``testcase 2``, ``'flow' of testcase 2``, ``the task``."""
    owner = "the task"
    for step, after in zip(where, (*where[1:], None), strict=False):
        if isinstance(after, int):
            owner = f"{str(step).replace('_', ' ').removesuffix('s')} {after + 1}"
        elif isinstance(step, str):
            owner = repr(step) if owner == "the task" else f"{step!r} of {owner}"
    return owner


def _error(path: Path, tree: Tree, problems: Problems) -> TaskFileError:
    placed = problems.placed(lambda where: tree.place_of(where, _SPELLING))
    (line, column), _ = placed[0]
    return TaskFileError(in_one_text(placed), path=path, line=line, column=column, problems=placed)
