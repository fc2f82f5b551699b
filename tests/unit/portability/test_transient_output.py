"""What differs between any two networks is masked in outputs, and nothing else."""

from __future__ import annotations

import pytest

from pytest_netbench.portability.working import lasting

PAIRS = {
    "ages": ("O 10.0.0.0/8 [110/20] via 10.1.0.1, eth0, 00:12:55 ", "O 10.0.0.0/8 [110/20] via 10.1.0.1, eth0, 1d02h"),
    "a summary of BGP": (
        "10.255.0.2      4      65000         9        12        0    0    0 00:00:12            1        3 N/A",
        "10.255.0.2      4      65000       104      1006       17    0    0 01w2d03h            1        3 N/A",
    ),
    "messages of BGP": ("    Keepalives:             6          6", "    Keepalives:             1         12"),
    "ports": ("Local host: 10.255.0.2, Local port: 41177", "Local host: 10.255.0.2, Local port: 179"),
    "the past of a session": (
        "  Last reset 00:00:12,  Waiting for peer OPEN",
        "  Last reset 00:01:10,  No AFI/SAFI activated for peer",
    ),
    "versions of BGP's table": (
        "BGP routing table entry for 10.1.0.0/24, version 3",
        "BGP routing table entry for 10.1.0.0/24, version 12",
    ),
    "dates": ("      Last update: Sun Nov 29 10:23:11 2026", "      Last update: Sun Nov 29 11:24:12 2026"),
    "neighbors of OSPF": (
        "10.255.0.2        1 Full/DR         12.345s           37.123s 10.0.0.2        eth1:10.0.0.1",
        "10.255.0.2        1 Full/DR         1m02s              9.023s 10.0.0.2        eth1:10.0.0.1",
    ),
    "computations": ("  SPF algorithm executed 8 times", "  SPF algorithm executed 5 times"),
    "numbers of interfaces": ("  ifindex 10008, MTU 1500 bytes", "  ifindex 689, MTU 1500 bytes"),
    "hellos": ("  Hello due in 3.456s", "  Hello due in 9.001s"),
    "link states": ("  LS Seq Number: 80000001", "  LS Seq Number: 8000000a"),
    "the table of link states": (
        "10.255.0.1      10.255.0.1        12 0x80000003 0xabcd 10.0.0.0/24",
        "10.255.0.1      10.255.0.1      1012 0x80000004 0x0bcd 10.0.0.0/24",
    ),
    "addresses that nobody chose": (
        "Nexthop global: fe80::4e:ff:fe00:271c at 02:4e:00:00:27:1c",
        "Nexthop global: fe80::a8c1:abff:fefc:6876 at aa:c1:ab:fc:68:76",
    ),
}


@pytest.mark.parametrize(("first", "second"), PAIRS.values(), ids=PAIRS)
def test_what_does_not_last_is_masked(first, second):
    assert [*lasting([first])] == [*lasting([second])]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("O 10.0.0.0/8 [110/20] via 10.1.0.1, eth0, 00:12:55", "O 10.0.0.0/8 [110/30] via 10.1.0.1, eth0, 00:12:55"),
        (
            "10.255.0.2      4      65000         9        12        0    0    0 00:00:12            1        3 N/A",
            "10.255.0.2      4      65001         9        12        0    0    0 00:00:12            1        3 N/A",
        ),
        (
            "10.255.0.2      4      65000         9        12        0    0    0 00:00:12            1        3 N/A",
            "10.255.0.2      4      65000         9        12        0    0    0 00:00:12            2        3 N/A",
        ),
        ("10.255.0.2        1 Full/DR         12.345s", "10.255.0.2        1 Full/Backup     12.345s"),
        ("  BGP version 4, remote router ID 10.255.0.1", "  BGP version 4, remote router ID 10.255.0.3"),
        ("  Advertising Router: 10.255.0.1", "  Advertising Router: 10.255.0.2"),
        ("  Metric: 20", "  Metric: 30"),
    ],
)
def test_what_lasts_is_not(first, second):
    assert [*lasting([first])] != [*lasting([second])]


def test_empty_lines_and_what_is_there_by_chance_are_left_out():
    refused = [
        "  Message received that caused BGP to send a NOTIFICATION:",
        "    FFFFFFFF FFFFFFFF",
        "    005F0104 0102",
    ]
    assert [*lasting(["a", "", "  ", "Estimated round trip time: 3 ms", *refused, " b  c "])] == ["a", " b c"]
