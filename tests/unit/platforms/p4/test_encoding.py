"""Match keys and parameters as bytes of the runtime API, and back."""

from __future__ import annotations

import re

import pytest

from pytest_netbench.platforms.p4.encoding import Match, decode, decode_match, encode, encode_key
from pytest_netbench.platforms.p4.program import Field, KeyField

ADDRESS = KeyField(name="ipv4.destination", bits=32, kind="lpm")
PORT = KeyField(name="port", bits=9, kind="exact")
MASKED = KeyField(name="protocol", bits=8, kind="ternary")
RANGE = KeyField(name="l4", bits=16, kind="range")


def test_a_value_has_as_many_bytes_as_its_field_needs() -> None:
    assert encode(PORT, "5") == b"\x00\x05"
    assert encode(Field(name="mac", bits=48), "02:00:00:00:01:0a") == b"\x02\x00\x00\x00\x01\x0a"
    assert decode(PORT, b"\x00\x05") == "5"
    assert decode(Field(name="mac", bits=48), b"\x02\x00\x00\x00\x01\x0a") == "02:00:00:00:01:0a"
    assert decode(Field(name="id", bits=20), b"\x00\x00\xff") == "0xff"


@pytest.mark.parametrize(
    ("field", "text", "match"),
    [
        (ADDRESS, "10.0.1.0/24", Match(kind="lpm", value=b"\x0a\x00\x01\x00", second=24)),
        (PORT, "5", Match(kind="exact", value=b"\x00\x05")),
        (MASKED, "0x10&&&0xf0", Match(kind="ternary", value=b"\x10", second=0xF0)),
        (RANGE, "80->90", Match(kind="range", value=b"\x00\x50", second=90)),
    ],
)
def test_a_match_is_read_and_shown_in_one_form(field: KeyField, text: str, match: Match) -> None:
    assert encode_key([field], [text]) == (match,)
    assert encode_key([field], [decode_match(field, match)]) == (match,)


def test_bits_behind_a_prefix_or_outside_a_mask_are_not_matched() -> None:
    assert encode_key([ADDRESS], ["10.0.1.7/24"])[0].value == b"\x0a\x00\x01\x00"
    assert encode_key([MASKED], ["0x1f&&&0xf0"])[0].value == b"\x10"


@pytest.mark.parametrize(
    ("field", "texts", "message"),
    [
        (PORT, ["512"], "512 does not fit port, which has 9 bits"),
        (PORT, ["1/8"], "port is matched exactly, so '1/8' cannot be its value"),
        (ADDRESS, ["10.0.1.0"], "ipv4.destination is matched by lpm: expected VALUE/VALUE, got '10.0.1.0'"),
        (ADDRESS, ["10.0.1.0/33"], "'10.0.1.0/33': a prefix of ipv4.destination has at most 32 bits"),
        (PORT, [], "0 match fields were given, expected 1: port (exact)"),
        (PORT, ["x"], "'x' is no number, IPv4 address or MAC address"),
        (MASKED, ["1&&&0x1ff"], "511 does not fit protocol, which has 8 bits"),
    ],
)
def test_what_does_not_fit_a_field_is_refused_with_the_reason(field: KeyField, texts: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        encode_key([field], texts)
