"""What typed lines stand for."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.grammar.expansions import readings


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("wr er", "write erase"),
        ("no router bg 65000", "no router bgp 65000"),
        ("NO ROUTER EIG 5", "no router eigrp 5"),
        ("int g0/1", "interface GigabitEthernet0/1"),
        ("  sh", "shutdown"),
        ("do wr er", "write erase"),
        ("sh ru | i ospf", "show running-config"),
        ("conf t", "configure terminal"),
        ("def int g0/1", "no interface GigabitEthernet0/1"),
        ("default router ospf 1", "default router ospf 1"),
        ("cop run start", "copy running-config startup-config"),
        ("no ip addr", "no ip address"),
        ("no ip route 10.0.0.0 255.0.0.0 10.1.1.1", "no ip route 10.0.0.0 255.0.0.0 10.1.1.1"),
    ],
)
def test_an_abbreviated_line_is_read_in_full(typed, full):
    assert full in readings(grammar(), "", typed)


@pytest.mark.parametrize("typed", ["", "  ", "no", "do", "nonsense here", "no such thing", "no router os 1"])
def test_what_is_no_command_or_ambiguous_stands_for_nothing(typed):
    assert readings(grammar(), "", typed) == ()
