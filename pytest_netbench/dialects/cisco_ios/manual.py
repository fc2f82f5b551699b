"""The command reference of IOS, generated from the grammar of the ``cisco_ios`` driver.

``netbench commands --manual`` prints the text; a test compares it with the file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pytest_netbench.dialects.base import ManualSection

FILE = Path(__file__).with_name("manual.txt")
_HEADING = "# "


def sections() -> tuple[ManualSection, ...]:
    """Return the whole reference, a section for each command."""
    return parse(FILE.read_text(encoding="utf-8"))


def parse(text: str) -> tuple[ManualSection, ...]:
    """Return the sections that ``render`` wrote."""
    blocks = text.removeprefix(_HEADING).split(f"\n{_HEADING}")
    pairs = (block.partition("\n") for block in blocks if block)
    return tuple(ManualSection(title=title, text=body.rstrip("\n")) for title, _, body in pairs)


def render(sections: Iterable[ManualSection]) -> str:
    """Return sections as one text: the title of each after ``# ``, then its text."""
    return "".join(f"{_HEADING}{section.title}\n{section.text}\n" for section in sections)
