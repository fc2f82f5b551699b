"""The self-test of a task by its family: how much is proved, and the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_netbench.model.solutions import Solutions
from pytest_netbench.model.task import digest_of

DEFAULT_MUTANTS = 40


@dataclass(frozen=True, kw_only=True)
class TruthConfigs:
    """Running configs before and after the ground truth is applied, by node.

    ``right``: those after each recorded right solution, by its name; ``None`` if not all of them were measured.
    ``right_reasoning``: the reasoning of those that have one.
    """

    initial: dict[str, str]
    final: dict[str, str]
    right: dict[str, dict[str, str]] | None = None
    right_reasoning: dict[str, str] | None = None


class Memory(Protocol):
    """Keeps results of measurements from one self-test to the next."""

    def get(self, *key: Any) -> Any | None:
        """What was kept under ``key``, JSON values; ``None`` if nothing was."""
        ...

    def put(self, *key: Any, value: Any) -> None:
        """Keep ``value``, JSON values."""
        ...


class NoMemory:
    """Keeps nothing."""

    def get(self, *key: Any) -> Any | None:  # nothing is kept
        return None

    def put(self, *key: Any, value: Any) -> None:  # nothing is kept
        return


@dataclass(frozen=True, kw_only=True)
class Extent:
    """How much of a task is proved.

    Attributes:
        repeats: How often everything is measured.
        claims: Names of the claims that are proved; ``None`` is what the family proves by default.
        solutions: Recorded solutions of the task; ``None`` if there are none.
        mutants: At most so many mutants of the ground truth; 0 is all of them.
        share: One of so many omissions, recorded solutions and mutants is measured.
        seed: Draws them.
        side_by_side: At most so many stages are open at a time: a stage whose testcases fail mostly waits.
        memory: Keeps results between self-tests.
    """

    repeats: int = 3
    claims: tuple[str, ...] | None = None
    solutions: Solutions | None = None
    mutants: int = DEFAULT_MUTANTS
    share: int = 1
    seed: int = 1
    side_by_side: int = 1
    memory: Memory = field(default_factory=NoMemory)

    def drawn(self, *name: object) -> bool:
        """Whether what is called ``name`` belongs to the share that is measured; the same on any machine."""
        return self.lot(*name) % self.share == 0

    def lot(self, *name: object) -> int:
        """A number for what is called ``name``, drawn by the seed."""
        return int(digest_of([self.seed, *map(str, name)]), 16)


@dataclass(frozen=True, kw_only=True)
class Proof:
    """The results for one task. ``problems`` is empty for a usable task.

    ``shown`` maps each claim to its result; ``listed`` maps a heading to lines. Both are for people.
    ``truth`` is recorded for the command and the reasoning score, if the family has one.
    """

    problems: tuple[str, ...]
    shown: Mapping[str, str]
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    truth: TruthConfigs | None = None
