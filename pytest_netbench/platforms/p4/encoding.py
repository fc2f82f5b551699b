"""Match keys and parameters: from what people write to the bytes of the runtime API, and back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.dialects.p4.values import number, pair
from pytest_netbench.platforms.p4.program import Field, KeyField, MatchKind

_ADDRESS_BITS: Final = 32
_MAC_BITS: Final = 48
_DECIMAL_BITS: Final = 16
_SIGNS: Final = {"lpm": "/", "ternary": "&&&", "range": "->"}


@dataclass(frozen=True, kw_only=True)
class Match:
    """What an entry has for one field of a key.

    Attributes:
        kind: How the field is matched.
        value: The value, or the start of a range.
        second: The length of a prefix, the mask, or the end of a range; 0 for ``exact``.
    """

    kind: MatchKind
    value: bytes
    second: int = 0


def encode(field: Field, text: str) -> bytes:
    """Return a value as bytes, the highest first, as many as the field needs.

    Raises:
        ValueError: It is no value, or needs more bits than the field has.
    """
    return _bytes(field, number(text))


def encode_key(fields: Sequence[KeyField], texts: Sequence[str]) -> tuple[Match, ...]:
    """Return the match key that ``texts`` say, one for each field.

    Raises:
        ValueError: There are too few or too many, or one does not fit its field.
    """
    if len(texts) != len(fields):
        wanted = ", ".join(f"{field.name} ({field.kind})" for field in fields)
        raise ValueError(f"{len(texts)} match fields were given, expected {len(fields)}: {wanted}")
    return tuple(_match(field, text) for field, text in zip(fields, texts, strict=True))


def _match(field: KeyField, text: str) -> Match:
    sign = _SIGNS.get(field.kind)
    parts = pair(text)
    if sign is None:
        if parts is not None:
            raise ValueError(f"{field.name} is matched exactly, so {text!r} cannot be its value")
        return Match(kind=field.kind, value=_bytes(field, number(text)))
    if parts is None or parts[1] != sign:
        raise ValueError(f"{field.name} is matched by {field.kind}: expected VALUE{sign}VALUE, got {text!r}")
    first, _, second = parts
    if field.kind == "lpm":
        if second > field.bits:
            raise ValueError(f"{text!r}: a prefix of {field.name} has at most {field.bits} bits")
        free = field.bits - second
        first = first >> free << free
    else:
        _bytes(field, second)
        first = first & second if field.kind == "ternary" else first
    return Match(kind=field.kind, value=_bytes(field, first), second=second)


def decode(field: Field, value: bytes) -> str:
    """Return a value as people write it: 32 bits as an IPv4 address, 48 as a MAC address, few bits as a decimal."""
    return _shown(field, int.from_bytes(value))


def decode_match(field: KeyField, match: Match) -> str:
    """Return the part of a match key for one field, as ``encode_key`` takes it."""
    value = decode(field, match.value)
    if match.kind == "lpm":
        return f"{value}/{match.second}"
    sign = _SIGNS.get(match.kind)
    return value if sign is None else f"{value}{sign}{_shown(field, match.second)}"


def _shown(field: Field, value: int) -> str:
    if field.bits == _ADDRESS_BITS:
        return str(IPv4Address(value))
    if field.bits == _MAC_BITS:
        return value.to_bytes(6).hex(":")
    return str(value) if field.bits <= _DECIMAL_BITS else hex(value)


def _bytes(field: Field, value: int) -> bytes:
    if value.bit_length() > field.bits:
        raise ValueError(f"{value} does not fit {field.name}, which has {field.bits} bits")
    return value.to_bytes((field.bits + 7) // 8)
