"""Typed arguments of command patterns: the accepted tokens, and their canonical form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Interface, NetmaskValueError, ip_network
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces


@dataclass(frozen=True)
class Token:
    """One word of a line, and its start column."""

    text: str
    column: int


@dataclass(frozen=True)
class ArgType:
    """A type of arguments.

    Args:
        shown: The text of ``?`` for it, e.g. ``A.B.C.D``.
        read: Reads tokens from the argument on, and the line; returns (value, canonical text, tokens used) or
            ``None``.
        help: The help text of ``?`` beside it.
    """

    shown: str
    read: Callable[[Sequence[Token], str], tuple[Any, str, int] | None]
    help: str = ""


def one(shown: str, check: Callable[[str], Any], help: str = "") -> ArgType:
    """Return a type of one token.

    ``check`` returns the value, or raises ``ValueError`` or returns ``None`` for an invalid token. The canonical
    text is the value's ``str``.
    """

    def read(tokens: Sequence[Token], _line: str) -> tuple[Any, str, int] | None:
        try:
            value = check(tokens[0].text)
        except ValueError:
            return None
        return None if value is None else (value, str(value), 1)

    return ArgType(shown, read, help)


def number(low: int, high: int) -> ArgType:
    """Return a type for a decimal number within bounds."""

    def check(text: str) -> int | None:
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 and low <= int(text) <= high else None

    return one(f"<{low}-{high}>", check)


def matching(shown: str, pattern: str, help: str = "") -> ArgType:
    """Return a type for a token that a regular expression matches as a whole."""
    compiled = re.compile(pattern)
    return one(shown, lambda text: text if compiled.fullmatch(text) else None, help)


def _ipv4(text: str) -> str | None:
    try:
        return str(IPv4Address(text))
    except AddressValueError:
        return None


def _mask(text: str) -> str | None:
    try:
        return text if _ipv4(text) and str(ip_network(f"0.0.0.0/{text}").netmask) == text else None
    except (NetmaskValueError, ValueError):
        return None


def _ipv6(text: str) -> str | None:
    try:
        return str(IPv6Address(text)).upper() if "%" not in text else None
    except AddressValueError:
        return None


def _ipv6_prefix(text: str) -> str | None:
    if "/" not in text or "%" in text:
        return None
    address, _, length = text.partition("/")
    return f"{str(IPv6Interface(f'{address}/{int(length)}').ip).upper()}/{int(length)}"


def _prefix(text: str) -> str | None:
    address, slash, length = text.partition("/")
    if not slash or not length.isdigit() or int(length) > 32 or _ipv4(address) is None:
        return None
    return f"{address}/{int(length)}"


def _mac(text: str) -> str | None:
    digits = re.sub(r"[.:-]", "", text).lower()
    shaped = re.fullmatch(r"[0-9a-fA-F]{1,4}\.[0-9a-fA-F]{1,4}\.[0-9a-fA-F]{1,4}", text)
    if shaped:
        return ".".join(part.zfill(4).lower() for part in text.split("."))
    if re.fullmatch(r"[0-9a-f]{12}", digits) and re.fullmatch(r"(..[:-]){5}..|.{4}\..{4}\..{4}", text):
        return ".".join(digits[i : i + 4] for i in (0, 4, 8))
    return None


def _area(text: str) -> str | None:
    if text.isascii() and text.isdigit():
        return str(int(text)) if int(text) < 2**32 else None
    return _ipv4(text)


def _asn(text: str) -> str | None:
    if re.fullmatch(r"\d{1,10}", text) and 1 <= int(text) < 2**32:
        return str(int(text))
    if re.fullmatch(r"\d{1,5}\.\d{1,5}", text):
        high, low = (int(part) for part in text.split("."))
        return f"{high}.{low}" if max(high, low) < 2**16 else None
    return None


def _community(text: str) -> str | None:
    if re.fullmatch(r"\d{1,5}:\d{1,5}", text):
        return text if max(int(part) for part in text.split(":")) < 2**16 else None
    return str(int(text)) if re.fullmatch(r"\d{1,10}", text) and 0 < int(text) < 2**32 else None


def _hhmm(text: str) -> str | None:
    found = re.fullmatch(r"(\d{1,2}):(\d{2})", text)
    return f"{int(found[1])}:{found[2]}" if found and int(found[1]) < 24 and int(found[2]) < 60 else None


def _vlans(text: str) -> str | None:
    """Read a list of VLANs; its canonical form is sorted, with ranges."""
    wanted: set[int] = set()
    for part in text.split(","):
        ends = part.split("-")
        if len(ends) > 2 or not all(end.isdigit() and 1 <= int(end) <= 4094 for end in ends):
            return None
        wanted |= set(range(int(ends[0]), int(ends[-1]) + 1))
    return format_vlans(wanted) if wanted else None


def parse_vlans(text: str) -> frozenset[int]:
    """Return the VLANs of a list such as ``1,10-12``."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def format_vlans(vlans: set[int] | frozenset[int]) -> str:
    """Return the shortest list of VLANs: two consecutive VLANs are listed (``1,2``), three are a range (``1-3``)."""
    parts: list[str] = []
    ordered = sorted(vlans)
    start = 0
    for at in range(1, len(ordered) + 1):
        if at < len(ordered) and ordered[at] == ordered[at - 1] + 1:
            continue
        run = ordered[start:at]
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(vlan) for vlan in run]
        start = at
    return ",".join(parts)


