"""How configs of P4 switches are written: one line an entry, no hierarchy; a command for each change. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from pytest_netbench.dialects.p4 import lines
from pytest_netbench.dialects.syntax import Commit, Edit, Path, Tree

_COMMENT: Final = "#"


class P4Syntax:
    """Implements ``dialects.syntax.Syntax``."""

    @property
    def commit(self) -> Commit:
        return "line"

    def parse(self, text: str) -> tuple[Tree, ...]:
        return tuple((line, ()) for line in written(text))

    def render(self, tree: Sequence[Tree]) -> str:
        return "".join(f"{line}\n" for line, _ in tree)

    def paths(self, text: str) -> Sequence[Path]:
        return tuple((line,) for line in written(text))

    def forms(self, text: str) -> Sequence[Path]:
        return tuple((_form(line),) for line in written(text))

    def edits(self, commands: Sequence[str]) -> Sequence[Edit]:
        return tuple(edit for line in written("\n".join(commands)) for edit in _edits(line))

    def negate(self, path: Path) -> tuple[str, ...]:
        try:
            line = lines.parse(path[-1])
        except ValueError:
            return ()
        if line.verb == "table_add":
            return (" ".join(["table_delete", line.name, *line.match]),)
        return (f"table_reset_default {line.name}",) if line.verb == "table_set_default" else ()


def written(text: str) -> Iterator[str]:
    """The lines of a config or of commands, without blanks and comments."""
    stripped = (line.strip() for line in text.splitlines())
    return (line for line in stripped if line and not line.startswith(_COMMENT))


def _form(text: str) -> str:
    with suppress(ValueError):  # then it is compared as it is
        return lines.form(lines.parse(text))
    return text


def _edits(text: str) -> Iterator[Edit]:
    try:
        line = lines.parse(text)
    except ValueError:
        yield Edit((text,))
        return
    if line.verb == "table_delete":
        yield Edit((lines.key(line),), removes=True)
    elif line.verb == "table_clear":
        yield Edit((f"entry {lines.short(line.name)}",), removes=True)
    elif line.verb == "table_reset_default":
        yield Edit((lines.key(line),), removes=True)
    elif line.verb in {"table_modify", "table_set_default"}:
        yield Edit((lines.key(line),), removes=True)
        yield Edit((lines.form(line),))
    else:
        yield Edit((lines.form(line),))
