"""What ``netbench validate`` finds in one task file: findings with their places, and facts about a good file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_netbench.documents.problems import Place
    from pytest_netbench.model.solutions import Solutions
    from pytest_netbench.model.task import Task
    from pytest_netbench.taskfile.places import Places
    from pytest_netbench.taskfile.review import Finding
    from pytest_netbench.trial.refusals import Refusal
    from pytest_netbench.trial.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A task file that loads.

    ``solutions`` are those recorded beside it, and ``lines`` find the lines of a file.
    """

    task: Task
    path: Path
    solutions: Solutions | None
    recorded: Path

    def findings(self) -> list[tuple[Path, Finding]]:
        """Mistakes that show without a lab, each with its file, in the order of files and lines."""
        from pytest_netbench.taskfile.places import Places  # imports pydantic
        from pytest_netbench.taskfile.review import review
        from pytest_netbench.trial.refusals import batches_of, rehearsed

        found = [(self.path, one) for one in review(self.task, Places(self.path), is_draft=self._is_draft())]
        if self.task.has_network:
            refused = self._placed(rehearsed(self.task, batches_of(self.task, self.solutions)))
            found += others(refused, found)
        return _in_order(found)

    def booted(self, settings: Settings, progress: Callable[[str], object]) -> list[tuple[Path, Finding]]:
        """The lines that devices of a lab refuse, each with its file.

        Raises:
            RequirementMissing: This machine cannot deploy the network.
            InfrastructureError: A lab could not be brought up.
        """
        from pytest_netbench.trial.refusals import batches_of, booted  # imports pydantic

        batches = batches_of(self.task, self.solutions)
        return _in_order(list(self._placed(booted(self.task, batches, settings, progress=progress))))

    def _placed(self, refusals: Iterator[Refusal]) -> Iterator[tuple[Path, Finding]]:
        from pytest_netbench.taskfile.review import Finding  # imports pydantic

        places = self._places()
        for one in refusals:
            path, place = place_of(one, places)
            yield path, Finding(place=place, message=str(one), about=one.about)

    def _places(self) -> Mapping[Path, Places]:
        from pytest_netbench.taskfile.places import Places  # imports pydantic

        paths = [self.path] if self.solutions is None else [self.path, self.recorded]
        return {path: Places(path) for path in paths}

    def _is_draft(self) -> bool:
        from pytest_netbench.documents import reading
        from pytest_netbench.errors import TaskFileError
        from pytest_netbench.taskfile.draft import is_draft  # imports pydantic

        if self.path.suffix.lower() != ".json":
            return False
        return is_draft(reading.read(self.path, error=TaskFileError, example="task_name: …").plain())


def place_of(one: Refusal, places: Mapping[Path, Places]) -> tuple[Path, Place]:
    """The file and the place of a refused line.

    Args:
        one: The line.
        places: The task file, and then that of its solutions.
    """
    paths = list(places)
    if one.source is None:
        return paths[0], places[paths[0]].startup(one.node, one.number, one.offset, line=one.line)
    if one.source[0] == "events":
        return paths[0], places[paths[0]].command(one.source, one.number, one.offset)
    path = paths[0] if len(one.source) == 1 else paths[-1]
    return path, places[path].command((*one.source, one.node), one.number, one.offset)


def others(found: Iterable[tuple[Path, Finding]], known: Iterable[tuple[Path, Finding]]) -> list[tuple[Path, Finding]]:
    """Those in ``found`` that are about other lines than those in ``known``."""
    told = {one.about for _, one in known}
    return [(path, one) for path, one in found if one.about not in told]


def merged(found: list[tuple[Path, Finding]], refused: list[tuple[Path, Finding]]) -> list[tuple[Path, Finding]]:
    """What was found without a lab, with what the devices said of the same lines, and what only they found."""
    said = {one.about: one.message for _, one in refused}
    both = []
    for path, one in found:
        words = said.get(one.about)
        more = "" if words is None or words == one.message else f" ({words})"
        both.append((path, replace(one, message=f"{one.message}{more}")))
    return _in_order([*both, *others(refused, found)])


def _in_order(found: list[tuple[Path, Finding]]) -> list[tuple[Path, Finding]]:
    order = list(dict.fromkeys(path for path, _ in found))
    return sorted(found, key=lambda pair: (order.index(pair[0]), pair[1]))
