"""Types a batch of lines into a device: pasted where that is safe, else one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pytest_netbench.platforms.cli_ssh import pasting
from pytest_netbench.platforms.cli_ssh.pasting import Unit
from pytest_netbench.platforms.cli_ssh.system import System


class Line(Protocol):
    """A terminal line of a device."""

    def paste(self, batch: Sequence[Unit], prompt: str) -> pasting.Split:
        """Write all lines at once; return what each unit printed, as far as its echo was found."""
        ...

    def converse(self, unit: Unit) -> tuple[str, str]:
        """Type one unit and answer its questions; return what it printed, and the prompt behind it."""
        ...

    def recover(self) -> str:
        """Interrupt what the device waits for; return the prompt."""
        ...


class Typist:
    """Types lines, and knows the prompt behind the last one.

    A paste whose echoes cannot be matched is interrupted. Then the section of its first unmatched line is entered
    again, and that line and all later ones are typed one by one. This may repeat a line that was already carried
    out, which does not change a configuration.

    Args:
        line: The terminal line.
        prompt: The prompt that stands there.
        system: What the device runs.
    """

    def __init__(self, line: Line, prompt: str, system: System) -> None:
        self._line = line
        self._system = system
        self.prompt = prompt
        self._pastes = True
        self._section: list[Unit] = []

    def type(self, lines: Sequence[str]) -> list[str]:
        """Return what each line printed. That of a banner is what its last line printed."""
        said: list[str] = []
        for run in pasting.runs(pasting.units(lines, self._system)):
            for unit, text in zip(run, self._typed(run), strict=True):
                said += [*("" for _ in unit.lines[1:]), text]
        return said

    def _typed(self, run: list[Unit]) -> list[str]:
        if run[0].refusal is not None:
            return [run[0].refusal]
        if not self._pastes or len(run) == 1 or not self._configures(self.prompt):
            return [self._one(unit) for unit in run]
        split = self._line.paste(run, self.prompt)
        for unit, before, after in zip(run, split.prompts, split.prompts[1:], strict=False):
            self._note(unit, before, after)
        rest = run[len(split.said) :]
        if rest:
            self._pastes = False
            self._enter_again()
        return [*split.said, *(self._one(unit) for unit in rest)]

    def _one(self, unit: Unit) -> str:
        text, prompt = self._line.converse(unit)
        self._note(unit, self.prompt, prompt)
        return text

    def _note(self, unit: Unit, before: str, after: str) -> None:
        if self._system.top.search(before):
            self._section = []
        self._section = [*self._section, unit] if self._configures(after) else []
        self.prompt = after

    def _enter_again(self) -> None:
        within, section = self._configures(self.prompt), self._section
        self.prompt = self._line.recover()
        if not within:
            return
        if self._configures(self.prompt):
            _, self.prompt = self._line.converse(Unit(lines=(self._system.leave,)))
        _, self.prompt = self._line.converse(Unit(lines=(self._system.configure,)))
        for unit in section:
            _, self.prompt = self._line.converse(unit)

    def _configures(self, prompt: str) -> bool:
        return self._system.configuring.search(prompt) is not None
