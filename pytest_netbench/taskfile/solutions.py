"""Reads the recorded solutions of a task, ``.solutions/SLUG.yaml`` beside its file; every error with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from pytest_netbench.documents import reading
from pytest_netbench.documents.problems import Problems, Where, in_one_text, unknown
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import SolutionsFileError, UsageError
from pytest_netbench.model.configure import Configure, configuration_of
from pytest_netbench.model.solutions import LEAST_RIGHT, LEAST_WRONG, ExplainedMutant, Solution, Solutions
from pytest_netbench.model.task import Task

FOLDER: Final = ".solutions"
WIDTH: Final = 120
MANAGED: Final = "managed"
_KINDS: Final = ("right", "wrong")

Judge = Callable[[Solution], str | None]
"""Says why a solution is no right solution of its own, or ``None``."""


def solutions_path(task_file: Path, slug: str) -> Path:
    """Where the recorded solutions of the task in ``task_file`` are."""
    return task_file.parent / FOLDER / f"{slug}.yaml"


def load_solutions(path: Path, task: Task, *, judge: Judge | None = None, data: bytes | None = None) -> Solutions:
    """The solutions in ``path``, checked against ``task``.

    Args:
        path: The file.
        task: The task that they solve.
        judge: An additional check of each right solution.
        data: The content of the file, if it is not on the disk.

    Raises:
        SolutionsFileError: With the line of the first problem; its message lists the others.
    """
    tree = reading.read(path, error=SolutionsFileError, example="right: …", data=data)
    problems = Problems()
    solutions = _validated(tree, problems)
    if solutions is not None:
        _Checker(configuration_of(task), problems).check(solutions)
        if judge is not None and not problems:
            for index, one in enumerate(solutions.right):
                if (objection := judge(one)) is not None:
                    problems.add(("right", index), f"solution {one.name!r}: {objection}")
    if solutions is None or problems:
        raise _error(path, tree, problems)
    return solutions


def with_right(text: str, solution: Solution) -> str:
    """The text of a solutions file with one more right solution; all else stays as it is written.

    Args:
        text: The file; empty if there is none yet.
        solution: What is added, at the end of the right ones.

    Raises:
        UsageError: The right solutions stand in one line, so that nothing can be put between them.
    """
    plain = solution.model_dump(mode="json", exclude_defaults=True)
    lines = text.splitlines()
    begin = next((number for number, line in enumerate(lines) if re.match(r"right:", line)), None)
    if begin is None:
        return "\n".join([*lines, "right:", *_entry(plain, "  ")]) + "\n"
    if lines[begin].partition("#")[0].strip() != "right:":
        raise UsageError("the right solutions stand in one line; write each as an item of its own line first")
    inside = list(takewhile(lambda line: not re.match(r"[^\s#-]", line), lines[begin + 1 :]))
    while inside and not inside[-1].strip():
        inside.pop()
    first = next((line for line in inside if line.lstrip().startswith("-")), "  -")
    end = begin + 1 + len(inside)
    return "\n".join([*lines[:end], *_entry(plain, first[: first.index("-")]), *lines[end:]]) + "\n"


def _entry(plain: dict[str, Any], indent: str) -> list[str]:
    """A solution as the lines of one item of a list."""
    dumped = yaml.safe_dump([plain], sort_keys=False, allow_unicode=True, width=WIDTH)
    return [f"{indent}{line}" for line in dumped.splitlines()]


def _validated(tree: Tree, problems: Problems) -> Solutions | None:
    try:
        return Solutions.model_validate(tree.plain())
    except ValidationError as error:
        for one in error.errors(include_url=False):
            problems.add(one["loc"], _message(tree, one["loc"], one["type"], one["msg"]))
    return None


def _message(tree: Tree, where: Where, kind: str, text: str) -> str:
    field = str(where[-1])
    if kind == "missing" and field in {"name", "reason", "configs"}:
        return f"{_owner(tree, where[:-1])} lacks {field!r}"
    if kind == "extra_forbidden":
        known = {1: Solutions, 3: ExplainedMutant if where[0] == "mutants" else Solution}.get(len(where))
        if known is not None:
            return unknown("field", field, list(known.model_fields))
    return f"{'.'.join(map(str, where))}: {text.removeprefix('Input ')}"


def _owner(tree: Tree, where: Where) -> str:
    """Return the solution at ``where`` in words: by its name if it has one, else by its position."""
    kind, index = str(where[0]), int(where[1])
    entry = tree.plain()[kind][index]
    name = entry.get("name") if isinstance(entry, dict) else None
    word = "mutant" if kind == "mutants" else f"{kind} solution"
    return f"{word} {name!r}" if name else f"{word} {index + 1}"


class _Checker:
    """Checks well-formed solutions against their task."""

    def __init__(self, payload: Configure, problems: Problems) -> None:
        self._nodes = payload.topology.controls
        self._payload = payload
        self._problems = problems

    def check(self, solutions: Solutions) -> None:
        names = {one.solution_id for one in self._payload.further_ground_truths}
        for kind in _KINDS:
            for index, one in enumerate(getattr(solutions, kind)):
                self._solution((kind, index), kind, one)
                if one.name in names:
                    self._problems.add((kind, index, "name"), f"the name {one.name!r} is given twice")
                names.add(one.name)
        self._enough(solutions)
        for index, mutant in enumerate(solutions.mutants):
            self._mutant(("mutants", index), mutant)

    def _enough(self, solutions: Solutions) -> None:
        written = (*solutions.right, *solutions.wrong)
        if written and all(one.provenance is not None for one in written):
            return  # all are harvested from trials: nobody has written solutions yet
        count = len(solutions.right) + len(self._payload.further_ground_truths)
        if count < LEAST_RIGHT:
            self._problems.add(
                ("right",), f"{count} right solutions; a task needs {LEAST_RIGHT} that differ in mechanism or structure"
            )
        if len(solutions.wrong) < LEAST_WRONG:
            self._problems.add(("wrong",), f"{len(solutions.wrong)} wrong solutions; a task needs {LEAST_WRONG}")
        if not self._payload.topology.all_managed and not any(one.tampers for one in solutions.wrong):
            self._problems.add(
                ("wrong",), "no wrong solution tampers: add one with 'tampers: true' that changes a node not managed"
            )

    def _solution(self, where: Where, kind: str, one: Solution) -> None:
        for field in ("name", "reason"):
            if not getattr(one, field).strip():
                self._problems.add((*where, field), f"{kind} solution {one.name!r}: {field!r} is empty")
        if not any(line.strip() for lines in one.configs.values() for line in lines):
            self._problems.add((*where, "configs"), f"solution {one.name!r} configures nothing")
        for node in one.configs:
            if node not in self._nodes:
                self._problems.add(
                    (*where, "configs", node), f"solution {one.name!r}: {unknown('node', node, self._nodes)}"
                )
        for message in self._control(kind, one):
            self._problems.add((*where, "configs"), f"solution {one.name!r}: {message}")

    def _control(self, kind: str, one: Solution) -> Iterator[str]:
        others = [node for node in one.configs if self._nodes.get(node, MANAGED) != MANAGED]
        if one.tampers and kind == "right":
            yield "a right solution does not tamper; remove 'tampers'"
        elif one.tampers and not others and set(one.configs) <= self._nodes.keys():
            yield "'tampers: true', but it configures only managed nodes"
        elif others and not one.tampers:
            control = self._nodes[others[0]]
            yield f"{others[0]} is {control}, so the ANI refuses it; a wrong one says 'tampers: true'"

    def _mutant(self, where: Where, one: ExplainedMutant) -> None:
        if one.node not in self._nodes:
            self._problems.add((*where, "node"), unknown("node", one.node, self._nodes))
            return
        truth = {line.strip(): None for line in self._payload.truth_of(one.node)}
        if one.line.strip() not in truth:
            self._problems.add((*where, "line"), unknown(f"ground-truth line of {one.node!r}", one.line, truth))
        if not one.reason.strip():
            self._problems.add((*where, "reason"), f"the mutant {one.mutant!r} has no reason")


def _error(path: Path, tree: Tree, problems: Problems) -> SolutionsFileError:
    placed = problems.placed(tree.place_of)
    (line, column), _ = placed[0]
    return SolutionsFileError(in_one_text(placed), path=path, line=line, column=column, problems=placed)
