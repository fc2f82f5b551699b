"""Entries and defaults of a switch as lines of its language, which can be loaded again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_netbench.dialects.p4.lines import ARROW, short
from pytest_netbench.platforms.p4.encoding import decode, decode_match
from pytest_netbench.platforms.p4.program import Program, Table
from pytest_netbench.platforms.p4.runtime import Entry, Runtime


def config(name: str, program: Program, runtime: Runtime) -> Iterator[str]:
    """The lines of a running config: the program, then the default and the entries of each table."""
    yield f"program {name}"
    for table in program.tables:
        yield from filter(None, [default(table, runtime)])
        yield from (added(table, entry) for entry in entries(table, runtime))


def default(table: Table, runtime: Runtime) -> str | None:
    """The line that sets the default of a table."""
    found = runtime.default(table.name)
    if found is None:
        return None
    name, data = found
    return " ".join(["table_set_default", short(table.name), short(name), *_parameters(table, name, data)])


def entries(table: Table, runtime: Runtime) -> list[Entry]:
    """The entries of a table, by match key."""
    return sorted(runtime.entries(table.name), key=lambda one: (one.match_values, one.priority or 0))


def added(table: Table, entry: Entry) -> str:
    """The line that adds an entry."""
    priority = [] if entry.priority is None else [str(entry.priority)]
    words = ["table_add", short(table.name), short(entry.action), *match(table, entry), ARROW]
    return " ".join([*words, *_parameters(table, entry.action, entry.data), *priority])


def reset_counters(program: Program, runtime: Runtime) -> None:
    """Set all counters to 0."""
    for table in program.tables:
        if table.is_counted:
            runtime.reset_hits(table.name)
    for array in program.counters:
        runtime.reset_counter(array.name)


def match(table: Table, entry: Entry) -> list[str]:
    """The match key of an entry, a word for each field."""
    return [decode_match(field, one) for field, one in zip(table.key, entry.match, strict=True)]


def _parameters(table: Table, name: str, data: Sequence[bytes]) -> list[str]:
    fields = table.action(name).parameters
    return [decode(field, value) for field, value in zip(fields, data, strict=True)]
