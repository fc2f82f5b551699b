"""Offset lists of RIP: routes that a list permits get a higher metric."""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task, settle, type_lines

R1 = """
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 no shutdown
access-list 5 permit 192.168.2.0 0.0.0.255
router rip
 version 2
 no auto-summary
 network 10.0.0.0
"""
R2 = """
interface Loopback0
 ip address 192.168.2.1 255.255.255.0
interface Loopback1
 ip address 192.168.3.1 255.255.255.0
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 no shutdown
router rip
 version 2
 no auto-summary
 network 10.0.0.0
 network 192.168.2.0
 network 192.168.3.0
"""


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task({"R1": R1, "R2": R2}, ["R1 Gi0/0 - R2 Gi0/0"]))


def enter(lab, *lines):
    type_lines(lab.nodes["R1"], "router rip", *lines)
    settle(lab)


def distances(lab):
    """Return the metrics of the two networks."""
    table = Session(device_of(lab.nodes["R1"])).enter("show ip route rip")
    return {net: table.partition(f"{net}/24 [120/")[2].partition("]")[0] for net in ("192.168.2.0", "192.168.3.0")}


def test_a_list_makes_what_it_permits_further_away_and_zero_is_every_network(lab):
    assert distances(lab) == {"192.168.2.0": "1", "192.168.3.0": "1"}
    enter(lab, "offset-list 5 in 4 gi0/0")
    assert eventually(lambda: distances(lab) == {"192.168.2.0": "5", "192.168.3.0": "1"})
    enter(lab, "no offset-list 5 in 4 gi0/0", "offset-list 0 in 2")
    assert eventually(lambda: distances(lab) == {"192.168.2.0": "3", "192.168.3.0": "3"})
    enter(lab, "no offset-list 0 in 2")
    assert eventually(lambda: distances(lab) == {"192.168.2.0": "1", "192.168.3.0": "1"})
