"""What differs between the results of two checkouts, and what may: pure, without labs. See ``equal_results.py``.

A value is named by its path: ``scores.command.value``. Items of a list that have a name are named by it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

MISSING: Final = "(missing)"
_MOST_OF_AN_ITEM: Final = 8
_LONGEST: Final = 60


class Allowed(NamedTuple):
    """What may differ: a pattern of paths, and why; in results of one family only, if it is given."""

    path: str
    reason: str
    family: str | None = None


ALLOWED: Final = (
    Allowed("started_at", "time of day"),
    Allowed("duration_s", "wall time"),
    Allowed("deploy_s", "wall time"),
    Allowed("agent_s", "wall time"),
    Allowed("evaluate_s", "wall time"),
    Allowed("budget_used.wall_s", "wall time"),
    Allowed("usage.waited_s", "wall time"),
    Allowed("testcase_results.*.duration_s", "wall time"),
    Allowed("environment.readiness.waited_s", "wall time"),
    Allowed("scores.latency.value", "the score is a time"),
    Allowed("scores.outage.value", "the score is a time"),
    Allowed("scores.netarena.latency.value", "the score is a time"),
    Allowed("scores.*.evidence.seconds", "wall time"),
    Allowed("scores.*.evidence.right_since_s", "wall time"),
    Allowed("scores.*.evidence.resolved_at_s", "wall time"),
    Allowed("scores.*.evidence.precision_s", "how exactly a time is known, which depends on the load"),
    Allowed("environment.git_commit", "two checkouts have two commits"),
    Allowed("environment.netbench", "version of the package"),
    Allowed("environment.python", "each checkout has its own interpreter"),
    Allowed("environment.pytest", "each checkout has its own packages"),
    Allowed("environment.isolation.*", "a backend states it only since access to nodes is made of capabilities"),
    Allowed("transcript", "a path"),
    Allowed("scores.safety.*", "`plan` gains the score of safety", family="plan"),
)
"""The only values that are not compared."""

MEASURED: Final = (
    (
        r"\bno answer in [\d.]+ m?s \(\d+ tries\)(?!,)|\badministratively prohibited \(from [^)]*\)",
        "a refusal, which is not always told: routers limit the rate of ICMP errors",
    ),
    (r"\b\d+(\.\d+)? ?(ms|min|s|h|lab s)\b", "a time"),
    (r"\btried \d+ times", "tries, as many as the time of a condition allows"),
    (r"\b\d+(\.\d+)? [kMG]?bit/s", "a rate, measured with real traffic"),
    (r"\b\d+ of \d+ packets", "packets, counted in such a measurement"),
)
"""Patterns that are cut out of remarks before they are compared, and what they are."""
SHOWN: Final = (
    (r"\b\d+:\d\d:\d\d\b|\b\d+[dwy]\d+[dhw]\b|\b\d+\.\d+ secs\b", "a clock"),
    (r"\b0x[0-9A-Fa-f]+", "a checksum or a sequence number"),
    (r"(?<![\w./:])\d+(?![\w./:])", "an age or a counter"),
    (r"(?<=\S) {2,}", "spaces, as many as a counter leaves of its column"),
)
"""The same, for what devices print for testcases of the kind ``show``."""
REMARKS: Final = ("scores.*.explanation", "testcase_results.*.actual", "error", "traceback.*")
"""Texts that name what was measured."""


class Difference(NamedTuple):
    """A value that differs: the item, the path in it, and the values in the other checkout and in this one."""

    item: str
    path: str
    other: str
    here: str


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each value in ``value`` with its path, as JSON: 1 and 1.0 differ. Lines of a text are numbered from 1."""
    if isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from flat(one, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for name, one in zip(_names(value), value, strict=True):
            yield from flat(one, f"{path}.{name}" if path else name)
    elif isinstance(value, str) and "\n" in value:
        for number, line in enumerate(value.split("\n"), start=1):
            yield f"{path}:{number}", json.dumps(line, ensure_ascii=False)
    else:
        yield path, json.dumps(value, ensure_ascii=False)


def _names(items: list[Any]) -> list[str]:
    """Names of the items of a list: their own if all have one and none has it twice, else numbers."""
    for keys in (("metric",), ("name",), ("name", "under")):
        if all(isinstance(one, Mapping) and keys[0] in one for one in items):
            names = [" under ".join(str(one[key]) for key in keys if one.get(key) is not None) for one in items]
            if len(set(names)) == len(names):
                return names
    return [str(number) for number in range(len(items))]


def first_difference(item: str, other: Any, here: Any) -> Difference | None:
    """The first value that differs between two forms of a task. Nothing may."""
    return next(_differing(item, dict(flat(other)), dict(flat(here))), None)


def differences(other: Mapping[str, Any], here: Mapping[str, Any]) -> list[Difference]:
    """What differs between the results of two runs, by item: trials that only one has, and values.

    Args:
        other: By item: a line of ``results.jsonl`` of the other checkout.
        here: The same of this checkout.
    """
    found: list[Difference] = []
    for item in sorted(other.keys() | here.keys()):
        if item not in other or item not in here:
            words = [results[item]["status"] if item in results else MISSING for results in (other, here)]
            found.append(Difference(item, "status", *words))
        else:
            found += _differing(item, _compared(other[item]), _compared(here[item]))
    return found


def _compared(result: Mapping[str, Any]) -> dict[str, str]:
    """The values of a result that are compared, by path."""
    family = result.get("family")
    patterns = [one.path for one in ALLOWED if one.family in (None, family)]
    values = {path: text for path, text in flat(result) if not _fits(path, patterns)}
    shows = [f"testcase_results.*{name}*.actual" for name in _names_of_shows(result)]
    compared = {}
    for path, text in values.items():
        cut = MEASURED if _fits(path, REMARKS) else ()
        compared[path] = _cut(text, (*cut, *(SHOWN if _fits(path, shows) else ())))
    return compared


def _names_of_shows(result: Mapping[str, Any]) -> list[str]:
    found = result.get("testcase_results") or ()
    return [re.sub(r"([*?[])", r"[\1]", one["name"]) for one in found if one.get("kind") == "show"]


def _fits(path: str, patterns: Sequence[str]) -> bool:
    whole = re.sub(r":\d+$", "", path)  # without the number of a line
    return any(fnmatchcase(whole, pattern) for pattern in patterns)


def _cut(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    for pattern, what in patterns:
        text = re.sub(pattern, f"<{what.partition(',')[0]}>", text)
    return text


def _differing(item: str, other: Mapping[str, str], here: Mapping[str, str]) -> Iterator[Difference]:
    for path in dict.fromkeys((*other, *here)):
        values = other.get(path, MISSING), here.get(path, MISSING)
        if values[0] != values[1]:
            yield Difference(item, path, *values)


def table(found: list[Difference]) -> list[str]:
    """Lines that show the differences of each item: statuses and scores first, and only so many."""
    lines = []
    for item in dict.fromkeys(one.item for one in found):
        own = sorted((one for one in found if one.item == item), key=_rank)
        lines.append(item)
        for one in own[:_MOST_OF_AN_ITEM]:
            other, here = _shortened(one.other, one.here)
            lines += [f"    {one.path}", f"        other: {other}", f"        here:  {here}"]
        if len(own) > _MOST_OF_AN_ITEM:
            lines.append(f"    … and {len(own) - _MOST_OF_AN_ITEM} more")
    return lines


def _rank(one: Difference) -> int:
    last = one.path.rpartition(".")[2]
    return next((rank for rank, word in enumerate(("status", "value", "task_digest")) if last == word), 3)


def _shortened(other: str, here: str) -> tuple[str, str]:
    """Both texts from shortly before the first character that differs."""
    same = next((at for at, (a, b) in enumerate(zip(other, here, strict=False)) if a != b), min(len(other), len(here)))
    start = max(0, same - _LONGEST // 3) if max(len(other), len(here)) > _LONGEST else 0
    first, second = (
        ("…" if start else "") + text[start : start + _LONGEST] + ("…" if len(text) > start + _LONGEST else "")
        for text in (other, here)
    )
    return first, second
