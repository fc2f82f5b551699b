"""Lines to paste into a task file as they are: entries of ``reference.changes``, and testcases. Pure.

They are indented as the file is, so that it stays valid, and begin at the left margin.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_netbench.model.reference import FILL_IN

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*|[0-9]+(\.[0-9]+){3}(/[0-9]+)?")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"})
"""What YAML may read as another type."""
_LONGEST: Final = 60
_INDENT: Final = "  "


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry of a list, with a comment."""

    fields: Mapping[str, str | int]
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where entries go: the keys above them that the file lacks, and the indentation of the entries."""

    where: str
    above: tuple[str, ...]
    indent: str


def changes_to_paste(
    entries: Sequence[Entry], *, intents: Sequence[str], more: int, text: str, as_json: bool
) -> list[str]:
    """Entries of ``reference.changes`` with words about where they go.

    Args:
        entries: Those that are suggested.
        intents: The texts of the task's intents.
        more: How many more flows are not explained.
        text: The task file.
        as_json: Whether it is JSON.
    """
    place = _changes(text)
    fill_in = any(one.fields.get("intent") == FILL_IN for one in entries)
    lines = [f"to explain the rest, paste this {place.where} (or into 'free', with a reason instead of an intent):"]
    lines += [f"{FILL_IN} stands for the number of the intent that asks for the difference:"] if fill_in else []
    lines += [f"  {number}: {_short(one)}" for number, one in enumerate(intents, start=1)] if fill_in else []
    rest = [f"and {more} more flows; explain these first"] if more else []
    if as_json:
        return [*lines, *_as_json(entries), *rest]
    lines += place.above
    for one in entries:
        lines += [f"{place.indent}# {one.comment}", f"{place.indent}- {in_braces(one.fields)}"]
    return [*lines, *(f"{place.indent}# {line}" for line in rest)]


def pasted_testcases(entries: Sequence[Entry], *, text: str, as_json: bool) -> list[str]:
    """Testcases with words about where they go."""
    at = _block(text.splitlines(), re.compile(r"testcases:"))
    number, indent = (0, None) if at is None else at
    where = f"at the end of testcases (line {number})" if number else "at the end of testcases"
    lines = [f"no testcase compares with it; paste this {where}:"]
    if as_json:
        return [*lines, *_as_json(entries)]
    return [*lines, *(f"{_INDENT if indent is None else indent}- {in_braces(one.fields)}" for one in entries)]


def in_braces(fields: Mapping[str, str | int]) -> str:
    """A mapping as YAML in one line: ``{intent: 1, from: h1}``."""
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in fields.items()) + "}"


def _as_json(entries: Sequence[Entry]) -> Iterator[str]:
    for number, one in enumerate(entries, start=1):
        yield f"    {json.dumps(dict(one.fields))}{',' * (number < len(entries))}"


def _scalar(value: str | int) -> str:
    if isinstance(value, int) or (all(map(_is_plain, value.split(" "))) and value.lower() not in _WORDS):
        return str(value)
    return json.dumps(value)


def _is_plain(word: str) -> bool:
    return _PLAIN.fullmatch(word) is not None


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0]} …"


def _changes(text: str) -> _Place:
    """Where entries of ``reference.changes`` go in a file."""
    lines = text.splitlines()
    at = _block(lines, re.compile(r"reference:"))
    if at is None:
        return _Place(where="at the end of the file", above=("reference:", f"{_INDENT}changes:"), indent=_INDENT * 2)
    number, inner = at
    below = lines[number : next((n for n in range(number, len(lines)) if re.match(r"[^\s#]", lines[n])), len(lines))]
    changes = _block(below, re.compile(r"\s+changes:"))
    if changes is not None:
        indent = changes[1] or (inner or _INDENT) + _INDENT
        return _Place(where=f"at the end of reference.changes (line {number + changes[0]})", above=(), indent=indent)
    inner = inner or _INDENT
    return _Place(where=f"into reference (line {number})", above=(f"{inner}changes:",), indent=inner + _INDENT)


def _block(lines: Sequence[str], key: re.Pattern[str]) -> tuple[int, str | None] | None:
    """The number of the line with a key, from 1, and the indentation of what is in it; ``None`` without such a line."""
    for number, line in enumerate(lines, start=1):
        if key.match(line):
            first = next((one for one in lines[number:] if one.strip() and not one.lstrip().startswith("#")), "")
            found = re.match(r"\s*", first)
            deeper = first.lstrip().startswith("- ") or len(first) - len(first.lstrip()) > len(line) - len(
                line.lstrip()
            )
            return number, found[0] if found is not None and deeper else None
    return None
