"""Inventories of Ansible in INI, read into the same tree as those in YAML."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import UsageError

_HEAD: Final = re.compile(r"\[([\w.-]+)(?::(vars|children))?\]")
_MOST_BYTES: Final = 2 * 2**20


def read(path: Path) -> Tree:
    """Return groups with ``hosts``, ``vars`` and ``children``; groups that are children of others stand below them.

    Raises:
        UsageError: It cannot be read, or a line is not understood.
    """
    groups: dict[str, Tree] = {}
    children: set[str] = set()
    name, part = "ungrouped", "hosts"
    for number, raw in enumerate(_lines(path), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if head := _HEAD.fullmatch(line):
            name, part = head[1], head[2] or "hosts"
            _part(groups, name, part, number)
            continue
        section = _part(groups, name, part, number)
        key, values = _entry(line, part, path, number)
        section.value[key], section.lines[key] = values, number
        if part == "children":
            children.add(key)
    _nest(groups)
    return _tree({name: group for name, group in groups.items() if name not in children}, 1)


def _lines(path: Path) -> list[str]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError("larger than 2 MiB: not supported", path=path)
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text: save it as UTF-8", path=path) from None


def _entry(line: str, part: str, path: Path, number: int) -> tuple[str, Tree]:
    if part == "vars":
        key, sign, value = (one.strip() for one in line.partition("="))
        if not sign or not key:
            raise UsageError(f"expected KEY=VALUE, not {key!r}", path=path, line=number)
        return key, Tree(_unquoted(value), number)
    try:
        first, *words = shlex.split(line, comments=True)
    except ValueError as error:
        raise UsageError(f"a quotation has no end ({error})", path=path, line=number) from None
    values: dict[str, Tree] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or part == "children":
            raise UsageError(f"expected KEY=VALUE behind {first!r}", path=path, line=number)
        values[key] = Tree(value, number)
    return first, _tree(values, number)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value


def _part(groups: dict[str, Tree], name: str, part: str, line: int) -> Tree:
    group = groups.setdefault(name, _tree({}, line))
    if part not in group.value:
        group.value[part], group.lines[part] = _tree({}, line), line
    found: Tree = group.value[part]
    return found


def _nest(groups: dict[str, Tree]) -> None:
    """Put groups below those that name them as children."""
    for group in groups.values():
        below = group.value.get("children")
        for child in below.value if below else ():
            below.value[child] = groups.get(child, below.value[child])


def _tree(entries: dict[str, Tree], line: int) -> Tree:
    return Tree(entries, line, lines={key: one.line for key, one in entries.items()})
