"""Typing pairs of forms on a device, and finding the pairs of which something stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import unified_diff
from functools import cache
from typing import Final

from pytest_netbench.platforms.cisco_ios.device.device import Device
from tests.support.ios import Session
from tests.support.ios_forms import BASE, MOST_PAIRS, SWITCH, Pair, pairs
from tests.support.ios_histories import history

TOGETHER: Final = 20
"""How many pairs are typed together."""
_OF_ONE_MAP: Final = 2
"""The same of matches of one route map: FRR gets an entry for each combination of their values."""

Compares = Callable[[Sequence[Pair]], list[str]]
"""Returns what stays of the first forms of some pairs, one line each."""


@cache
def parts() -> list[tuple[Pair, ...]]:
    """The pairs that are tried, in parts: of one role; apart are exceptions, and a second way into one process."""
    kinds: dict[tuple[bool, str, bool, int], list[Pair]] = {}
    for pair in pairs()[:MOST_PAIRS]:
        many = _OF_ONE_MAP if pair.mode == "route-map" and history(pair) is not None else TOGETHER
        kind = history(pair) is not None, pair.role, pair.mode.startswith("router-ospfv3"), many
        kinds.setdefault(kind, []).append(pair)
    return [
        tuple(some[at : at + kind[-1]]) for kind, some in sorted(kinds.items()) for at in range(0, len(some), kind[-1])
    ]


def base(pair: Pair) -> str:
    """The config to which a pair is added."""
    return SWITCH if pair.role == "switch" else BASE


def with_all(lines: Iterable[tuple[Pair, str]]) -> str:
    """The config that has these lines from the start."""
    some = list(lines)
    return base(some[0][0]) + "".join(pair.config(line) for pair, line in some)


def enter(device: Device, lines: Iterable[tuple[Pair, str]]) -> None:
    """Type lines, each in its mode, as one batch."""
    with device.batch():
        for pair, line in lines:
            session = Session(device)
            session.enter("configure terminal")
            for words in (*pair.place, line):
                session.enter(words)
            session.interrupt()


def changed(before: str, after: str, *, ordered: bool = True) -> list[str]:
    """The lines of two configs that differ. Lines of several pairs may stand in the order in which they were typed."""
    texts = [text.splitlines() if ordered else sorted(text.splitlines()) for text in (before, after)]
    lines = unified_diff(*texts, n=0, lineterm="")
    return [f"config: {line}" for line in lines if line[:3] not in {"---", "+++"} and not line.startswith("@@")]


def traces(some: Sequence[Pair], compare: Compares) -> list[str]:
    """The pairs of which something stays, with what stays; all together if none of them leaves it alone."""
    left = compare(some)
    if not left or len(some) == 1:
        return [f"{pair.mode}: {pair.first} | {pair.then}: {left[:6]}" for pair in some if left]
    half = len(some) // 2
    return [*traces(some[:half], compare), *traces(some[half:], compare)] or [f"together: {left}"]
