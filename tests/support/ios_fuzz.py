"""Random command lines: from the grammar, mutated, and noise. The same seed gives the same lines."""

from __future__ import annotations

import random
from collections.abc import Iterator

from pytest_netbench.platforms.cisco_ios.grammar import pattern
from pytest_netbench.platforms.cisco_ios.grammar.book import Book

_NOISE = "abcdefghijklmnopqrstuvwxyz0123456789./:-_#!?|^~\"'()[]{}<>*+,;=%$&@\\ \té漢\u200b"
_VALUES = {
    "A.B.C.D": ("10.0.0.1", "10.0.0.0", "172.16.0.1", "0.0.0.255", "255.255.255.0", "255.255.255.252", "192.168.1.1", "0.0.0.0", "224.0.0.5", "1.1.1.1"),
    "A.B.C.D/nn": ("10.0.0.0/8", "192.168.0.0/16", "0.0.0.0/0", "10.1.1.0/30"),
    "WORD": ("A", "WEB", "10", "100", "x-1", "RED", "self", "any", "7", "cisco"),
    "LINE": ("some text here", "a", "10.0.0.1 255.0.0.0", "#x#", "two  spaces"),
    "X:X:X:X::X": ("2001:db8::1", "fe80::1", "::1"),
    "X:X:X:X::X/<0-128>": ("2001:db8::1/64", "2001:db8:1::/48", "::/0"),
    "INTERFACE": ("Gi0/0", "GigabitEthernet0/1", "Loopback0", "lo 1", "Gi0/0.10", "Vlan10", "Null0"),
    "H.H.H": ("0000.0c07.ac01", "aabb.ccdd.eeff"),
    "VLAN-LIST": ("10", "1-20", "10,20"),
    "<0-4294967295>|A.B.C.D": ("0", "1", "0.0.0.1"),
}  # fmt: skip
_WALK = 40


class Fuzz:
    """Lines for the modes of a book.

    Args:
        book: The grammar.
        seed: Of the random numbers.
    """

    def __init__(self, book: Book, *, seed: int) -> None:
        self._book = book
        self._random = random.Random(seed)
        self._modes = [mode for mode in book.modes if mode != "exec"]

    def lines(self, count: int, mode: object = None) -> Iterator[str]:
        """``count`` lines; ``mode`` gives the present mode, so that many of them mean something there."""
        for _ in range(count):
            present = mode() if callable(mode) else self._random.choice(self._modes)
            yield self._line(str(present))

    def _line(self, mode: str) -> str:
        draw = self._random.random()
        if draw < 0.05:
            return "".join(self._random.choice(_NOISE) for _ in range(self._random.randint(0, 60)))
        if draw < 0.09:
            return self._random.choice(
                ("end", "exit", "configure terminal", "conf t", "do show running-config", "!", "", "no", "default")
            )
        line = self._from_grammar(mode if draw < 0.8 else "config")
        if draw > 0.97:
            line = self._mutated(line)
        prefix = self._random.random()
        return f"no {line}" if prefix < 0.15 else f"default {line}" if prefix < 0.2 else line

    def _from_grammar(self, mode: str) -> str:
        commands = self._book.reader(mode).commands if mode in self._book.modes else ()
        if not commands:
            return "exit"
        way: pattern.Way = (self._random.choice(commands).pattern.root, None)
        words: list[str] = []
        for _ in range(_WALK):
            steps = list(pattern.steps(way))
            element, way, _ = self._random.choice(steps)
            if element is None:
                break
            words.append(self._word(element))
        return " ".join(words)

    def _word(self, element: pattern.Element) -> str:
        if isinstance(element, pattern.Keyword):
            cut = self._random.random() < 0.1
            return element.word[: max(1, len(element.word) - self._random.randint(1, 4))] if cut else element.word
        shown = element.type.shown
        if shown in _VALUES:
            return self._random.choice(_VALUES[shown])
        if shown.startswith("<") and shown.endswith(">") and "-" in shown:
            low, _, high = shown[1:-1].partition("-")
            if low.isdigit() and high.isdigit():
                return str(
                    self._random.choice(
                        (int(low), int(high), self._random.randint(int(low), int(high)), min(int(high), int(low) + 9))
                    )
                )
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
