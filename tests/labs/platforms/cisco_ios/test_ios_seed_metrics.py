"""Metrics, tags and filters of routes that one interior protocol takes from another.

Seed metrics: Cisco document 8606 and the table of dide3d.com (tag rip-redistribution): into RIP static and connected
routes have metric 1, all others are unreachable without a metric; into OSPF 20, of type 2. A map sets the metric and
the tag, and may refuse tags (Cisco document 8606, "Avoiding problems due to redistribution").
"""

from __future__ import annotations

import pytest

from tests.support.ios import eventually, ios_task, show, type_lines

R1 = """
interface Gi0/0
 ip address 192.168.12.1 255.255.255.0
interface Loopback0
 ip address 172.31.1.1 255.255.0.0
router rip
 version 2
 no auto-summary
 network 192.168.12.0
 network 172.31.0.0
"""
R2 = """
interface Gi0/0
 ip address 192.168.12.2 255.255.255.0
interface Gi0/1
 ip address 192.168.23.2 255.255.255.0
 ip ospf network point-to-point
interface Loopback0
 ip address 172.21.0.1 255.255.0.0
ip route 172.20.0.0 255.255.0.0 Null0
route-map FOUR permit 10
 set metric 4
route-map NO99 deny 10
 match tag 99
route-map NO99 permit 20
 set metric 6
route-map TAGGED permit 10
 set metric 60
 set metric-type type-1
 set tag 120
router rip
 version 2
 no auto-summary
 network 192.168.12.0
router ospf 1
 network 192.168.23.0 0.0.0.255 area 0
"""
R3 = """
interface Gi0/0
 ip address 192.168.23.3 255.255.255.0
 ip ospf network point-to-point
ip route 172.29.0.0 255.255.0.0 Null0 tag 99
ip route 172.30.0.0 255.255.0.0 Null0
router ospf 1
 network 192.168.23.0 0.0.0.255 area 0
 redistribute static subnets
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2, "R3": R3}, ["R1 Gi0/0 - R2 Gi0/0", "R2 Gi0/1 - R3 Gi0/0"]))


def routes(lab, node, protocol):
    """By prefix: how a route is shown, without its next hop."""
    found = {}
    for line in show(lab.nodes[node], f"show ip route {protocol}").splitlines():
        kind, bracket, rest = line.partition("[")
        if bracket:
            *code, prefix = kind.split()
            found[prefix.partition("/")[0]] = f"{' '.join(code)} [{rest.partition(']')[0]}]"
    return found


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("redistribute static",), {"172.20.0.0": "R [120/1]"}),
        (("redistribute connected",), {"172.21.0.0": "R [120/1]"}),
        (("redistribute ospf 1",), {}),
        (("redistribute ospf 1 metric 3",), {"172.29.0.0": "R [120/3]", "172.30.0.0": "R [120/3]"}),
        (("default-metric 5", "redistribute ospf 1"), {"172.29.0.0": "R [120/5]", "172.30.0.0": "R [120/5]"}),
        (("redistribute ospf 1 route-map FOUR",), {"172.29.0.0": "R [120/4]", "172.30.0.0": "R [120/4]"}),
        (("redistribute ospf 1 route-map NO99",), {"172.30.0.0": "R [120/6]"}),
        (("default-information originate",), {"0.0.0.0": "R* [120/1]"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_rip_takes_a_route_with_the_metric_of_the_line_the_map_or_the_source(lab, lines, expected):
    assert eventually(lambda: not _learned(lab), within_s=12.0), _learned(lab)
    type_lines(lab.nodes["R2"], "router rip", *lines)
    try:
        assert eventually(lambda: _learned(lab) == expected), _learned(lab)
    finally:
        type_lines(lab.nodes["R2"], "router rip", *(f"no {_whole(line)}" for line in lines))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("redistribute rip subnets",), {"172.31.0.0": "O E2 [110/20]"}),
        (("redistribute rip subnets metric 50 metric-type 1",), {"172.31.0.0": "O E1 [110/51]"}),
        (("redistribute rip subnets route-map TAGGED",), {"172.31.0.0": "O E1 [110/61]"}),
        (("redistribute static subnets",), {"172.20.0.0": "O E2 [110/20]"}),
        (("default-metric 33", "redistribute static subnets"), {"172.20.0.0": "O E2 [110/33]"}),
        (("default-information originate",), {}),
        (("default-information originate always",), {"0.0.0.0": "O*E2 [110/1]"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_ospf_takes_a_route_with_the_metric_of_the_line_the_map_or_the_process(lab, lines, expected):
    def learned():
        return {p: shown for p, shown in routes(lab, "R3", "ospf").items() if p != "192.168.12.0"}

    assert eventually(lambda: not learned()), learned()
    type_lines(lab.nodes["R2"], "router ospf 1", *lines)
    try:
        assert eventually(lambda: learned() == expected), learned()
        if "TAGGED" in lines[0]:
            assert "External Route Tag: 120" in show(lab.nodes["R3"], "show ip ospf database external 172.31.0.0")
    finally:
        type_lines(lab.nodes["R2"], "router ospf 1", *(f"no {_whole(line)}" for line in lines))


def _learned(lab):
    return {p: shown for p, shown in routes(lab, "R1", "rip").items() if p != "192.168.23.0"}


def _whole(line):
    """The line without options: its ``no`` form removes all of it."""
    words = line.split()
    return " ".join(words[: 3 if "ospf" in words else 2])
