"""Parts by name: platforms, backends, families, agents and scorers, built-in and third-party alike, from entry points.

A part registers itself in its distribution's metadata, e.g. ``[project.entry-points."pytest_netbench.platforms"]``.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, Literal

from pytest_netbench.errors import UsageError

Group = Literal["platforms", "backends", "families", "agents", "scorers", "generators"]


def names(group: Group) -> tuple[str, ...]:
    """Names known in ``group``, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=f"pytest_netbench.{group}")}))


def load(group: Group, name: str) -> Any:
    """Load the part called ``name``.

    Raises:
        UsageError: No such part; names the known ones and the nearest.
    """
    for point in entry_points(group=f"pytest_netbench.{group}", name=name):
        return point.load()
    known = names(group)
    near = get_close_matches(name, known, n=1)
    raise UsageError(
        f"unknown {'family' if group == 'families' else group.removesuffix('s')} {name!r} (known: {', '.join(known) or 'none'})."
        + (f" Did you mean {near[0]!r}?" if near else "")
    )
