"""The complete grammar: every area's commands by mode and role, parsed on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.command import Area, Command, Mode, ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.reader import Reader

EXEC = "exec"
CONFIG = "config"
_BASIC_MODES = (
    Mode(name=EXEC, prompt="", help="privileged exec"),
    Mode(name=CONFIG, prompt="config", help="global configuration"),
)


class Grammar:
    """The commands and modes of all areas."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self.areas = tuple(areas)
        self._readers: dict[tuple[str, str, bool], Reader] = {}

    @cached_property
    def modes(self) -> Mapping[str, Mode]:
        """Modes by name."""
        return {mode.name: mode for mode in (*_BASIC_MODES, *(mode for area in self.areas for mode in area.modes))}

    @cached_property
    def _commands(self) -> Mapping[str, list[tuple[Area, Command]]]:
        found: dict[str, list[tuple[Area, Command]]] = {}
        for area in self.areas:
            for command in area.commands:
                for mode in command.modes:
                    found.setdefault(mode, []).append((area, command))
        return found

    @cached_property
    def _known(self) -> dict[Command, ParsedCommand]:
        return {}

    def mode(self, name: str) -> Mode:
        """Return the mode called ``name``."""
        return self.modes[name]

    def reader(self, mode: str, role: str = "", *, user: bool = False) -> Reader:
        """Return the parser of lines of ``mode`` on a node of ``role``.

        Args:
            mode: The name of the mode.
            role: The node's role; "" is a router.
            user: Only commands of user exec mode.
        """
        key = (mode, role, user)
        if key not in self._readers:
            known = [
                self._read(area, command)
                for area, command in self._commands.get(mode, ())
                if (not command.roles or (role or "router") in command.roles) and (command.user or not user)
            ]
            self._readers[key] = Reader(known)
        return self._readers[key]

    def commands(self) -> list[ParsedCommand]:
        """All commands of all areas."""
        return [self._read(area, command) for area in self.areas for command in area.commands]

    def _read(self, area: Area, command: Command) -> ParsedCommand:
        """Parse all patterns, one Known per command for all modes: stored entries are compared by it."""
        if command not in self._known:
            self._known[command] = ParsedCommand(command, pattern.parse(command.pattern, area.types), area)
        return self._known[command]
