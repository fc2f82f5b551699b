"""The lines of a section in order, indexed by command and arguments. Independent of IOS's order of lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, MutableSequence
from typing import Any, Protocol, TypeVar, overload

from pytest_netbench.platforms.cisco_ios.grammar.command import Match

_MARKING = str | int
"""The index value of a single argument; arguments that may occur several times are lists."""


class Line(Protocol):
    """What is needed of an entry."""

    @property
    def name(self) -> str:
        """The name of its command."""

    @property
    def match(self) -> Match:
        """The parsed line."""


Entry = TypeVar("Entry", bound=Line)


class Lines(MutableSequence[Entry]):
    """A list of entries with an index by command and argument."""

    def __init__(self) -> None:
        self._order: list[Entry] = []
        self._known: dict[Hashable, dict[Entry, int]] = {}
        """The index: by each mark of an entry, the entries that have it and their number of occurrences."""

    def among(self, name: str, args: Iterable[tuple[str, Any]] = ()) -> Collection[Entry]:
        """Return, unordered, all entries of the command ``name`` that have ``args``, and possibly a few others."""
        marks = [(name, key, value) for key, value in args if isinstance(value, _MARKING)]
        return min((self._known.get(mark, {}) for mark in (name, *marks)), key=len)

    def without_keys(self, name: str) -> Collection[Entry]:
        """Return the entries of the command ``name`` that have no key arguments."""
        return self._known.get((name, None), {})

    def replace(self, old: Entry, new: Entry) -> None:
        """Replace an entry by another."""
        self[self.index(old)] = new

    def sort(self, *, key: Callable[[Entry], Any]) -> None:
        """Sort the entries."""
        self._order.sort(key=key)

    def insert(self, index: int, value: Entry) -> None:
        self._order.insert(index, value)
        self._note(value)

    def remove(self, value: Entry) -> None:
        self._order.remove(value)
        self._forget(value)

    def index(self, value: Entry, start: int = 0, stop: int = sys.maxsize) -> int:
        return self._order.index(value, start, stop)

    def __contains__(self, value: object) -> bool:
        return value in self._known.get(None, ())

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._order)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self._order[index]

    @overload
    def __setitem__(self, index: int, value: Entry) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Iterable[Entry]) -> None: ...
    def __setitem__(self, index: int | slice, value: Any) -> None:
        before, after = self._several(index), list(value) if isinstance(index, slice) else [value]
        if before != after:
            self._order[index if isinstance(index, slice) else slice(index, index + 1 or None)] = after
            for entry in before:
                self._forget(entry)
            for entry in after:
                self._note(entry)

    def __delitem__(self, index: int | slice) -> None:
        for entry in self._several(index):
            self._forget(entry)
        del self._order[index]

    def _several(self, index: int | slice) -> list[Entry]:
        return self._order[index] if isinstance(index, slice) else [self._order[index]]

    def _note(self, entry: Entry) -> None:
        for mark in _marks(entry):
            having = self._known.setdefault(mark, {})
            having[entry] = having.get(entry, 0) + 1

    def _forget(self, entry: Entry) -> None:
        for mark in _marks(entry):
            having = self._known[mark]
            having[entry] -= 1
            if not having[entry]:
                del having[entry]
            if not having:
                del self._known[mark]


def _marks(entry: Line) -> set[Hashable]:
    """Return the index marks of an entry: being an entry, its command, and each single argument."""
    name, match = entry.name, entry.match
    keyless = () if match.keys else ((name, None),)
    return {None, name, *keyless, *((name, *pair) for pair in match.args.items() if isinstance(pair[1], _MARKING))}
