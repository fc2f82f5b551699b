"""What differs between two networks: routes, states and outcomes of flows, as they were seen. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_netbench.model.behaviour import Outcome, Table


class Difference(NamedTuple):
    """What is otherwise than with the ground truth: a route, a state or a flow at a moment, and how."""

    about: str
    words: str

    def at(self, moment: str | None) -> Difference:
        """The same, seen under an event."""
        return self if moment is None else Difference(f"{moment} {self.about}", f"under {moment}: {self.words}")


Words = tuple[tuple[str, ...], ...]
"""What a device prints, as lines of words."""
States = Mapping[tuple[str, str], Words]
"""By node and command."""


@dataclass(frozen=True, kw_only=True)
class Sight:
    """What was seen of the ground truth at one moment: in the undisturbed network, or under an event."""

    outcomes: Sequence[Outcome]
    routes: Mapping[str, Table]
    states: States


def agreed(seen: Sequence[Outcome]) -> Outcome | None:
    """Return what all labs agree on, ``None`` if they do not."""
    return seen[0] if all(one == seen[0] for one in seen) else None


def other_routes(routes: Mapping[str, Table], truths: Sequence[Mapping[str, Table]]) -> Iterator[Difference]:
    """Yield the routes, by node, that are otherwise than on all labs of the ground truth."""
    for node, table in routes.items():
        known = [truth.get(node, {}) for truth in truths]
        for prefix in dict.fromkeys((*table, *(prefix for one in known for prefix in one))):
            entries = {one.get(prefix) for one in known}
            if len(entries) == 1 and table.get(prefix) not in entries:
                about = f"{node}: route {prefix}"
                yield Difference(about, f"{about}: {_shown(table.get(prefix))} instead of {_shown(entries.pop())}")


def _shown(entry: tuple[str, ...] | None) -> str:
    return "none" if entry is None else " ".join(entry)


def other_states(states: States, truths: Sequence[States]) -> Iterator[Difference]:
    """Yield what devices show otherwise than on all labs of the ground truth; a varying word may be any."""
    for (node, command), lines in states.items():
        known = [truth[node, command] for truth in truths]
        about = f"{node}: {command!r}"
        if any(len(one) != len(known[0]) for one in known):
            continue
        if len(lines) != len(known[0]):
            yield Difference(about, f"{about} has {len(lines)} lines instead of {len(known[0])}")
            continue
        for number, line in enumerate(lines):
            if not _same(line, [one[number] for one in known]):
                words = f"{about} shows {' '.join(line)!r} instead of {' '.join(known[0][number])!r}"
                yield Difference(about, words)


def _same(line: tuple[str, ...], known: Sequence[tuple[str, ...]]) -> bool:
    """Whether ``line`` is as all of ``known``; words that vary among them, e.g. timers and counters, may be any."""
    if len(line) != len(known[0]):
        return any(len(one) != len(known[0]) for one in known)
    return all(word == seen[0] or len(set(seen)) > 1 for word, *seen in zip(line, *known, strict=False))


def words_of(text: str, uncounted: Sequence[tuple[str, str]] = ()) -> Words:
    """The lines of a text as words, in an order that does not tell which came first."""
    for pattern, instead in uncounted:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return tuple(sorted(tuple(line.split()) for line in text.splitlines() if line.strip()))
