"""Lines of a shell that belong together: here-documents, and lines that end with a backslash. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_HERE: Final = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2")


def scripts(lines: Sequence[str]) -> Iterator[list[str]]:
    """Return the lines in groups, each of which a shell must be given at once.

    Each element may have several lines itself. What is never ended is one group with all that follows.
    """
    group: list[str] = []
    for line in lines:
        group.append(line)
        if not _goes_on("\n".join(group)):
            yield group
            group = []
    if group:
        yield group


def _goes_on(text: str) -> bool:
    ends: list[tuple[str, bool]] = []
    for line in text.splitlines():
        if ends:
            word, is_indented = ends[0]
            if (line.lstrip("\t") if is_indented else line) == word:
                ends.pop(0)
            continue
        ends += [(word, dash == "-") for dash, _, word in _HERE.findall(line)]
    return bool(ends) or text.endswith("\\")
