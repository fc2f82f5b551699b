"""Which lines of a batch are pasted together, and which part of the device's output belongs to which line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_netbench.platforms.cli_ssh.system import System

LONGEST_PASTE = 2_000
"""Characters written at once."""

_PROMPT = r"[\w.\-@/:]{1,63}(?:\([\w.\-@/:+]{0,63}\))?[>#]"
_AT_PROMPT = re.compile(rf"(?:\A|\n)({_PROMPT}) ?\Z")
_QUESTION = re.compile(r"(?:\[confirm\]|\((?:yes|no)\)|[?:]) *\Z")
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\a\x00]")


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Lines that the device reads as one: mostly one line, or a banner with its text.

    Args:
        lines: The lines.
        alone: Nothing may be pasted behind them.
        refusal: Why they are not sent at all, if so.
    """

    lines: tuple[str, ...]
    alone: bool = False
    refusal: str | None = None

    @property
    def length(self) -> int:
        return sum(len(line) + 1 for line in self.lines)


@dataclass(frozen=True, kw_only=True)
class Split:
    """The output of a paste.

    Args:
        said: What each unit printed, as far as echoes were found.
        prompts: The prompt that stood before each of them and before the unit behind them.
    """

    said: tuple[str, ...]
    prompts: tuple[str, ...]


def units(lines: Sequence[str], system: System) -> list[Unit]:
    """Return the units of a batch of lines."""
    found, at = [], 0
    while at < len(lines):
        end = _end_of_text(lines, at, system)
        if end is None:
            found.append(Unit(lines=tuple(lines[at:]), refusal=system.endless))
            break
        line = lines[at]
        refusal = next((message for pattern, message in system.refusals.items() if pattern.match(line)), None)
        if refusal is not None:
            found.append(Unit(lines=(line,), refusal=refusal))
        else:
            alone = bool(system.operating.match(line) or system.alone.match(line)) or not line.isprintable()
            found.append(Unit(lines=tuple(lines[at:end]), alone=alone))
        at = end
    return found


def runs(batch: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Yield the units that are sent together, in order; a unit that must be alone, or is refused, is."""
    run: list[Unit] = []
    for unit in batch:
        single = unit.alone or unit.refusal is not None
        if run and (single or sum(one.length for one in run) + unit.length > LONGEST_PASTE):
            yield run
            run = []
        if single:
            yield [unit]
        else:
            run.append(unit)
    if run:
        yield run


def keys(line: str) -> str:
    """Return what is typed to enter ``line``: Ctrl-V makes a question mark a character."""
    return line.replace("\t", " ").replace("?", "\x16?") + "\n"


def plain(text: str) -> str:
    """Return a terminal's output without carriage returns and control sequences."""
    return _CONTROLS.sub("", text)


def prompt_at_end(text: str) -> str | None:
    """Return the prompt that ``text`` ends with."""
    found = _AT_PROMPT.search(text)
    return found[1] if found else None


def asks(text: str) -> bool:
    """Return whether ``text`` ends like a question."""
    return bool(_QUESTION.search(text))


def without_prompt(text: str) -> str:
    """Return ``text`` without the prompt that it ends with."""
    found = _AT_PROMPT.search(text)
    return text[: found.start()] if found else text


def without_echo(text: str, unit: Unit) -> str:
    """Return ``text`` without the echoes of ``unit`` that it begins with."""
    for line in unit.lines:
        first, newline, rest = text.partition("\n")
        if not newline or first.strip() != _shown(line).strip():
            break
        text = rest
    return text


def split(text: str, batch: Sequence[Unit], prompt: str) -> Split:
    """Split what the device printed for ``batch``, pasted behind ``prompt``.

    An echo is a line of a prompt and the line as it was sent. The output of a unit ends where the next echo begins, and
    that of the last one at the prompt with which the text ends.
    """
    said, prompts = [], [prompt]
    found = re.compile(_echo(batch[0])).match(text)
    for following in [*batch[1:], None]:
        if found is None:
            break
        at = found.end()
        # the newline that ends an echo may be the one before the next prompt
        end = rf"(?:(?<=\n)|\n)({_PROMPT}) ?" + (r"\Z" if following is None else _echo(following))
        found = re.compile(end).search(text, at)
        if found is not None:
            said.append(text[at : found.start()])
            prompts.append(found[1])
    return Split(said=tuple(said), prompts=tuple(prompts))


def _echo(unit: Unit) -> str:
    """Return the pattern of what a device shows of ``unit`` behind a prompt."""
    first, *others = (rf"{re.escape(_shown(line).rstrip())} *\n" for line in unit.lines)
    return "".join([first, _COLLECTS, *others]) if others else first


# what a device says once a banner has begun
_COLLECTS = r"(?:Enter TEXT message\..*\n)?"


def _shown(line: str) -> str:
    return line.replace("\t", " ")


def _end_of_text(lines: Sequence[str], at: int, system: System) -> int | None:
    """Return the index behind the unit that begins at ``at``; ``None`` if it is a text without an end."""
    begun = system.text.match(lines[at])
    if begun is None:
        return at + 1
    if system.ends is not None:
        return next((end + 1 for end in range(at + 1, len(lines)) if lines[end].strip() == system.ends), None)
    delimiter = begun["delimiter"]
    if delimiter in lines[at][begun.end() :]:
        return at + 1
    return next((end + 1 for end in range(at + 1, len(lines)) if delimiter in lines[end]), None)
