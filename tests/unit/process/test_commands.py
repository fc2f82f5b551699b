"""Which commands show what another command shows."""

from __future__ import annotations

import pytest

from pytest_netbench.dialects.cisco_ios import CiscoIosDialect
from pytest_netbench.process import pings, sockets
from pytest_netbench.process.commands import about, is_same, is_wider, parts_of


def expand(word: str) -> str:
    if not any(sign.isdigit() for sign in word) or "." in word:
        return word
    try:
        return CiscoIosDialect().interface(word)
    except ValueError:
        return word


def words(line: str) -> tuple[str, ...]:
    (part,) = parts_of(line, expand)
    return part.words


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("sh int gi0/1", "show interfaces GigabitEthernet0/1"),
        ("show interface GigabitEthernet0/1", "show interfaces GigabitEthernet0/1"),
        ("ip a s eth0", "ip -4 address show dev eth0"),
        ("ip -4 addr show eth0", "ip -4 address show dev eth0"),
        ("ip r", "ip route"),
        ("ip neigh show 10.0.0.1", "ip neighbor show 10.0.0.1"),
    ],
)
def test_a_command_in_other_words_is_the_same(asked: str, wanted: str) -> None:
    assert is_same(words(asked), words(wanted))


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ("show interfaces GigabitEthernet0/2", "show interfaces GigabitEthernet0/1"),
        ("show ip route 10.0.0.1", "show ip route 10.0.0.10"),
        ("ip -br address show eth0", "ip address show eth0"),
        ("ip route get 10.0.0.1", "ip route show 10.0.0.1"),
        ("s interfaces", "show interfaces"),
        ("show ip ospf", "show ip ospf neighbor"),
    ],
)
def test_a_command_about_something_else_is_not_the_same(asked: str, wanted: str) -> None:
    assert not is_same(words(asked), words(wanted))


def test_a_command_about_all_is_wider_than_one_about_one() -> None:
    assert is_wider(words("sh int"), words("show interfaces GigabitEthernet0/1"))
    assert is_wider(words("ip link"), words("ip link show dev eth0"))
    assert not is_wider(words("show"), words("show interfaces GigabitEthernet0/1"))
    assert not is_wider(words("show version"), words("show interfaces GigabitEthernet0/1"))


def test_a_line_of_several_commands_and_filters_is_taken_apart() -> None:
    parts = list(parts_of("ip addr; ip route | grep default", expand))
    assert [(one.words, one.is_filtered, one.is_alone) for one in parts] == [
        (("ip", "addr"), False, False),
        (("ip", "route"), True, False),
    ]


def test_what_an_output_says_of_one_thing() -> None:
    text = "Interface eth1 is up\n  MTU 1500\nInterface eth10 is down\n  MTU 1400\nInterface eth1.10 is down\n"
    assert list(about(text, "eth1")) == ["Interface eth1 is up\n  MTU 1500\n"]
    assert list(about(text, "eth2")) == []


LOSSY, DEAD, LONG = r"\b(?:[1-9]|[12]\d) received", r"\b0 received", r"\(0/5\)"


@pytest.mark.parametrize(
    ("asked", "output", "wanted", "pattern", "is_shown"),
    [
        ("ping -c 10 10.0.0.1", "10 packets transmitted, 9 received", "ping 10.0.0.1 count 30", LOSSY, True),
        ("ping -c 5 10.0.0.1", "5 packets transmitted, 4 received", "ping 10.0.0.1 count 30", LOSSY, False),
        ("ping -c 5 10.0.0.1", "5 packets transmitted, 3 received", "ping 10.0.0.1 count 30", LOSSY, True),
        ("ping -c 5 10.0.0.1", "5 packets transmitted, 0 received", "ping 10.0.0.1 count 30", LOSSY, False),
        ("ping -c 5 10.0.0.2", "5 packets transmitted, 3 received", "ping 10.0.0.1 count 30", LOSSY, False),
        ("ping -c 1 10.0.0.1", "1 packets transmitted, 0 received", "ping 10.0.0.1 count 5", DEAD, False),
        ("ping -c 3 10.0.0.1", "3 packets transmitted, 0 received", "ping 10.0.0.1 count 5", DEAD, True),
        ("ping 10.0.0.1 size 1400", "(0/5)", "ping 10.0.0.1 repeat 5 size 1000", LONG, True),
        ("ping 10.0.0.1 size 100", "(0/5)", "ping 10.0.0.1 repeat 5 size 1000", LONG, False),
        ("ping 10.0.0.1", "(0/5)", "ping 10.0.0.1 repeat 5 size 1000", LONG, False),
        ("ping 10.0.0.1", "connect: unreachable", "ping 10.0.0.1 count 5", DEAD, False),
    ],
)
def test_pings_of_other_counts_show_loss_if_it_is_sure(asked, output, wanted, pattern, is_shown) -> None:
    assert pings.shows(asked.split(), output, wanted.split(), pattern) is is_shown


@pytest.mark.parametrize(
    ("asked", "whole", "is_wide"),
    [
        ("ss -tulpn", True, True),
        ("netstat -tuln", True, True),
        ("ss -tln", True, False),
        ("ss -tln", False, True),
        ("ss -tul", False, False),
        ("ss -tn", False, False),
        ("ss -tuln sport = :80", True, False),
    ],
)
def test_listings_of_sockets(asked: str, whole: bool, is_wide: bool) -> None:
    assert sockets.is_wider(asked.split(), ["ss", "-Hlntu"], whole=whole) is is_wide
