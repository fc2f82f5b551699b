"""Ids of drawn tasks, e.g. ``repair-routing[s7-0042-DR+WR-oracle]``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_DRAWN: Final = re.compile(
    r"(?P<generator>[a-z0-9][a-z0-9_.-]*)\[s(?P<seed>\d+)-(?P<index>\d{4,})(-(?P<label>[^-\]]+)(-(?P<trial>.+))?)?\]"
)


@dataclass(frozen=True, kw_only=True)
class DrawnId:
    """What an id says of a draw.

    ``label`` is ``None`` for a draw that failed. ``trial`` is the agent and the number of the trial, or ``selftest``;
    ``None`` if the id names the task alone.
    """

    generator: str
    seed: int
    index: int
    label: str | None
    trial: str | None


def drawn_id(text: str) -> DrawnId | None:
    """The parts of an id; ``None`` if ``text`` is no id of a drawn task."""
    found = _DRAWN.fullmatch(text)
    if found is None:
        return None
    return DrawnId(
        generator=found["generator"],
        seed=int(found["seed"]),
        index=int(found["index"]),
        label=found["label"],
        trial=found["trial"],
    )
