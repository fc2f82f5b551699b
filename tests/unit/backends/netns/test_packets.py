"""Bytes of packets."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.backends.netns.supervisor import packets
from pytest_netbench.backends.netns.supervisor.packets import IcmpMessage, Seen


def ipv4(protocol: int, payload: bytes, *, tos: int = 0) -> bytes:
    addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2])
    return struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(payload), 1, 0, 64, protocol, 0) + addresses + payload


def ipv6(protocol: int, payload: bytes, *, traffic_class: int = 0) -> bytes:
    source = bytes.fromhex("20010db8000000000000000000000001")
    return struct.pack("!IHBB", 6 << 28 | traffic_class << 20, len(payload), protocol, 64) + source * 2 + payload


def test_the_checksum_is_that_of_the_rfc() -> None:
    assert packets.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0x220D


@given(st.binary(max_size=80))
def test_a_message_with_its_checksum_in_it_sums_to_zero(body: bytes) -> None:
    padded = body + b"\0" * (len(body) % 2)
    assert packets.checksum(padded + struct.pack("!H", packets.checksum(padded))) == 0


def test_an_echo_request_over_ipv4_carries_its_checksum() -> None:
    request = packets.echo_request(7, 3, version=4)
    assert packets.checksum(request) == 0
    assert struct.unpack("!BBHHH", request[:8])[::4] == (8, 3)


@pytest.mark.parametrize("version", [4, 6])
def test_a_reply_is_told_by_identifier_and_sequence(version: int) -> None:
    reply = struct.pack("!BBHHH", 0 if version == 4 else 129, 0, 0, 7, 3)
    data = ipv4(1, reply) if version == 4 else reply
    assert packets.read_icmp(data, version=version) == IcmpMessage("reply", 7, 3)


@pytest.mark.parametrize(
    ("version", "kind", "code", "meaning", "detail"),
    [
        (4, 11, 0, "exceeded", ""),
        (4, 3, 0, "unreachable", "network unreachable"),
        (4, 3, 3, "unreachable", "port unreachable"),
        (4, 3, 13, "unreachable", "administratively prohibited"),
        (4, 3, 6, "unreachable", "unreachable, code 6"),
        (6, 3, 0, "exceeded", ""),
        (6, 1, 1, "unreachable", "administratively prohibited"),
        (6, 1, 3, "unreachable", "address unreachable"),
    ],
)
def test_an_error_is_told_by_the_request_that_it_quotes(
    version: int, kind: int, code: int, meaning: str, detail: str
) -> None:
    request = packets.echo_request(7, 3, version=version)
    quoted = ipv4(1, request) if version == 4 else ipv6(58, request)
    error = struct.pack("!BBHI", kind, code, 0, 0) + quoted
    data = ipv4(1, error) if version == 4 else error
    assert packets.read_icmp(data, version=version) == IcmpMessage(meaning, 7, 3, detail)


def test_an_error_about_something_else_is_none_of_ours() -> None:
    error = struct.pack("!BBHI", 3, 3, 0, 0) + ipv4(17, struct.pack("!HHHH", 1, 2, 8, 0))
    assert packets.read_icmp(ipv4(1, error), version=4) is None


@pytest.mark.parametrize("protocol", [packets.TCP, packets.UDP])
def test_ports_and_marking_are_read(protocol: int) -> None:
    ports = struct.pack("!HHHH", 1000, 80, 8, 0)
    assert packets.read_ip(ipv4(protocol, ports, tos=46 << 2)) == Seen(protocol, "10.0.0.1", 46, 1000, 80)
    assert packets.read_ip(ipv6(protocol, ports, traffic_class=34 << 2 | 1)) == Seen(
        protocol, "2001:db8::1", 34, 1000, 80
    )


def test_the_identifier_of_an_echo_stands_for_a_port() -> None:
    request = packets.echo_request(7, 3, version=4)
    assert packets.read_ip(ipv4(packets.ICMP, request)) == Seen(packets.ICMP, "10.0.0.1", 0, 0, 7)


def test_other_protocols_are_not_read() -> None:
    assert packets.read_ip(ipv4(89, b"\0" * 44)) is None


@given(st.binary(max_size=120), st.sampled_from([4, 6]))
def test_no_bytes_from_the_network_break_the_readers(data: bytes, version: int) -> None:
    packets.read_ip(data)
    packets.read_icmp(data, version=version)


@given(st.binary(max_size=60), st.sampled_from([1, 6, 17, 58]), st.booleans())
def test_no_payload_breaks_the_readers(payload: bytes, protocol: int, four: bool) -> None:
    data = ipv4(protocol, payload) if four else ipv6(protocol, payload)
    packets.read_ip(data)
    packets.read_icmp(data, version=4)
    packets.read_icmp(payload, version=6)
