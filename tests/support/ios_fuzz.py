"""Random command lines: from the grammar, mutated, and noise. The same seed gives the same lines."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.command import ParsedCommand
from pytest_netbench.platforms.cisco_ios.grammar.grammar import CONFIG, EXEC, Grammar

_NOISE = "abcdefghijklmnopqrstuvwxyz0123456789./:-_#!?|^~\"'()[]{}<>*+,;=%$&@\\ \té漢\u200b"
_VALUES = {
    "A.B.C.D": (
        "10.0.0.1",
        "10.0.0.2",
        "10.0.0.0",
        "172.16.0.1",
        "0.0.0.255",
        "255.255.255.0",
        "255.255.255.252",
        "192.168.1.1",
        "0.0.0.0",
        "224.0.0.5",
        "1.1.1.1",
        "255.255.255.255",
    ),
    "A.B.C.D/nn": ("10.0.0.0/8", "192.168.0.0/16", "0.0.0.0/0", "10.1.1.0/30", "10.0.0.1/32"),
    "WORD": ("A", "B", "WEB", "1", "10", "100", "x-1", "RED", "self", "any", "7", "cisco"),
    "LINE": ("some text here", "a", "10.0.0.1 255.0.0.0", "#x#", "two  spaces", "^C", "é漢"),
    "X:X:X:X::X": ("2001:db8::1", "2001:db8::2", "fe80::1", "::1", "::", "FF02::1"),
    "X:X:X:X::X/<0-128>": ("2001:db8::1/64", "2001:db8::/64", "2001:db8:1::/48", "::/0", "2001:db8::1/128"),
    "INTERFACE": (
        "Gi0/0",
        "GigabitEthernet0/1",
        "Loopback0",
        "lo 1",
        "Gi0/0.10",
        "Gi0/1.20",
        "Vlan10",
        "Vlan1",
        "Null0",
        "Port-channel1",
        "Tunnel0",
        "Serial0/0",
    ),
    "H.H.H": ("0000.0c07.ac01", "aabb.ccdd.eeff", "0000.0000.0000", "ffff.ffff.ffff"),
    "VLAN-LIST": ("10", "1-20", "10,20", "1", "4094"),
    "<0-4294967295>|A.B.C.D": ("0", "1", "0.0.0.1", "51"),
    "hh:mm": ("08:00", "17:30", "0:00", "23:59"),
}
_USUAL = (1, 2, 5, 7, 10, 20, 100, 101, 199)
"""Numbers that come again and again, so that lines speak of each other."""
_WALK = 40
_ENDINGS = (
    "exit",
    "exit",
    "end",
    "configure terminal",
    "conf t",
    "do show running-config",
    "!",
    "",
    "no",
    "default",
    "exit-address-family",
)
_PIPES = (
    "include {}",
    "exclude {}",
    "begin {}",
    "section {}",
    "count {}",
    "i",
    "{}",
    "include ^interface|ip",
    "include (",
    "inc (a+)+$",
)
_NOT_ASKED = ("configure", "exit", "logout", "quit", "reload", "tclsh", "disable", "enable", "traceroute", "terminal")
"""Exec commands that move the session, or take their time."""


class Fuzz:
    """Lines for the modes of a book.

    Args:
        grammar: The grammar.
        seed: Of the random numbers.
        role: The node's role.
    """

    def __init__(self, grammar: Grammar, *, seed: int, role: str = "") -> None:
        self._grammar, self._role = grammar, role
        self._random = random.Random(seed)
        self._modes = [mode for mode in grammar.modes if mode != EXEC]
        self._openers = [known for known in self._commands(CONFIG) if known.command.opens]

    def lines(self, count: int, mode: Callable[[], str] | None = None) -> Iterator[str]:
        """``count`` lines; ``mode`` gives the present mode, so that many of them mean something there."""
        for _ in range(count):
            yield self._line(mode() if mode is not None else self._random.choice(self._modes))

    def asked(self, count: int) -> Iterator[str]:
        """``count`` lines of exec mode, some with a pipe."""
        commands = [one for one in self._commands(EXEC) if one.pattern.name.split()[0] not in _NOT_ASKED]
        shows = [one for one in commands if one.pattern.text.startswith("show")]
        for _ in range(count):
            line = self._walked(self._random.choice(shows if self._random.random() < 0.8 else commands))
            if line.startswith("p"):
                line = self._random.choice(("ping 10.0.0.1 repeat 1 timeout 0", "ping 1.1.1.1 repeat 1 timeout 0"))
            if self._random.random() < 0.3:
                line += " | " + self._random.choice(_PIPES).format(self._random.choice(_VALUES["WORD"]))
            yield line

    def _commands(self, mode: str) -> list[ParsedCommand]:
        return list(self._grammar.reader(mode, self._role).commands) if mode in self._grammar.modes else []

    def _line(self, mode: str) -> str:
        draw = self._random.random()
        if draw < 0.04:
            return "".join(self._random.choice(_NOISE) for _ in range(self._random.randint(0, 60)))
        if draw < 0.07:
            return self._random.choice(_ENDINGS)
        commands = self._openers if draw < 0.17 else self._commands(mode if draw < 0.85 else CONFIG)
        line = self._walked(self._random.choice(commands)) if commands else "exit"
        if draw > 0.97:
            line = self._mutated(line)
        prefix = self._random.random()
        return f"no {line}" if prefix < 0.12 else f"default {line}" if prefix < 0.16 else line

    def _walked(self, known: ParsedCommand) -> str:
        """A line that the pattern of a command allows, as far as values go."""
        way: pattern.Way = (known.pattern.root, None)
        words: list[str] = []
        for _ in range(_WALK):
            element, way, _ = self._random.choice(list(pattern.steps(way)))
            if element is None:
                break
            words.append(self._word(element))
        return " ".join(words)

    def _word(self, element: pattern.Element) -> str:
        if isinstance(element, pattern.Keyword):
            cut = self._random.random() < 0.05
            return element.word[: max(1, len(element.word) - self._random.randint(1, 4))] if cut else element.word
        shown = element.type.shown
        if shown in _VALUES:
            return self._random.choice(_VALUES[shown])
        bounds = shown.strip("<>").split("-")
        if len(bounds) == 2 and all(bound.isdigit() for bound in bounds):
            low, high = int(bounds[0]), int(bounds[1])
            usual = [number for number in _USUAL if low <= number <= high]
            if usual and self._random.random() < 0.7:
                return str(self._random.choice(usual))
            return str(self._random.choice((low, high, self._random.randint(low, high))))
        return self._random.choice((*_VALUES["WORD"], *_VALUES["A.B.C.D"], *shown.replace("|", " ").split()))

    def _mutated(self, line: str) -> str:
        at = self._random.randint(0, len(line))
        kind = self._random.randint(0, 3)
        if kind == 0:
            return line[:at] + self._random.choice(_NOISE) + line[at:]
        if kind == 1:
            return line[:at] + line[at + 1 :]
        if kind == 2:
            return line[:at]
        return line + " " + line
