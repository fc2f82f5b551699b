"""Where addresses stand in texts: in prose, in configurations, and in regular expressions with escaped dots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pytest_netbench.generators.variants.addresses import is_mask, length_of, mask_length, parsed

_BOUND: Final = r"(?:(?<![\w.\\])|(?<=\\[bBsSdDwW]))"
_DOT: Final = r"\\?\."
_QUAD: Final = rf"\d{{1,3}}{_DOT}\d{{1,3}}{_DOT}\d{{1,3}}{_DOT}\d{{1,3}}"
_GAP: Final = r"(?:(?: mask | netmask |\\s\+| )|-)"

V4: Final = (
    rf"{_BOUND}(?P<v4>{_QUAD})(?![\d\[])(?!{_DOT}\d)"
    rf"(?=(?:/(?P<length>\d{{1,2}}))?(?:(?P<gap>{_GAP})(?P<second>{_QUAD})(?!\d))?)"
)
PARTIAL: Final = rf"{_BOUND}(?P<partial>(?:\d{{1,3}}\\\.){{1,3}})(?=\d{{0,2}}[\[(\\])"
V6: Final = r"(?<![\w:.])(?P<v6>(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4})(?![\w:])(?=(?:/(?P<length6>\d{1,3}))?)"
_ALL: Final = re.compile(f"{V4}|{PARTIAL}|{V6}")


@dataclass(frozen=True)
class Mention:
    """An address in a text.

    Attributes:
        value: The address, as a number.
        version: Of IP.
        own: How many bits are its own; see ``length_of``. Of a pattern, the bits that it gives literally.
        length: The prefix length that goes with it, also for the address of a node.
        gaps: The wildcard behind it, if that has gaps.
        last: The last address, if it is the first of a range.
        is_pattern: Whether its last octets are a pattern.
    """

    value: int
    version: int
    own: int
    length: int | None = None
    gaps: int | None = None
    last: int | None = None
    is_pattern: bool = False


def mention_of(match: re.Match[str]) -> Mention | None:
    """What a match of ``V4``, ``PARTIAL`` or ``V6`` mentions; ``None`` if it is no address."""
    groups = match.groupdict()
    if groups["partial"] is not None:
        return _pattern(groups["partial"])
    if groups["v6"] is not None:
        found = parsed(groups["v6"])
        length = None if groups["length6"] is None else int(groups["length6"])
        return None if found is None else Mention(*found, own=length_of(*found, None, length), length=length)
    found = parsed(groups["v4"].replace("\\", ""))
    return None if found is None else _four(found[0], groups["length"], groups["second"], groups["gap"])


def mentions(text: str) -> Iterator[Mention]:
    """All addresses in ``text``."""
    for match in _ALL.finditer(text):
        if (mention := mention_of(match)) is not None:
            yield mention


def _four(value: int, length: str | None, second: str | None, gap: str | None) -> Mention:
    given = None if length is None else int(length)
    other = None if second is None or given is not None else parsed(second.replace("\\", ""))
    if other is None:
        return Mention(value, 4, length_of(value, 4, None, given), given)
    beside = other[0]
    if gap == "-" or not is_mask(beside):
        return Mention(value, 4, length_of(value, 4, None, None), last=beside)
    plain = mask_length(beside)
    return Mention(value, 4, length_of(value, 4, beside, None), plain, gaps=beside if plain is None else None)


def _pattern(text: str) -> Mention:
    octets = [int(one) for one in text.replace("\\", "").split(".") if one]
    value = int.from_bytes(bytes([*(one & 255 for one in octets), *[0] * (4 - len(octets))]))
    return Mention(value, 4, 8 * len(octets), is_pattern=True)
