"""What a compiled P4 program says of itself: tables, actions, counters, registers. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from pytest_netbench.dialects.p4.lines import short
from pytest_netbench.documents.problems import unknown

MatchKind = Literal["exact", "lpm", "ternary", "range", "valid"]
_PRIORITIZED: Final = frozenset({"ternary", "range"})


@dataclass(frozen=True, kw_only=True)
class Field:
    """A field of a match key, or a parameter of an action. ``bits`` is its width."""

    name: str
    bits: int


@dataclass(frozen=True, kw_only=True)
class KeyField(Field):
    """A field of a match key."""

    kind: MatchKind


@dataclass(frozen=True, kw_only=True)
class Action:
    """An action with its parameters, in order."""

    name: str
    parameters: tuple[Field, ...]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with the actions that its entries may have."""

    name: str
    key: tuple[KeyField, ...]
    actions: tuple[Action, ...]
    size: int
    is_counted: bool

    @property
    def has_priorities(self) -> bool:
        """Whether an entry needs a priority, as several can match a packet."""
        return any(field.kind in _PRIORITIZED for field in self.key)

    def action(self, name: str) -> Action:
        """Return an action by its full or short name.

        Raises:
            ValueError: The table has no such action.
        """
        return _found(f"action of table {short(self.name)}", name, self.actions)


@dataclass(frozen=True, kw_only=True)
class Array:
    """A counter or register array. ``bits`` is the width of a register, 0 of a counter."""

    name: str
    size: int
    bits: int = 0


@dataclass(frozen=True, kw_only=True)
class Program:
    """A compiled program."""

    tables: tuple[Table, ...]
    counters: tuple[Array, ...]
    registers: tuple[Array, ...]

    def table(self, name: str) -> Table:
        """Return a table by its full or short name.

        Raises:
            ValueError: There is none.
        """
        return _found("table", name, self.tables)

    def counter(self, name: str) -> Array:
        """Return a counter array by its full or short name.

        Raises:
            ValueError: There is none.
        """
        return _found("counter", name, self.counters)

    def register(self, name: str) -> Array:
        """Return a register array by its full or short name.

        Raises:
            ValueError: There is none.
        """
        return _found("register", name, self.registers)


def read(text: str) -> Program:
    """Return the program in the JSON that p4c writes for bmv2. Tables that the compiler made are left out."""
    compiled = json.loads(text)
    widths = _widths(compiled)
    actions = {one["id"]: _action(one) for one in compiled["actions"]}
    tables = [table for pipeline in compiled["pipelines"] for table in pipeline["tables"] if table["key"]]
    return Program(
        tables=tuple(_table(one, widths, actions) for one in tables),
        counters=tuple(
            Array(name=one["name"], size=one["size"])
            for one in compiled["counter_arrays"]
            if not one.get("is_direct", False)
        ),
        registers=tuple(
            Array(name=one["name"], size=one["size"], bits=one["bitwidth"]) for one in compiled["register_arrays"]
        ),
    )


def _widths(compiled: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    types = {one["name"]: one["fields"] for one in compiled["header_types"]}
    return {
        (header["name"], name): width
        for header in compiled["headers"]
        for name, width, *_ in types[header["header_type"]]
    }


def _action(one: Mapping[str, Any]) -> Action:
    parameters = tuple(Field(name=data["name"], bits=data["bitwidth"]) for data in one["runtime_data"])
    return Action(name=one["name"], parameters=parameters)


def _table(one: Mapping[str, Any], widths: Mapping[tuple[str, str], int], actions: Mapping[int, Action]) -> Table:
    key = (
        KeyField(
            name=field.get("name") or ".".join(field["target"]),
            kind=field["match_type"],
            bits=widths[field["target"][0], field["target"][1]],
        )
        for field in one["key"]
    )
    return Table(
        name=one["name"],
        key=tuple(key),
        actions=tuple(actions[number] for number in one["action_ids"]),
        size=one["max_size"],
        is_counted=one["with_counters"],
    )


NamedT = TypeVar("NamedT", Action, Array, Table)


def _found(what: str, name: str, known: Iterable[NamedT]) -> NamedT:
    by_name = {one.name: one for one in known}
    by_short = {short(full): one for full, one in by_name.items()}
    found = by_name.get(name) or by_short.get(name)
    if found is None:
        raise ValueError(unknown(what, name, dict.fromkeys(by_short)))
    return found
