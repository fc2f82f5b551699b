"""Parts by name: those of this package, and third-party dialects, drivers, families and whatever ``Group`` names.

A third party's part registers itself in its distribution's metadata, e.g.
``[project.entry-points."pytest_netbench.dialects"]``. A name of this package stays this package's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from pytest_netbench.builtin import PLACES
from pytest_netbench.errors import UsageError

Group = Literal[
    "dialects", "drivers", "backends", "families", "agents", "scorers", "generators", "faults", "sandboxes", "clusters"
]


def names(group: Group) -> tuple[str, ...]:
    """Names known in ``group``, sorted."""
    return tuple(sorted({point.name for point in _points(group)}))


def place(group: Group, name: str) -> str:
    """Where the part called ``name`` is, as ``module:attribute``; empty if there is none."""
    return next((point.value for point in _points(group) if point.name == name), "")


def load(group: Group, name: str) -> Any:
    """Load the part called ``name``.

    Raises:
        UsageError: No such part; names the known ones and the nearest.
    """
    for point in _points(group):
        if point.name == name:
            return point.load()
    raise unknown(name, group)


def unknown(name: str, group: Group, *others: Group) -> UsageError:
    """The error that no part of ``group`` or of ``others`` is called ``name``; names the known ones and the nearest."""
    known = sorted({one for several in (group, *others) for one in names(several)})
    near = get_close_matches(name, known, n=1)
    return UsageError(
        f"unknown {'family' if group == 'families' else group.removesuffix('s')} {name!r} (known:"
        f" {', '.join(known) or 'none'})." + (f" Did you mean {near[0]!r}?" if near else "")
    )


def is_ours(group: Group, name: str) -> bool:
    """Whether the part called ``name`` is one of this package, or none at all."""
    return place(group, name).partition(".")[0] in {"", __package__}


def package(group: Group, name: str) -> str:
    """The distribution of the part called ``name`` and its version, e.g. ``my-faults 1.0``; empty if it has none."""
    points = (point for point in _installed(group, tuple(sys.path)) if point.name == name)
    dist = next((point.dist for point in points), None)
    return "" if dist is None else f"{dist.name} {dist.version}"


def _points(group: Group) -> Iterator[EntryPoint]:
    yield from _built_in(group)
    yield from _installed(group, tuple(sys.path))


@cache  # reading the metadata of all distributions takes 10 ms, and a trial loads about twenty parts
def _installed(group: Group, _search_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=f"pytest_netbench.{group}"))


@cache
def _built_in(group: Group) -> tuple[EntryPoint, ...]:
    if group == "faults":
        places: Mapping[str, str] = import_module(f"{__package__}.faults").catalogue()
    else:
        places = {name: f"{__package__}.{value}" for name, value in PLACES[group].items()}
    return tuple(EntryPoint(name, value, f"{__package__}.{group}") for name, value in places.items())
