"""What a family shows of a task in the self-test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class TruthConfigs:
    """Running configs before and after the ground truth is applied, by node."""

    initial: dict[str, str]
    final: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Proof:
    """What was shown of a task. ``problems`` is empty for a task that may be used.

    ``shown`` maps what was to be shown to what came out; ``listed`` maps a heading to lines. Both are for people.
    ``truth`` is recorded for the command score, if the family has one.
    """

    problems: tuple[str, ...]
    shown: Mapping[str, str]
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    truth: TruthConfigs | None = None
