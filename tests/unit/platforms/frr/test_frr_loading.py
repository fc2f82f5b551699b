"""Startup configs as sections, and what daemons' answers mean."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.frr.loading import complaint
from pytest_netbench.platforms.frr.sections import sections


def shape(text: str) -> list[tuple[str, list[str]]]:
    return [(one.head.text, [line.text for line in one.body]) for one in sections(text.splitlines())]


def test_what_is_indented_belongs_to_the_section_above():
    text = (
        "hostname x\ninterface eth0\n ip address 10.0.0.1/24\n!\n ip ospf area 0\nexit\nip route 0.0.0.0/0 10.0.0.2\n"
    )
    assert shape(text) == [
        ("hostname x", []),
        ("interface eth0", ["ip address 10.0.0.1/24", "ip ospf area 0"]),
        ("ip route 0.0.0.0/0 10.0.0.2", []),
    ]


def test_a_config_without_indentation_has_the_same_sections():
    text = (
        "router bgp 1\nneighbor 10.0.0.2 remote-as 2\naddress-family ipv4 unicast\nnetwork"
        " 10.0.0.0/8\nexit-address-family\n"
    )
    assert shape(text + "exit\nroute-map X permit 10\nset metric 5\nip prefix-list P permit any\n") == [
        (
            "router bgp 1",
            [
                "neighbor 10.0.0.2 remote-as 2",
                "address-family ipv4 unicast",
                "network 10.0.0.0/8",
                "exit-address-family",
            ],
        ),
        ("route-map X permit 10", ["set metric 5"]),
        ("ip prefix-list P permit any", []),
    ]


def test_an_exit_that_leaves_nothing_is_not_a_line():
    assert shape("exit\ninterface eth0\nexit\nexit\nend\nhostname x\n") == [("interface eth0", []), ("hostname x", [])]


def test_lines_keep_their_numbers():
    (one,) = sections(["!", "", "interface eth0", "! remark", " shutdown"])
    assert (one.head.number, [line.number for line in one.body]) == (3, [5])


def test_a_line_that_nothing_indents_may_belong_elsewhere():
    (one,) = sections(["router ospf", " ospf router-id 1.1.1.1", "unheard of"])
    assert [line.inside for line in one.body] == [True, False]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([("", 0), ("% [ZEBRA] Unknown command: x\n", 2)], None),
        ([("% Echo mode works correctly for IPv4, but only works when the peer is also FRR for IPv6.\n", 0)], None),
        (
            [("% [BGP] Argument form is unsupported or malformed.\n", 0), ("% [ZEBRA] Unknown command: x\n", 2)],
            "% [BGP] Argument form is unsupported or malformed.",
        ),
        ([("% [BGP] Unknown command: x\n", 2), ("% [ZEBRA] Unknown command: x\n", 2)], "% Unknown command: x"),
        ([("% [BGP] Unknown command: x\n", 2), ("% [ZEBRA] Command incomplete: x\n", 4)], "% Command incomplete: x"),
        (
            [("", 0), ("% Configuration failed.\n\nError type: validation\n", 13)],
            "% Configuration failed. Error type: validation",
        ),
        ([("BGP is already running; AS is 1\n", 1)], "BGP is already running; AS is 1"),
        ([], "% Unknown command"),
    ],
)
def test_a_line_is_refused_if_nobody_knows_it_or_somebody_does_not_take_it(given, words):
    assert complaint(given) == words
