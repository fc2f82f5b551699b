from __future__ import annotations

from pytest_netbench.platforms.frr.boot import neutral


def test_framing_a_person_types_is_made_a_comment_and_lines_keep_their_numbers():
    lines = ["configure terminal", "hostname R1", "end", "write memory"]
    assert neutral(lines) == ["!", "hostname R1", "!", "!"]


def test_an_exit_that_closes_a_block_stays_and_one_outside_any_block_goes():
    lines = ["interface eth0", " ip address 10.0.0.1/24", "exit", "exit", "ip route 0.0.0.0/0 10.0.0.2"]
    assert neutral(lines) == [*lines[:3], "!", lines[4]]


def test_nested_blocks_close_one_by_one():
    lines = ["router bgp 1", " address-family ipv4 unicast", " exit-address-family", "exit", "exit"]
    assert neutral(lines) == [*lines[:4], "!"]
    unindented = ["router bgp 1", "address-family ipv4 unicast", "exit-address-family", "exit", "exit"]
    assert neutral(unindented) == [*unindented[:4], "!"]
