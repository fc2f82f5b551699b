"""Bytes of packets."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_netbench.probing import packets
from pytest_netbench.probing.packets import IcmpMessage, Seen

BODY = bytes(range(56))


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
    request = packets.echo_request(7, 3, BODY, version=4)
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
    request = packets.echo_request(7, 3, BODY, version=version)
    quoted = ipv4(1, request) if version == 4 else ipv6(58, request)
    error = struct.pack("!BBHI", kind, code, 0, 0) + quoted
    data = ipv4(1, error) if version == 4 else error
    assert packets.read_icmp(data, version=version) == IcmpMessage(meaning, 7, 3, detail)


def test_an_error_about_something_else_is_none_of_ours() -> None:
    error = struct.pack("!BBHI", 3, 3, 0, 0) + ipv4(17, struct.pack("!HHHH", 1, 2, 8, 0))
    assert packets.read_icmp(ipv4(1, error), version=4) is None


def test_ports_marking_and_contents_of_a_datagram_are_read() -> None:
    data = struct.pack("!HHHH", 1000, 80, 12, 0) + b"data"
    here, there = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
    assert packets.read_ip(ipv4(17, data, tos=46 << 2)) == Seen(17, here, there, 46, 1000, 80, 0, 0, b"data")
    both = bytes.fromhex("20010db8000000000000000000000001")
    assert packets.read_ip(ipv6(17, data, traffic_class=34 << 2 | 1)) == Seen(
        17, both, both, 34, 1000, 80, 0, 0, b"data"
    )


@pytest.mark.parametrize(
    "addresses", [(bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])), (bytes(15) + b"1", bytes(15) + b"2")]
)
def test_what_is_made_is_read_again(addresses: tuple[bytes, bytes]) -> None:
    source, target = addresses
    made = packets.datagram(source, target, 1000, 53, b"question")
    assert packets.read_transport(packets.UDP, source, target, 0, made) == Seen(
        packets.UDP, source, target, 0, 1000, 53, 0, 0, b"question"
    )
    made = packets.segment(source, target, (1000, 80), number=7, confirmed=9, flags=packets.SYN, payload=b"")
    assert packets.read_transport(packets.TCP, source, target, 0, made) == Seen(
        packets.TCP, source, target, 0, 1000, 80, packets.SYN, 7, b""
    )
    words = (source + target, struct.pack("!II", len(made), packets.TCP), made)
    assert packets.checksum(b"".join(words)) == 0


def test_padding_behind_a_packet_is_no_part_of_it() -> None:
    data = ipv4(17, struct.pack("!HHHH", 1000, 80, 12, 0) + b"data")
    seen = packets.read_ip(data + bytes(20))
    assert seen is not None
    assert seen.payload == b"data"


def test_a_fragment_is_not_read() -> None:
    data = bytearray(ipv4(17, struct.pack("!HHHH", 1000, 80, 12, 0) + b"data"))
    data[7] = 1
    assert packets.read_ip(bytes(data)) is None


def test_the_identifier_of_an_echo_stands_for_a_port() -> None:
    request = packets.echo_request(7, 3, BODY, version=4)
    seen = packets.read_ip(ipv4(packets.ICMP, request))
    assert seen is not None
    assert (seen.kind, seen.source_port, seen.target_port, seen.payload) == (packets.ECHO, 3, 7, BODY)


@pytest.mark.parametrize("protocol", [packets.TCP, packets.UDP])
def test_a_complaint_names_the_flow_it_is_about(protocol: int) -> None:
    quoted = ipv4(protocol, struct.pack("!HHHH", 1000, 80, 8, 0))
    seen = packets.read_ip(ipv4(packets.ICMP, struct.pack("!BBHI", 3, 13, 0, 0) + quoted))
    assert seen is not None
    assert packets.read_complaint(seen) == packets.Complaint(
        "administratively prohibited", protocol, bytes([10, 0, 0, 2]), 1000, 80
    )


def test_other_protocols_are_not_read() -> None:
    assert packets.read_ip(ipv4(89, b"\0" * 44)) is None


@given(st.binary(max_size=120), st.sampled_from([4, 6]))
def test_no_bytes_from_the_network_break_the_readers(data: bytes, version: int) -> None:
    seen = packets.read_ip(data)
    assert seen is None or packets.read_complaint(seen) is None or len(data) >= 36
    packets.read_icmp(data, version=version)


@given(st.binary(max_size=60), st.sampled_from([1, 6, 17, 58]), st.booleans())
def test_no_payload_breaks_the_readers(payload: bytes, protocol: int, four: bool) -> None:
    data = ipv4(protocol, payload) if four else ipv6(protocol, payload)
    packets.read_ip(data)
    packets.read_icmp(data, version=4)
    packets.read_icmp(payload, version=6)


def test_an_error_of_no_session_over_ipv4_is_about_a_whole_datagram() -> None:
    here, there = bytes([10, 0, 0, 2]), bytes([51, 1, 2, 3])
    message = packets.host_unreachable(here, there, (5000, 5001), BODY)
    assert (message[:2], packets.checksum(message)) == (bytes([3, 1]), 0)
    inner = message[8:]
    assert packets.checksum(inner[:20]) == 0
    quoted = packets.read_ip(inner)
    assert quoted is not None
    assert quoted[:3] == (packets.UDP, here, there)
    assert (quoted.source_port, quoted.target_port, quoted.payload) == (5000, 5001, BODY)
    seen = packets.read_ip(ipv4(packets.ICMP, message))
    assert seen is not None
    assert packets.read_unreachable(seen) == BODY


def test_an_error_of_no_session_over_ipv6_is_about_a_whole_datagram() -> None:
    here, there = bytes.fromhex("20010db8" + "00" * 11 + "02"), bytes.fromhex("2a" + "01" * 15)
    message = packets.host_unreachable(here, there, (5000, 5001), BODY)
    assert message[:2] == bytes([1, 3])
    quoted = packets.read_ip(message[8:])
    assert quoted is not None
    assert quoted[:3] == (packets.UDP, here, there)
    seen = packets.read_ip(ipv6(packets.ICMPV6, message))
    assert seen is not None
    assert packets.read_unreachable(seen) == BODY


@pytest.mark.parametrize("kind", [8, 11, 0])
def test_other_messages_of_icmp_are_about_no_unreachable_datagram(kind: int) -> None:
    message = packets.host_unreachable(bytes([10, 0, 0, 2]), bytes([51, 1, 2, 3]), (5000, 5001), BODY)
    seen = packets.read_ip(ipv4(packets.ICMP, bytes([kind]) + message[1:]))
    assert seen is not None
    assert packets.read_unreachable(seen) is None


@given(st.binary(max_size=60))
def test_errors_about_anything_are_read_without_a_failure(inner: bytes) -> None:
    for protocol, kind in ((packets.ICMP, packets.UNREACHABLE), (packets.ICMPV6, packets.UNREACHABLE6)):
        packets.read_unreachable(Seen(protocol, b"", b"", 0, 0, 0, kind, 1, inner))
