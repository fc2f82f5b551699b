"""Configuration commands of a switch, carried out over its runtime API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.p4.lines import Line, parse, short
from pytest_netbench.platforms.p4.encoding import encode, encode_key
from pytest_netbench.platforms.p4.program import Action, Program, Table
from pytest_netbench.platforms.p4.runtime import Refused, Runtime

_SIGNED_BITS: Final = 63


def carry_out(text: str, program: Program, runtime: Runtime) -> None:
    """Carry out one command.

    Raises:
        ValueError: It is none, or does not fit the program, or the switch refuses it; the text is for the user.
    """
    line = parse(text)
    if line.verb == "program":
        raise ValueError("the program of a running switch cannot be replaced; it is set by the startup config")
    try:
        _COMMANDS[line.verb](line, program, runtime)
    except Refused as error:
        raise ValueError(_reason(line, str(error))) from error


def _reason(line: Line, code: str) -> str:
    table = short(line.name)
    known = {
        "TABLE_FULL": f"table {table} is full",
        "DUPLICATE_ENTRY": f"table {table} has an entry with this match key already",
        "BAD_MATCH_KEY": f"table {table} has no entry with this match key",
        "DEFAULT_ACTION_IS_CONST": f"the default action of table {table} is constant",
        "DEFAULT_ENTRY_IS_CONST": f"the default of table {table} is constant",
        "IMMUTABLE_TABLE_ENTRIES": f"the entries of table {table} are constant",
    }
    return f"{known[code]} ({code})" if code in known else f"the switch refused it ({code})"


def _add(line: Line, program: Program, runtime: Runtime) -> None:
    table = program.table(line.name)
    action = table.action(line.action)
    words, priority = _split(table, line.parameters)
    data = _data(action, words)
    runtime.add(table.name, encode_key(table.key, line.match), action.name, data, priority=priority)


def _modify(line: Line, program: Program, runtime: Runtime) -> None:
    table = program.table(line.name)
    action = table.action(line.action)
    words, priority = _split(table, line.parameters)
    data = _data(action, words)
    handle = runtime.handle(table.name, encode_key(table.key, line.match), priority=priority)
    runtime.modify(table.name, handle, action.name, data)


def _delete(line: Line, program: Program, runtime: Runtime) -> None:
    table = program.table(line.name)
    words, priority = _split(table, line.match)
    runtime.delete(table.name, runtime.handle(table.name, encode_key(table.key, words), priority=priority))


def _clear(line: Line, program: Program, runtime: Runtime) -> None:
    runtime.clear(program.table(line.name).name)


def _set_default(line: Line, program: Program, runtime: Runtime) -> None:
    table = program.table(line.name)
    action = table.action(line.action)
    runtime.set_default(table.name, action.name, _data(action, line.parameters))


def _reset_default(line: Line, program: Program, runtime: Runtime) -> None:
    runtime.reset_default(program.table(line.name).name)


def _write_register(line: Line, program: Program, runtime: Runtime) -> None:
    array = program.register(line.name)
    index, value = (_number(word) for word in line.parameters)
    if index >= array.size:
        raise ValueError(f"register {short(array.name)} has the indexes 0 to {array.size - 1}")
    if value.bit_length() > min(array.bits, _SIGNED_BITS):
        raise ValueError(f"{value} does not fit register {short(array.name)}, which has {array.bits} bits")
    runtime.write_register(array.name, index, value)


def _reset_registers(line: Line, program: Program, runtime: Runtime) -> None:
    runtime.reset_registers(program.register(line.name).name)


def _reset_counter(line: Line, program: Program, runtime: Runtime) -> None:
    runtime.reset_counter(program.counter(line.name).name)


_COMMANDS: Final[Mapping[str, Callable[[Line, Program, Runtime], None]]] = {
    "table_add": _add,
    "table_modify": _modify,
    "table_delete": _delete,
    "table_clear": _clear,
    "table_set_default": _set_default,
    "table_reset_default": _reset_default,
    "register_write": _write_register,
    "register_reset": _reset_registers,
    "counter_reset": _reset_counter,
}


def _split(table: Table, words: Sequence[str]) -> tuple[Sequence[str], int | None]:
    """Parameters or match fields, and the priority behind them in tables that have priorities."""
    if not table.has_priorities:
        return words, None
    if not words:
        raise ValueError(f"an entry of table {short(table.name)} needs a priority behind its parameters")
    return words[:-1], _number(words[-1])


def _data(action: Action, words: Sequence[str]) -> list[bytes]:
    if len(words) != len(action.parameters):
        wanted = ", ".join(f"{one.name} ({one.bits} bits)" for one in action.parameters) or "none"
        given = f"{len(words)} parameters were given, expected {len(action.parameters)}"
        raise ValueError(f"action {short(action.name)}: {given}: {wanted}")
    return [encode(field, word) for field, word in zip(action.parameters, words, strict=True)]


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise ValueError(f"{word!r} is no number")
    return int(word)
