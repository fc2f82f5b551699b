"""Mutants of a ground truth: one line changed, or lines added beside one. Pure and in a fixed order.

What can go wrong in a line of a configuration language is data of its dialect (``dialects.mutations``). Numbers,
addresses, masks and interfaces vary in all languages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.dialects.mutations import Mutable, Mutations
from pytest_netbench.families.configure.addresses import address_variants
from pytest_netbench.model.configure import Configure
from pytest_netbench.scorers.lines import Lines, Slot

_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w.:/-])")
_WORD = re.compile(r"[^\s'\"{};,]+")
_OTHER_INTERFACES = 2

Variants = Iterator[tuple[str, tuple[str, ...]]]
"""Operator, and the lines that replace the line."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """The ground truth with ``lines`` in place of one line.

    Attributes:
        node: Where.
        index: 0-based index of the line among the node's commands.
        line: The line as the ground truth has it.
        operator: What was done to it, e.g. ``number``.
        lines: What stands there instead.
    """

    node: str
    index: int
    line: str
    operator: str
    lines: tuple[str, ...]

    @property
    def mutant(self) -> str:
        """The lines as one text, as the file of recorded solutions names a mutant."""
        return " / ".join(self.lines)

    @property
    def name(self) -> tuple[str, str, str]:
        """What the file of recorded solutions calls it: node, line and mutant."""
        return self.node, self.line, self.mutant

    def configs(self, truth: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """The ground truth with this change."""
        changed = {node: list(lines) for node, lines in truth.items()}
        changed[self.node][self.index : self.index + 1] = self.lines
        return changed

    def __str__(self) -> str:
        return f"{self.node}: {self.line!r} as {self.mutant!r}"


def mutants(payload: Configure) -> tuple[Mutant, ...]:
    """Every mutant of the ground truth, each once, in the order of its lines."""
    found: dict[tuple[str, int, tuple[str, ...]], Mutant] = {}
    for node, commands in payload.ground_truth_configs.items():
        vary = _Language(payload, node).variants
        for index, command in enumerate(commands):
            line = command.strip()
            last = index == len(commands) - 1
            for operator, lines in vary(line, last=last):
                if lines != (line,):
                    mutant = Mutant(node=node, index=index, line=line, operator=operator, lines=lines)
                    found.setdefault((node, index, lines), mutant)
    return tuple(found.values())


class _Language:
    """The variants of lines on one node."""

    def __init__(self, payload: Configure, node: str) -> None:
        dialect: Dialect = parts.load("dialects", payload.platform_of(node))()
        self._dialect = dialect
        self._lines = Lines(dialect)
        self._data = dialect.mutations() if isinstance(dialect, Mutable) else Mutations()
        self._swaps = {word: group for group in self._data.swaps for word in group}
        self._interfaces = {dialect.interface(name): name for name in payload.topology.interfaces(node)}
        self._hosts = _addresses_in(payload)

    def variants(self, line: str, *, last: bool) -> Variants:
        one: Sequence[Callable[[str], Iterator[tuple[str, str]]]] = (
            self._swapped,
            self._numbers,
            partial(address_variants, hosts=self._hosts),
            self._rewritten,
            self._moved,
        )
        for operator in one:
            yield from ((name, (changed,)) for name, changed in operator(line))
        for addition in self._data.additions:
            if (match := re.match(addition.pattern, line)) is not None:
                before, after = (
                    tuple(match.expand(text) for text in some) for some in (addition.before, addition.after)
                )
                yield addition.operator, (*before, line, *after)
        if last:
            yield from (("superfluous", (line, *block)) for block in self._data.superfluous)

    def _swapped(self, line: str) -> Iterator[tuple[str, str]]:
        for match in _WORD.finditer(line):
            for other in self._swaps.get(match[0], ()):
                if other != match[0]:
                    yield "keyword", _put(line, match.span(), other)

    def _numbers(self, line: str) -> Iterator[tuple[str, str]]:
        free = list(self._free_spans(line))
        for match in _NUMBER.finditer(line):
            if any(start <= match.start() < end for start, end in free):
                continue
            number = int(match[0])
            for other in (number * 10, *_near(number, far=self._is_quantity(line))):
                if other >= 0 and other != number:
                    yield "number", _put(line, match.span(), str(other))

    def _is_quantity(self, line: str) -> bool:
        return any(re.search(pattern, line) for pattern in self._data.quantities)

    def _free_spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Where names and positions stand that anyone may choose: another one there changes nothing, or is a typo."""
        at = 0
        for part in self._lines.template(line).parts:
            length = len(part.name if isinstance(part, Slot) else part)
            if isinstance(part, Slot):
                yield at, at + length
            at += length

    def _rewritten(self, line: str) -> Iterator[tuple[str, str]]:
        for rewrite in self._data.rewrites:
            for match in re.finditer(rewrite.pattern, line):
                yield rewrite.operator, _put(line, match.span(), match.expand(rewrite.to))

    def _moved(self, line: str) -> Iterator[tuple[str, str]]:
        """Another interface of the node for one that the line names."""
        for match in _WORD.finditer(line):
            try:
                mine = self._dialect.interface(match[0])
            except ValueError:
                continue
            if mine in self._interfaces:
                others = [name for full, name in self._interfaces.items() if full != mine]
                yield from (("interface", _put(line, match.span(), other)) for other in others[:_OTHER_INTERFACES])


def _near(number: int, *, far: bool) -> tuple[int, int]:
    return (number * 2, number // 2) if far else (number + 1, number - 1)


def _put(line: str, span: tuple[int, int], text: str) -> str:
    return line[: span[0]] + text + line[span[1] :]


def _addresses_in(payload: Configure) -> tuple[str, ...]:
    """IPv4 addresses that startup configs name, as they come."""
    texts = "\n".join(payload.startup_configs.values())
    return tuple(dict.fromkeys(re.findall(r"(?<![\w.])\d+\.\d+\.\d+\.\d+(?![\w.])", texts)))
