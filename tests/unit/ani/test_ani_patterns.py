"""Patterns of commands, and what a line may mean."""

from __future__ import annotations

import pytest

from pytest_netbench.ani.commands import Meaning, of_device, of_shell


@pytest.mark.parametrize(
    ("pattern", "command", "allowed", "denied"),
    [
        ("router ospf", "router ospf 1", True, True),
        ("router ospf", "ROUTER OSPF 1", True, True),
        ("router ospf", "router bgp 1", False, False),
        ("router ospf 1", "router ospf", False, False),
        ("router ospf", "no router ospf 1", False, False),
        ("no router *", "no router ospf 1", True, True),
        ("interface Gi*", "interface GigabitEthernet0/1", True, True),
        # words that may be abbreviated: a deny pattern takes them, an allow pattern does not
        ("no router ospf", "no router os 1", False, True),
        ("write erase", "wr er", False, True),
        ("router o*", "ro o 1", False, True),
        ("ip route", "ip routes", False, False),
    ],
)
def test_the_first_words_of_a_command_fit_a_pattern(pattern, command, allowed, denied):
    meaning = Meaning.of(command, exact=False)
    assert (meaning.is_allowed_by(pattern), meaning.is_denied_by(pattern)) == (allowed, denied)


def test_in_full_words_nothing_is_taken_for_an_abbreviation():
    assert Meaning.of("no ip route 10.0.0.0", exact=True).is_denied_by("no ip route")
    assert not Meaning.of("ip route 10.0.0.0", exact=True).is_denied_by("ip route-cache")


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ip route del default", ["ip route del default"]),
        ("/sbin/ip -4 route del default", ["ip -4 route del default", "ip route del default"]),
        ("echo a; ip link set eth0 down", ["echo a", "ip link set eth0 down"]),
        ("true && sudo ip r d default || reboot", ["true", "ip r d default", "reboot"]),
        ("X=1 env Y=2 nft flush ruleset", ["nft flush ruleset"]),
        ("for i in 1 2; do reboot; done", ["for i in 1 2", "reboot", "done"]),
        ("echo $(reboot) `halt`", ["echo $", "reboot", "halt"]),
        ("ls # reboot", ["ls"]),
        ("it's not closed", ["it's not closed"]),
        ("  ", []),
    ],
)
def test_a_shells_line_is_taken_apart_as_far_as_it_shows(line, commands):
    assert [one.text for one in of_shell(line)] == commands


def test_a_device_that_cannot_tell_what_a_line_stands_for_has_it_as_it_is():
    assert of_device("do sh ip ro", ()) == [Meaning.of("sh ip ro", exact=False)]
    assert of_device("no x", ["no xyz"]) == [Meaning.of("no xyz", exact=True)]
    assert of_device("  ", ()) == []
