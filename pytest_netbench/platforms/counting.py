"""Counters that the program of a node keeps, beside those of its interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True, kw_only=True)
class ProgramCounter:
    """A counter of packets and bytes.

    Attributes:
        name: The counter, or the table whose entries it counts.
        place: The port that it counts at; ``None`` if it counts what matched any entry of a table.
    """

    name: str
    place: int | None
    packets: int
    bytes: int


@runtime_checkable
class CountsInProgram(Protocol):
    """What a driver may offer beyond ``Driver``: the counters of the program that a node runs."""

    def program_counters(self, node: Any) -> list[ProgramCounter]:
        """The counters of ``node``, those of tables first."""
        ...
