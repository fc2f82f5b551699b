"""Argument types of access lists: numbers that may be given as names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.dialects.cisco_ios.ports import TCP_PORTS, UDP_PORTS
from pytest_netbench.dialects.markings import PRECEDENCES
from pytest_netbench.platforms.cisco_ios.areas.acl import names
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, Token, matching, one

STANDARD = (range(1, 100), range(1300, 2000))
EXTENDED = (range(100, 200), range(2000, 2700))


def _number_in(shown: str, ranges: Sequence[range]) -> ArgType:
    def check(text: str) -> str | None:
        return str(int(text)) if text.isdigit() and any(int(text) in numbers for numbers in ranges) else None

    return one(shown, check)


def _list_name(ranges: Sequence[range]) -> ArgType:
    def check(text: str) -> str | None:
        if text.isdigit():
            return str(int(text)) if any(int(text) in numbers for numbers in ranges) else None
        return text if re.fullmatch(r"[A-Za-z]\S{0,63}", text) else None

    return one("WORD", check, "Access-list name")


def named(values: Mapping[str, int], most: int) -> ArgType:
    """A type for a number up to ``most`` or one of its names, which may be abbreviated. The value is the number."""
    by_number: dict[int, str] = {}
    for name, number in values.items():
        by_number.setdefault(number, name)

    def read(tokens: Sequence[Token], _line: str) -> tuple[int, str, int] | None:
        number = _value(tokens[0].text.lower(), values, most)
        return None if number is None else (number, by_number.get(number, str(number)), 1)

    return ArgType(f"<0-{most}>", read)


def _value(text: str, values: Mapping[str, int], most: int) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if int(text) <= most else None
    fitting = {name for name in values if name.startswith(text)}
    if text in fitting:
        return values[text]
    return values[fitting.pop()] if len(fitting) == 1 else None


def _icmp(values: Mapping[str, names.Icmp]) -> ArgType:
    """Read an ICMP type: a name, a number, or two numbers (type and code). The value is ``(type, code or None)``."""
    by_pair = {pair: name for name, pair in values.items()}

    def read(tokens: Sequence[Token], _line: str) -> tuple[names.Icmp, str, int] | None:
        text = tokens[0].text.lower()
        if text.isdigit():
            if int(text) > 255:
                return None
            coded = len(tokens) > 1 and tokens[1].text.isdigit() and int(tokens[1].text) <= 255
            pair = (int(text), int(tokens[1].text) if coded else None)
            return pair, icmp_text(pair, by_pair), 1 + coded
        fitting = [name for name in values if name.startswith(text)]
        name = text if text in values else fitting[0] if len(fitting) == 1 else None
        return None if name is None else (values[name], name, 1)

    return ArgType("<0-255>", read)


def icmp_text(pair: names.Icmp, by_pair: Mapping[names.Icmp, str]) -> str:
    """Return the name of an ICMP type, or its numbers."""
    return by_pair.get(pair) or " ".join(str(part) for part in pair if part is not None)


TYPES: Mapping[str, ArgType] = {
    "standard-number": _number_in("<1-99>", STANDARD),
    "extended-number": _number_in("<100-199>", EXTENDED),
    "standard-name": _list_name(STANDARD),
    "extended-name": _list_name(EXTENDED),
    "list": _list_name((*STANDARD, *EXTENDED)),
    "tcpport": named(TCP_PORTS, 65535),
    "udpport": named(UDP_PORTS, 65535),
    "icmptype": _icmp(names.ICMP),
    "icmp6type": _icmp(names.ICMP6),
    "dscp": named(DSCP, 63),
    "precedence": named(PRECEDENCES, 7),
    "tos": named(names.TOS, 15),
    "tcpflag": matching("+|-FLAG", r"[+-](ack|fin|psh|rst|syn|urg)"),
}
