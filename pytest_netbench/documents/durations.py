"""How people write durations, in all files and options: ``90s``, ``10m``, ``1h30m``, or a number of seconds.

Models, results and the ANI have seconds as numbers, in fields whose names end in ``_s``. People write the name without
it. Earlier versions had other words in some places, which are still understood, with a warning.
"""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from pytest_netbench.documents.problems import SyntaxProblem
from pytest_netbench.documents.tree import Tree

EXAMPLE: Final = "such as 90s, 10m, 1h30m or 500ms"
EACH: Final = "*"
"""In a place: each entry of a list."""
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_NUMBER: Final = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_PART: Final = re.compile(rf"({_NUMBER})\s*(ms|h|m|s)")
_WHOLE: Final = re.compile("".join(rf"(?:{_NUMBER}\s*{unit}(?![a-z])\s*)?" for unit in ("h", "m", "s", "ms")))

Words = Mapping[tuple[str, ...], str]
"""By the place of a duration as people write it: the name of the model's field, which they may have written before."""


def seconds(value: object) -> float:
    """Return the seconds of a duration.

    Args:
        value: A number of seconds, also as text, or text with units from hours to milliseconds, in this order.

    Raises:
        ValueError: It is no duration.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0 or not math.isfinite(value):
            raise ValueError(f"{value!r} is not a duration {EXAMPLE}")
        return float(value)
    text = value.strip().lower() if isinstance(value, str) else ""
    if re.fullmatch(_NUMBER, text):
        return float(text)
    # a unit follows each number, so that a letter behind "5m" is no unit of its own
    spaced = re.sub(r"(ms|h|m|s)(?=[0-9])", r"\1 ", text)
    if not text or _WHOLE.fullmatch(spaced) is None:
        raise ValueError(f"{value!r} is not a duration {EXAMPLE}")
    return round(sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text)), 9)


def with_seconds(tree: Tree, words: Words, *, path: Path) -> None:
    """Replace the durations of a file by seconds in the model's fields, in place.

    Args:
        tree: The file.
        words: Its durations.
        path: For warnings: each place with a word of an earlier version is one.

    Raises:
        SyntaxProblem: A duration is none, or is given twice.
    """
    for place, field in words.items():
        *above, name = place
        for mapping in _mappings(tree, above):
            if field in mapping.value:
                line = mapping.lines[field]
                if name in mapping.value:
                    raise SyntaxProblem(f"{name!r} and {field!r} are the same: leave {field!r} out", line)
                warn_of(field, name, where=f"{path}:{line}")
            elif name in mapping.value:
                line = mapping.lines.pop(name)
                given = mapping.value.pop(name)
                seconds = _seconds(given.value, ".".join(place), line)
                mapping.value[field] = replace(given, value=seconds)
                mapping.lines[field] = line
                mapping.columns[field] = mapping.columns.pop(name)


def warn_of(former: str, name: str, *, where: str) -> None:
    """Warn of a word of an earlier version, which was accepted: once, and not in workers of pytest-xdist as well."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        warn_once(f"{where}: {former!r} is called {name!r} now, and takes a duration {EXAMPLE}, or seconds")


@cache  # files are read several times in a run
def warn_once(message: str) -> None:
    """Warn of what is deprecated, once for each message and place."""
    warnings.warn(message, FutureWarning, stacklevel=3)


def spelling(words: Words) -> dict[str, str]:
    """By the name of a model's field: what people write instead."""
    return {field: place[-1] for place, field in words.items()}


def _seconds(value: Any, name: str, line: int) -> float | None:
    if value is None:
        return None
    try:
        return seconds(value)
    except ValueError as error:
        raise SyntaxProblem(f"{name}: {error}", line) from None


def _mappings(tree: Tree, place: list[str]) -> Iterator[Tree]:
    if not place:
        if isinstance(tree.value, dict):
            yield tree
    elif place[0] == EACH:
        for one in tree.value if isinstance(tree.value, list) else ():
            yield from _mappings(one, place[1:])
    elif isinstance(tree.value, dict) and place[0] in tree.value:
        yield from _mappings(tree.value[place[0]], place[1:])
