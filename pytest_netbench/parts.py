"""Parts by name, from entry points: built-in and third-party dialects, drivers, families and whatever ``Group`` names.

A part registers itself in its distribution's metadata, e.g. ``[project.entry-points."pytest_netbench.dialects"]``. In a
checkout of this project the metadata may be older than ``pyproject.toml``; what only the file names is found, too.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Literal

from pytest_netbench.errors import UsageError

Group = Literal[
    "dialects", "drivers", "backends", "families", "agents", "scorers", "generators", "faults", "sandboxes", "clusters"
]


def names(group: Group) -> tuple[str, ...]:
    """Names known in ``group``, sorted."""
    return tuple(sorted({point.name for point in (*_installed(group, tuple(sys.path)), *_declared(group))}))


def place(group: Group, name: str) -> str:
    """Where the part called ``name`` is, as ``module:attribute``; empty if there is none."""
    points = (*_declared(group), *_installed(group, tuple(sys.path)))
    return next((point.value for point in points if point.name == name), "")


def load(group: Group, name: str) -> Any:
    """Load the part called ``name``.

    Raises:
        UsageError: No such part; names the known ones and the nearest.
    """
    for point in (*_declared(group), *_installed(group, tuple(sys.path))):
        if point.name == name:
            return point.load()
    raise unknown(name, group)


def unknown(name: str, group: Group, *others: Group) -> UsageError:
    """The error that no part of ``group`` or of ``others`` is called ``name``; names the known ones and the nearest."""
    known = sorted({one for several in (group, *others) for one in names(several)})
    near = get_close_matches(name, known, n=1)
    if not known:
        return UsageError(
            f"no part of the group pytest_netbench.{group} is installed, so there is no {name!r}. If pyproject.toml"
            " names one, the installed metadata is out of date; renew it: pip install --no-deps -e . (or reinstall"
            " pytest-netbench)"
        )
    return UsageError(
        f"unknown {'family' if group == 'families' else group.removesuffix('s')} {name!r} (known:"
        f" {', '.join(known) or 'none'})." + (f" Did you mean {near[0]!r}?" if near else "")
    )


def is_ours(group: Group, name: str) -> bool:
    """Whether the part called ``name`` is one of this package, or none at all."""
    found = (point.module for point in (*_declared(group), *_installed(group, tuple(sys.path))) if point.name == name)
    return next(found, __package__).partition(".")[0] == __package__


def package(group: Group, name: str) -> str:
    """The distribution of the part called ``name`` and its version, e.g. ``my-faults 1.0``; empty if it has none."""
    points = (point for point in _installed(group, tuple(sys.path)) if point.name == name)
    dist = next((point.dist for point in points), None)
    return "" if dist is None else f"{dist.name} {dist.version}"


@cache  # reading the metadata of all distributions takes 10 ms, and a trial loads about twenty parts
def _installed(group: Group, search_path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001  (a key only)
    return tuple(entry_points(group=f"pytest_netbench.{group}"))


@cache
def _declared(group: Group) -> tuple[EntryPoint, ...]:
    """Parts that ``pyproject.toml`` of the checkout names; none in an installed package, which has no such file."""
    path = Path(__file__).parents[1] / "pyproject.toml"
    if not path.is_file():
        return ()
    import tomllib  # noqa: PLC0415  (only in a checkout)

    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    named = project.get("entry-points", {}).get(f"pytest_netbench.{group}", {})
    return tuple(EntryPoint(name, value, f"pytest_netbench.{group}") for name, value in named.items())
