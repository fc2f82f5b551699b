from __future__ import annotations

import pytest

from pytest_netbench.platforms.frr import vtysh
from pytest_netbench.platforms.frr.readonly import probe_arguments


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("10.0.0.2", "ping -c 5 -i 0.2 -W 1 10.0.0.2"),
        ("ip 10.0.0.2", "ping -4 -c 5 -i 0.2 -W 1 10.0.0.2"),
        ("ipv6 2001:db8::1", "ping -6 -c 5 -i 0.2 -W 1 2001:db8::1"),
        ("10.0.0.2 count 2", "ping -c 2 -i 0.2 -W 1 10.0.0.2"),
        ("-c 3 10.0.0.2", "ping -c 3 -i 0.2 -W 1 10.0.0.2"),
        ("10.0.0.2 repeat 100000", "ping -c 100 -i 0.2 -W 1 10.0.0.2"),
        ("10.0.0.2 source 1.1.1.1", "ping -c 5 -i 0.2 -W 1 -I 1.1.1.1 10.0.0.2"),
        ("10.0.0.2 -s 1.1.1.1", "ping -c 5 -i 0.2 -W 1 -I 1.1.1.1 10.0.0.2"),
        ("-s 1472 -M do -c 5 10.0.0.2", "ping -c 5 -i 0.2 -W 1 -s 1472 -M do 10.0.0.2"),
        ("10.0.0.2 size 1500 df-bit repeat 9", "ping -c 9 -i 0.2 -W 1 -s 1472 -M do 10.0.0.2"),
        ("ipv6 2001:db8::1 size 1500", "ping -6 -c 5 -i 0.2 -W 1 -s 1452 2001:db8::1"),
        ("10.0.0.2 size 99999", "ping -c 5 -i 0.2 -W 1 -s 17972 10.0.0.2"),
    ],
)
def test_a_ping_always_ends(words, expected):
    assert " ".join(probe_arguments("ping", words.split())) == expected


def test_a_traceroute_is_bounded():
    assert probe_arguments("traceroute", ["10.0.0.2"]) == [
        "traceroute",
        "-n",
        "-w",
        "1",
        "-q",
        "1",
        "-m",
        "16",
        "10.0.0.2",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "",
        "-f 10.0.0.2",
        "10.0.0.2 ; id",
        "$(id)",
        "10.0.0.2 10.0.0.3",
        "--help",
        "-c",
        "10.0.0.2 size",
        "-M dont 10.0.0.2",
    ],
)
def test_a_probe_that_is_not_understood_is_not_run(words):
    assert probe_arguments("ping", words.split()) is None


@pytest.mark.parametrize("line", ["a\nb", "a\x15b", "a\x7fb", "a\x00", "a\x1b[A"])
def test_keystrokes_are_not_a_command(line):
    assert vtysh.unprintable(line)


def test_a_question_mark_is_typed_as_itself():
    assert vtysh.typed("show ip bgp regexp ^1?$") == "show ip bgp regexp ^1\x16?$"
    assert not vtysh.unprintable("description Zürich ?")


@pytest.mark.parametrize(
    ("words", "command", "expected"),
    [
        ("conf t", "configure terminal", True),
        ("configure", "configure terminal", False),
        ("sh", "show", True),
        ("shut", "show", False),
        ("s", "show", False),
    ],
)
def test_abbreviations_are_read_as_vtysh_reads_them(words, command, expected):
    assert vtysh.abbreviates(words, command, least=2 if command == "show" else 1) is expected


@pytest.mark.parametrize(
    ("prompt", "mode", "hostname"),
    [
        ("R1#", "", "R1"),
        ("R1(config)#", "config", "R1"),
        ("New-York(config-router-af)#", "config-router-af", "New-York"),
        ("R1>", "", "R1"),
    ],
)
def test_the_prompt_tells_mode_and_host_name(prompt, mode, hostname):
    assert (vtysh.mode(prompt), vtysh.hostname(prompt)) == (mode, hostname)
