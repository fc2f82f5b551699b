"""BGP communities: reading them and printing them as IOS does."""

from __future__ import annotations

import re

WELL_KNOWN = {
    "internet": "internet",
    "local-AS": "local-AS",
    "no-advertise": "no-advertise",
    "no-export": "no-export",
    "gshut": "graceful-shutdown",
}
"""IOS's names of well-known communities, with FRR's names."""


def read(text: str) -> str | None:
    """Read a community as typed: a well-known name (or its beginning), ``aa:nn``, or a number."""
    named = [name for name in WELL_KNOWN if len(text) > 1 and name.lower().startswith(text.lower())]
    if len(named) == 1:
        return named[0]
    if re.fullmatch(r"\d{1,5}:\d{1,5}", text):
        return text if max(int(part) for part in text.split(":")) < 2**16 else None
    return str(int(text)) if re.fullmatch(r"\d{1,10}", text) and 0 < int(text) < 2**32 else None


def frr_community(text: str) -> str:
    """Return a community in FRR's format."""
    if text.isdigit():
        return f"{int(text) >> 16}:{int(text) & 0xFFFF}"
    return WELL_KNOWN.get(text, text)


def shown(text: str, *, new_format: bool) -> str:
    """Return FRR's name of a community as IOS prints it: a number unless ``ip bgp-community new-format`` is set."""
    for ios, frr in WELL_KNOWN.items():
        if text == frr:
            return ios
    high, colon, low = text.partition(":")
    if new_format or not colon or not (high + low).isdigit():
        return text
    return str(int(high) * 65536 + int(low))
