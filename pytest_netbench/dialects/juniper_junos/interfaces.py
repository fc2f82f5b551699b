"""Interface names of Junos: of ports, of aggregates and of what exists only in software. Pure."""

from __future__ import annotations

import re
from typing import Final

_OF_PORTS: Final = (
    "ge",
    "xe",
    "et",
    "fe",
    "mge",
    "so",
    "t1",
    "t3",
    "e1",
    "e3",
    "at",
    "gr",
    "ip",
    "lt",
    "mt",
    "ms",
    "si",
)
_PORT: Final = re.compile(
    rf"({'|'.join((*_OF_PORTS, 'sp', 'vt', 'pd', 'pe', 'lc', 'pfe', 'pfh', 'vcp', 'cl', 'dl', 'mo', 'ls', 'lsq'))})"
    r"-(\d+)/(\d+)/(\d+)(?::(\d+))?(?:\.(\d+))?"
)
_NUMBERED: Final = re.compile(
    r"(ae|as|fxp|em|me|re|lo|irb|vlan|st|reth|fab|swfab|pp|rlsq|rsp|jsrv|bme|esi|eth)(\d+)(?:\.(\d+))?"
)
_SINGLE: Final = re.compile(r"(irb|vlan|vme|dsc|gre|ipip|lsi|mtun|pime|pimd|tap|vtep|lo|st)(?:\.(\d+))?")


def canonical(text: str) -> str:
    """Return the form of an interface name in which the device shows it: ``ge-0/0/0.0`` for ``GE-0/0/00.0``.

    Raises:
        ValueError: It cannot be an interface of Junos.
    """
    name = text.strip().lower()
    if (port := _PORT.fullmatch(name)) is not None:
        kind, fpc, pic, number, channel, unit = port.groups()
        channeled = "" if channel is None else f":{int(channel)}"
        return f"{kind}-{int(fpc)}/{int(pic)}/{int(number)}{channeled}{_unit(unit)}"
    if (numbered := _NUMBERED.fullmatch(name)) is not None:
        return f"{numbered[1]}{int(numbered[2])}{_unit(numbered[3])}"
    if (single := _SINGLE.fullmatch(name)) is not None:
        return f"{single[1]}{_unit(single[2])}"
    raise ValueError(f"{text!r} is no interface name of Junos (such as ge-0/0/0, xe-0/0/1.100, ae0, lo0, irb.10)")


def _unit(number: str | None) -> str:
    return "" if number is None else f".{int(number)}"
