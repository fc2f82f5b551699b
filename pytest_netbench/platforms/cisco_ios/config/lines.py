"""The lines of a section in their order, and which of them are of one command or agree in a key. Knows nothing of what order IOS wants."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, MutableSequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from pytest_netbench.platforms.cisco_ios.config.tree import Entry


class Lines(MutableSequence["Entry"]):
    """A list of entries that finds those of one command, and of these the ones with a key, without looking through it."""

    def __init__(self) -> None:
        self._order: list[Entry] = []
        self._known: dict[Hashable, dict[Entry, int]] = {}
        """By each of an entry's marks: the entries that have it, and how often each is in the list."""

    def among(self, name: str, args: Iterable[tuple[str, Any]] = ()) -> Collection[Entry]:
        """Entries of the command ``name``, in no order: all that agree with ``args``, and few that do not."""
        every = fewest = self._known.get(name, {})
        for key, value in args:
            # a value finds all entries that have it if it is a key of each; of several values there is a list
            if isinstance(value, str | int) and len(self._known.get((name, key), ())) == len(every):
                agreeing = self._known.get((name, key, value), {})
                fewest = agreeing if len(agreeing) < len(fewest) else fewest
        return fewest

    def replace(self, old: Entry, new: Entry) -> None:
        """Put an entry in the place of another."""
        self[self._order.index(old)] = new

    def sort(self, *, key: Callable[[Entry], Any]) -> None:
        """Bring the entries in another order."""
        self._order.sort(key=key)

    def insert(self, index: int, value: Entry) -> None:
        self._order.insert(index, value)
        self._note(value)

    def remove(self, value: Entry) -> None:
        self._order.remove(value)
        self._forget(value)

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


def _marks(entry: Entry) -> set[Hashable]:
    """What an entry is found by: that it is one, its command, the names of its keys and each with its value."""
    name = entry.name
    return {None, name, *((name, key) for key, _ in entry.match.keys), *((name, *pair) for pair in entry.match.keys)}
