"""Results of a family's self-test of a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class TruthConfigs:
    """Running configs before and after the ground truth is applied, by node.

    ``right``: the configs after each recorded right solution, by its name; ``None`` if they were not run.
    ``right_reasoning``: the reasoning of those that have one.
    """

    initial: dict[str, str]
    final: dict[str, str]
    right: dict[str, dict[str, str]] | None = None
    right_reasoning: dict[str, str] | None = None


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
