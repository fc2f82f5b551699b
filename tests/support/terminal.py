"""A terminal in memory: somebody types a script, and what they see is kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from pytest_netbench.lab.ssh.hosts import Typed
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted


@dataclass
class Entered:
    """A line that passed the guard."""

    line: str
    kind: str
    output: str = ""
    refused: str = ""


@dataclass
class ScriptedTerminal:
    """Implements ``platforms.terminal.Terminal``: each chunk of ``script`` comes once everything before was read."""

    script: list[str] = field(default_factory=list)
    columns: int = 80
    rows: int = 24
    forbidden: str = ""
    shown: str = ""
    entered: list[Entered] = field(default_factory=list)
    _output: Entered | None = None

    stands_still: bool = False

    def moving(self) -> AbstractContextManager[Typed]:
        return nullcontext(Typed())

    @property
    def waiting(self) -> bool:
        return False

    def read(self, *, timeout_s: float | None = None) -> str:
        if not self.script:
            raise EOFError
        return self.script.pop(0)

    def write(self, text: str) -> None:
        self.shown += text
        if self._output is not None:
            self._output.output += text

    @contextmanager
    def command(self, line: str, *, kind: CommandKind = "read") -> Iterator[Typed]:
        if self.forbidden and self.forbidden in line:
            raise CommandNotPermitted(f"% netbench: {line} is not permitted")
        typed = Typed()
        self._output = Entered(line, kind)
        self.entered.append(self._output)
        try:
            yield typed
        finally:
            self._output.refused = typed.refused
            self._output = None

    @property
    def screen(self) -> str:
        """What a person sees: backspaces have moved the cursor, later characters have overwritten earlier ones."""
        lines = [""]
        column = 0
        for char in self.shown:
            if char == "\n":
                lines.append("")
            elif char == "\r":
                column = 0
            elif char == "\b":
                column = max(0, column - 1)
            elif char >= " ":
                lines[-1] = lines[-1][:column] + char + lines[-1][column + 1 :]
                column += 1
        return "\n".join(line.rstrip() for line in lines)
