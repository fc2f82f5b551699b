"""Output filters of ``show`` commands: ``| include``, ``exclude``, ``begin``, ``section``, ``count``."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import regex

# IOS's expressions have no counted repetition; nested ones could take very long to compile
_REPEATED = re.compile(r"\{\d*,?\d*\}.*\{\d*,?\d*\}")
_KINDS = ("begin", "count", "exclude", "include", "section")
_REGEX_S = 0.25
"""The limit of CPU seconds for all lines of an output: some expressions take exponential time."""
_LONGEST_PATTERN = 200


def split_pipe(line: str) -> tuple[str, str | None]:
    """Return the command and the words after its ``|``."""
    body, bar, pipe = line.partition("|")
    return (body, pipe.strip()) if bar else (line, None)


def filtered(text: str, pipe: str) -> str:
    """Return ``text`` filtered; the device's error message if the filter is invalid."""
    word, _, pattern = pipe.partition(" ")
    kinds = [kind for kind in _KINDS if word and kind.startswith(word.lower())]
    if not kinds or not pattern:
        return "% Incomplete command.\n" if not word or kinds else "% Invalid input detected at '^' marker.\n"
    if len(pattern) > _LONGEST_PATTERN or _REPEATED.search(pattern):
        return "% Failed to compile regular expression\n"
    try:
        compiled = regex.compile(pattern)
        kept = _apply(kinds[0], compiled, text.splitlines())
    except regex.error:
        return "% Failed to compile regular expression\n"
    except TimeoutError:
        return "% The regular expression took too long\n"
    return "".join(f"{line}\n" for line in kept)


def _apply(kind: str, pattern: regex.Pattern[str], lines: list[str]) -> list[str]:
    deadline = time.monotonic() + _REGEX_S

    def hit(line: str) -> bool:
        return pattern.search(line, timeout=max(deadline - time.monotonic(), 0.001)) is not None

    if kind == "include":
        return [line for line in lines if hit(line)]
    if kind == "exclude":
        return [line for line in lines if not hit(line)]
    if kind == "count":
        return [f"Number of lines which match regexp = {sum(map(hit, lines))}"]
    if kind == "begin":
        start = next((at for at, line in enumerate(lines) if hit(line)), len(lines))
        return lines[start:]
    return _sections(lines, hit)


def _sections(lines: list[str], hit: Callable[[str], bool]) -> list[str]:
    """Yield matching lines with all lines indented below them; a match below a heading includes the heading."""
    kept: list[str] = []
    heading: str | None = None
    inside = -1
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            heading = line
        if inside >= 0 and indent > inside and line.strip():
            kept.append(line)
            continue
        inside = -1
        if hit(line):
            if indent and heading is not None and (not kept or kept[-1] != heading) and heading not in kept[-50:]:
                kept.append(heading)
            kept.append(line)
            inside = indent
    return kept
