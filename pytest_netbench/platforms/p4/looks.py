"""Read-only commands of a switch. Each only reads: there is no way from here to a request that changes something."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.dialects.p4.lines import short
from pytest_netbench.platforms.p4 import shipped, tables
from pytest_netbench.platforms.p4.program import Array, Field, Program, Table
from pytest_netbench.platforms.p4.runtime import Refused, Runtime


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a look is at: a switch, its program, and how its log and the interfaces with a carrier are read."""

    name: str
    program: Program
    runtime: Runtime
    log: Callable[[], str]
    carriers: Callable[[], Collection[str]]


def answer(command: str, look: Look) -> str:
    """Return what a read-only command prints; what is wrong with it if it is none."""
    verb, *words = command.split() or [""]
    known = _COMMANDS.get(verb)
    if known is None:
        return f"unknown command {verb!r}; `help` lists the read-only commands\n"
    usage, least, most, run = known
    if not least <= len(words) <= most:
        return f"usage: {usage}\n"
    try:
        return "".join(f"{line}\n" for line in run(look, words))
    except ValueError as error:
        return f"{error}\n"
    except Refused as error:
        return f"the switch refused it ({error})\n"


def _help(_look: Look, _words: Sequence[str]) -> Iterator[str]:
    return (usage for usage, *_ in _COMMANDS.values())


def _show_tables(look: Look, _words: Sequence[str]) -> Iterator[str]:
    return (_described(table) for table in look.program.tables)


def _described(table: Table) -> str:
    key = ", ".join(f"{field.name}({field.kind}, {field.bits})" for field in table.key)
    return f"{short(table.name)} [{key}] size {table.size}"


def _table_info(look: Look, words: Sequence[str]) -> Iterator[str]:
    table = look.program.table(words[0])
    yield _described(table)
    yield from (f"  {_signature(action.name, action.parameters)}" for action in table.actions)


def _signature(name: str, parameters: Sequence[Field]) -> str:
    return f"{short(name)} [{', '.join(f'{one.name}({one.bits})' for one in parameters)}]"


def _table_dump(look: Look, words: Sequence[str]) -> Iterator[str]:
    table = look.program.table(words[0])
    for entry in tables.entries(table, look.runtime):
        counted = ""
        if table.is_counted:
            hits = look.runtime.hits(table.name, entry.handle)
            counted = f"  # {hits.packets} packets, {hits.bytes} bytes"
        yield tables.added(table, entry) + counted
    yield from filter(None, [tables.default(table, look.runtime)])


def _table_num_entries(look: Look, words: Sequence[str]) -> Iterator[str]:
    table = look.program.table(words[0])
    yield f"{len(look.runtime.entries(table.name))} of {table.size}"


def _show_actions(look: Look, _words: Sequence[str]) -> Iterator[str]:
    actions = {action.name: action for table in look.program.tables for action in table.actions}
    return (_signature(one.name, one.parameters) for _, one in sorted(actions.items()))


def _show_ports(look: Look, _words: Sequence[str]) -> Iterator[str]:
    up = look.carriers()
    return (f"{one.number} {one.interface} {'up' if one.interface in up else 'down'}" for one in look.runtime.ports())


def _show_counters(look: Look, _words: Sequence[str]) -> Iterator[str]:
    yield from (f"{short(one.name)} [0 to {one.size - 1}]" for one in look.program.counters)
    yield from (f"{short(one.name)}: a counter for each entry" for one in look.program.tables if one.is_counted)


def _counter_read(look: Look, words: Sequence[str]) -> Iterator[str]:
    array, asked = look.program.counter(words[0]), words[1:]
    name = short(array.name)
    values = {index: look.runtime.count(array.name, index) for index in _indexes(array, asked)}
    shown = {index: value for index, value in values.items() if value.packets or asked}
    yield from (f"{name}[{index}]: {value.packets} packets, {value.bytes} bytes" for index, value in shown.items())
    if not shown:
        yield f"{name}: all are 0"


def _show_registers(look: Look, _words: Sequence[str]) -> Iterator[str]:
    return (f"{short(one.name)} [0 to {one.size - 1}], {one.bits} bits" for one in look.program.registers)


def _register_read(look: Look, words: Sequence[str]) -> Iterator[str]:
    array, asked = look.program.register(words[0]), words[1:]
    name = short(array.name)
    values = look.runtime.registers(array.name)
    shown = [index for index in _indexes(array, asked) if values[index] or asked]
    yield from (f"{name}[{index}]: {values[index]}" for index in shown)
    if not shown:
        yield f"{name}: all are 0"


def _indexes(array: Array, words: Sequence[str]) -> range:
    if not words:
        return range(array.size)
    if not (words[0].isascii() and words[0].isdigit()) or int(words[0]) >= array.size:
        raise ValueError(f"{short(array.name)} has the indexes 0 to {array.size - 1}")
    return range(int(words[0]), int(words[0]) + 1)


def _show_program(look: Look, _words: Sequence[str]) -> Iterator[str]:
    return iter(shipped.source(look.name).splitlines())


def _show_log(look: Look, _words: Sequence[str]) -> Iterator[str]:
    return iter(look.log().splitlines())


def _show_config(look: Look, _words: Sequence[str]) -> Iterator[str]:
    return tables.config(look.name, look.program, look.runtime)


_Command = tuple[str, int, int, Callable[[Look, Sequence[str]], Iterator[str]]]
"""Usage, how many words follow at least and at most, and what prints the answer."""
_OURS: Final[Mapping[str, _Command]] = {
    "help": ("help", 0, 0, _help),
    "show_config": ("show_config", 0, 0, _show_config),
    "show_tables": ("show_tables", 0, 0, _show_tables),
    "table_info": ("table_info TABLE", 1, 1, _table_info),
    "table_dump": ("table_dump TABLE", 1, 1, _table_dump),
    "table_num_entries": ("table_num_entries TABLE", 1, 1, _table_num_entries),
    "show_actions": ("show_actions", 0, 0, _show_actions),
    "show_ports": ("show_ports", 0, 0, _show_ports),
    "show_counters": ("show_counters", 0, 0, _show_counters),
    "counter_read": ("counter_read COUNTER [INDEX]", 1, 2, _counter_read),
    "show_registers": ("show_registers", 0, 0, _show_registers),
    "register_read": ("register_read REGISTER [INDEX]", 1, 2, _register_read),
    "show_program": ("show_program", 0, 0, _show_program),
    "show_log": ("show_log", 0, 0, _show_log),
}
_OF_NIKA: Final[Mapping[str, str]] = {
    "bmv2_show_tables": "show_tables",
    "bmv2_table_dump": "table_dump",
    "bmv2_get_counter_arrays": "show_counters",
    "bmv2_counter_read": "counter_read",
    "bmv2_get_register_arrays": "show_registers",
    "bmv2_register_read": "register_read",
    "bmv2_read_p4_program": "show_program",
    "bmv2_get_log": "show_log",
}
"""The names of NIKA's tools for P4 switches: the command that each is."""


def _renamed(command: _Command, name: str) -> _Command:
    return (" ".join([name, *command[0].split()[1:]]), *command[1:])


_COMMANDS: Final[Mapping[str, _Command]] = {
    **_OURS,
    **{name: _renamed(_OURS[ours], name) for name, ours in _OF_NIKA.items()},
}
"""By the first word."""