def _interface(tokens: Sequence[Token], _line: str) -> tuple[Any, str, int] | None:
    """Read an interface of one token (``gi0/1``) or two (``gigabitethernet 0/1``)."""
    for used in (1, 2):
        if len(tokens) >= used:
            text = "".join(token.text for token in tokens[:used])
            if used == 2 and not tokens[0].text.replace("-", "").isalpha():
                return None
            try:
                name = interfaces.canonical(text)
            except ValueError:
                continue
            return name, name, used
    return None


def _line(tokens: Sequence[Token], line: str) -> tuple[Any, str, int] | None:
    text = line[tokens[0].column :].rstrip()
    return (text, text, len(tokens)) if text else None


BASIC: Mapping[str, ArgType] = {
    "word": one("WORD", lambda text: text or None),
    "line": ArgType("LINE", _line),
    "ipv4": one("A.B.C.D", _ipv4, "IP address"),
    "mask": one("A.B.C.D", _mask, "IP subnet mask"),
    "wildcard": one("A.B.C.D", _ipv4, "Wildcard bits"),
    "prefix": one("A.B.C.D/nn", _prefix, "IP prefix <network>/<length>"),
    "ipv6": one("X:X:X:X::X", _ipv6, "IPv6 address"),
    "ipv6prefix": one("X:X:X:X::X/<0-128>", _ipv6_prefix, "IPv6 prefix"),
    "mac": one("H.H.H", _mac, "MAC address"),
    "interface": ArgType("INTERFACE", _interface, "Interface"),
    "area": one("<0-4294967295>|A.B.C.D", _area, "OSPF area ID"),
    "asn": one("<1-4294967295>|<1.0-XX.YY>", _asn, "Autonomous system number"),
    "community": one("<1-4294967295>|aa:nn", _community, "Community number"),
    "hhmm": one("hh:mm", _hhmm, "Time"),
    "vlans": one("VLAN-LIST", _vlans, "VLAN IDs such as 1,10-12"),
    "name": matching("WORD", r"\S{1,64}"),
}
"""Types that every area may use, besides ``LOW-HIGH`` for a number."""


def resolve(name: str, own: Mapping[str, ArgType]) -> ArgType:
    """Return the type called ``name``: of the area, a basic type, or a range ``LOW-HIGH``.

    Raises:
        ValueError: There is no such type.
    """
    if name in own:
        return own[name]
    if name in BASIC:
        return BASIC[name]
    bounds = re.fullmatch(r"(\d+)-(\d+)", name)
    if bounds is None:
        raise ValueError(f"unknown argument type {name!r} (known: {sorted([*BASIC, *own])}, or LOW-HIGH)")
    return number(int(bounds[1]), int(bounds[2]))
