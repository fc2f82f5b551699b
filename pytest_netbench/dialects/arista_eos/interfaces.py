"""Interface names of EOS: full names and their abbreviations. Pure."""

from __future__ import annotations

import re
from typing import Final

TYPES: Final = (
    "Dps",
    "Ethernet",
    "InternalRecirc",
    "Loopback",
    "Management",
    "Null",
    "Port-Channel",
    "Recirc-Channel",
    "Tunnel",
    "UnconnectedEthernet",
    "Vlan",
    "Vxlan",
)
_NAME: Final = re.compile(r"([A-Za-z][A-Za-z-]*?)\s*(\d+(?:/\d+){0,2})(?:\.(\d+))?")


def canonical(text: str) -> str:
    """Return the full name of the interface that ``text`` names: ``et1/1`` and ``Eth 1/1`` are ``Ethernet1/1``.

    Raises:
        ValueError: The text is not an interface name, or the abbreviation is ambiguous.
    """
    found = _NAME.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is no interface name of this platform (such as Ethernet1, Ethernet1/1, Port-Channel10, Vlan10)"
        )
    word, number, sub = found.groups()
    kinds = _types_of(word)
    if len(kinds) != 1:
        known = ", ".join(kinds or TYPES)
        raise ValueError(f"{text!r}: {'ambiguous' if kinds else 'unknown'} interface type {word!r} (known: {known})")
    parts = "/".join(str(int(part)) for part in number.split("/"))
    return f"{kinds[0]}{parts}" + ("" if sub is None else f".{int(sub)}")


def _types_of(word: str) -> list[str]:
    return [name for name in TYPES if name.lower().startswith(word.lower())]
