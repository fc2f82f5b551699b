"""What probes look like."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from pytest_netbench.probing.disguise import Disguise

PORTS = (22, 25, 53, 80, 123, 161, 443, 587, 5001, 8080, 8443, 50000)
EVERYTHING = [(protocol, port) for protocol in ("tcp", "udp") for port in PORTS]


def drawn(disguise: Disguise, count: int) -> list[bytes]:
    contents = [disguise.question(protocol, port) for protocol, port in EVERYTHING for _ in range(count)]
    contents += [disguise.answer(protocol, port) for protocol, port in EVERYTHING for _ in range(count)]
    return contents + [disguise.echo() for _ in range(count)]


def test_no_content_names_the_framework_and_none_comes_twice() -> None:
    contents = drawn(Disguise(), 50)
    assert not any(b"netbench" in content.lower() for content in contents)
    assert len(set(contents)) == len(contents)
    assert all(0 < len(content) < 1000 for content in contents)


@pytest.mark.parametrize("port", [53, 80, 5001])
def test_sizes_of_datagrams_vary(port: int) -> None:
    disguise = Disguise()
    assert len({len(disguise.question("udp", port)) for _ in range(200)}) > 5


def test_an_echo_looks_like_that_of_ping() -> None:
    disguise = Disguise()
    echoes = [disguise.echo() for _ in range(100)]
    assert len({len(echo) for echo in echoes}) > 3
    for echo in echoes:
        assert echo[16:] == bytes(range(16, len(echo)))


def test_contents_are_such_as_their_port_has() -> None:
    disguise = Disguise()
    assert disguise.question("tcp", 80).startswith(b"GET /")
    hello = disguise.question("tcp", 443)
    assert hello[:3] == b"\x16\x03\x01"
    assert int.from_bytes(hello[3:5], "big") == len(hello) - 5
    assert int.from_bytes(hello[6:9], "big") == len(hello) - 9
    question = disguise.question("udp", 53)
    assert question[4:12] == bytes([0, 1, 0, 0, 0, 0, 0, 0])
    assert question[-5:] == bytes([0, 0, 1, 0, 1])
    asked = disguise.question("udp", 161)
    assert asked[0] == 0x30
    assert asked[1] == len(asked) - 2
    assert len(disguise.question("udp", 123)) == 48


def test_a_seed_draws_the_same_again_and_no_seed_does_not() -> None:
    first, second = Disguise(7), Disguise(7)
    ports = [first.port() for _ in range(9)]
    assert ports == [second.port() for _ in range(9)]
    assert all(49152 <= port <= 65535 for port in ports)
    assert first.question("udp", 53) == second.question("udp", 53)
    assert drawn(Disguise(), 3) != drawn(Disguise(), 3)


def test_what_segments_announce_differs_from_call_to_call() -> None:
    windows = {Disguise().window() for _ in range(50)}
    assert len(windows) > 10
    assert all(0 < window < 2048 for window in windows)


@pytest.mark.parametrize(("version", "size"), [(4, 4), (6, 16)])
def test_a_drawn_address_is_a_global_one(version: int, size: int) -> None:
    disguise = Disguise()
    drawn_ones = [disguise.address(version) for _ in range(50)]
    assert {len(one) for one in drawn_ones} == {size}
    assert all(ip_address(one).is_global for one in drawn_ones)
