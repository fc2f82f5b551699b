"""Distribute lists of interior protocols, tested by the routing table of the receiving router."""

from __future__ import annotations

import json

import pytest

from tests.support.ios import await_that, ios_task, type_lines

TELLS = """
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
interface Loopback1
 ip address 172.16.1.1 255.255.255.0
 ip ospf network point-to-point
interface Loopback2
 ip address 172.16.2.1 255.255.255.0
 ip ospf network point-to-point
ip route 50.0.0.0 255.0.0.0 Null0
ip route 51.0.0.0 255.0.0.0 Null0
router ospf 1
 network 0.0.0.0 255.255.255.255 area 0
 redistribute static subnets
router rip
 version 2
 network 10.0.0.0
 network 172.16.0.0
 no auto-summary
"""
HEARS = """
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
interface Loopback0
 ip address 10.9.9.9 255.255.255.255
access-list 5 deny 172.16.1.0
access-list 5 permit any
access-list 6 deny 50.0.0.0
access-list 6 permit any
ip prefix-list P deny 172.16.2.0/24
ip prefix-list P permit 0.0.0.0/0 le 32
router ospf 1
 network 0.0.0.0 255.255.255.255 area 0
router rip
 version 2
 network 10.0.0.0
 no auto-summary
"""
ALL = {"172.16.1.0/24", "172.16.2.0/24", "50.0.0.0/8", "51.0.0.0/8"}


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(
        ios_task(
            {"R1": TELLS + "access-list 6 deny 50.0.0.0\naccess-list 6 permit any\n", "R2": HEARS},
            ["R1 Gi0/0 - R2 Gi0/0"],
        )
    )


def routes(lab, protocol):
    """Return the part of the forwarding table about a network."""
    answer = json.loads(lab.nodes["R2"].vty([("zebra", f"show ip route {protocol} json")])[0][0] or "{}")
    return {prefix for prefix in ALL if any(entry.get("installed") for entry in answer.get(prefix, ()))}


def until(lab, protocol, expected, within_s=20.0):
    await_that(lambda: routes(lab, protocol) == expected, lambda: (routes(lab, protocol), expected), within_s=within_s)


@pytest.mark.parametrize(
    ("lines", "missing"),
    [
        (("distribute-list 5 in",), "172.16.1.0/24"),
        (("distribute-list prefix P in",), "172.16.2.0/24"),
        (("distribute-list prefix P in gi0/0",), "172.16.2.0/24"),
    ],
)
def test_an_inbound_list_of_ospf_keeps_routes_out_of_the_table(lab, lines, missing):
    until(lab, "ospf", ALL)
    type_lines(lab.nodes["R2"], "router ospf 1", *lines)
    until(lab, "ospf", ALL - {missing})
    type_lines(lab.nodes["R2"], "router ospf 1", *(f"no {line}" for line in lines))
    until(lab, "ospf", ALL)


def test_an_outbound_list_of_ospf_judges_what_is_redistributed(lab):
    until(lab, "ospf", ALL)
    type_lines(lab.nodes["R1"], "router ospf 1", "distribute-list 6 out static")
    until(lab, "ospf", ALL - {"50.0.0.0/8"})
    type_lines(lab.nodes["R1"], "router ospf 1", "no distribute-list 6 out static")
    until(lab, "ospf", ALL)


def test_an_inbound_list_of_rip_judges_what_is_heard(lab):
    type_lines(lab.nodes["R2"], "no router ospf 1")
    until(lab, "rip", {"172.16.1.0/24", "172.16.2.0/24"}, within_s=40)
    type_lines(lab.nodes["R2"], "router rip", "distribute-list 5 in")
    until(lab, "rip", {"172.16.2.0/24"}, within_s=60)
