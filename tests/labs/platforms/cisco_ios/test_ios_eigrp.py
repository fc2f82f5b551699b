"""EIGRP of IOS routers in a triangle: paths by bandwidth, failover, and show commands."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, eventually, ios_task

LINES = {"A": (1, 3), "B": (1, 2), "C": (2, 3)}
LINKS = [
    "A Gi0/0 - B Gi0/0",
    "B Gi0/1 - C Gi0/0",
    "A Gi0/1 - C Gi0/1",
    "A Gi0/2 - ha eth0",
    "C Gi0/2 - hc eth0",
]


def router(number, first, second, extra=""):
    return f"""
interface Loopback0
 ip address 10.255.0.{number} 255.255.255.255
interface Gi0/0
 ip address 10.0.{first}.{number} 255.255.255.0
 no shutdown
interface Gi0/1
 ip address 10.0.{second}.{number} 255.255.255.0
{extra}
 no shutdown
interface Gi0/2
 ip address 172.16.{number}.1 255.255.255.0
 no shutdown
router eigrp 100
 network 10.0.0.0
 network 172.16.{number}.0 0.0.0.255
 passive-interface GigabitEthernet0/2
"""


# the direct line from A to C is slow
CONFIGS = {
    "A": router(1, 12, 13, " bandwidth 10000"),
    "B": router(2, 12, 23),
    "C": router(3, 23, 13, " bandwidth 10000"),
}


def host(number):
    return f"ip address add 172.16.{number}.10/24 dev eth0\nip route add default via 172.16.{number}.1\n"


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(ios_task(CONFIGS, LINKS, hosts={"ha": host(1), "hc": host(3)}))


def show(lab, name, command):
    return Session(device_of(lab.nodes[name])).enter(command)


def hops(lab):
    text = lab.nodes["ha"].run(["traceroute", "-n", "-q", "1", "-w", "1", "-m", "6", "172.16.3.10"]).stdout
    return [line.split()[1] for line in text.splitlines()[1:]]


OVER_B = ["172.16.1.1", "10.0.12.2", "10.0.23.3", "172.16.3.10"]
DIRECT = ["172.16.1.1", "10.0.13.3", "172.16.3.10"]


def test_a_slow_line_is_left_alone_and_metrics_are_those_of_ios(lab):
    assert hops(lab) == OVER_B
    assert "D        172.16.3.0/24 [90/3328] via 10.0.12.2" in show(lab, "A", "show ip route")
    assert "FD is 131072" in show(lab, "A", "show ip eigrp topology 10.255.0.3")


def test_the_slow_line_takes_over_when_the_fast_way_fails_and_gives_back(lab, say):
    say("B", "interface gi0/1", "shutdown")
    assert eventually(lambda: hops(lab) == DIRECT)
    say("B", "interface gi0/1", "no shutdown")
    assert eventually(lambda: hops(lab) == OVER_B)


def test_another_bandwidth_moves_the_traffic(lab, say):
    say("A", "interface gi0/1", "no bandwidth")
    say("C", "interface gi0/1", "no bandwidth")
    assert eventually(lambda: hops(lab) == DIRECT)
    say("A", "interface gi0/1", "bandwidth 10000")
    say("C", "interface gi0/1", "bandwidth 10000")
    assert eventually(lambda: hops(lab) == OVER_B)


def test_a_network_that_goes_is_forgotten_everywhere(lab, say):
    say("C", "router eigrp 100", "no network 172.16.3.0 0.0.0.255")
    assert eventually(lambda: "172.16.3.0" not in show(lab, "A", "show ip route"))
    assert "172.16.3.0" not in show(lab, "B", "show ip eigrp topology all-links")
    say("C", "router eigrp 100", "network 172.16.3.0 0.0.0.255")
    assert eventually(lambda: hops(lab) == OVER_B)


def test_the_last_neighbor_that_goes_takes_its_routes_along(lab, say):
    say("A", "interface Gi0/1", "shutdown")
    assert eventually(lambda: hops(lab) == OVER_B)
    say("B", "interface Gi0/0", "shutdown")
    assert eventually(lambda: "172.16.3.0" not in show(lab, "A", "show ip route"))
    say("B", "interface Gi0/0", "no shutdown")
    say("A", "interface Gi0/1", "no shutdown")
    assert eventually(lambda: hops(lab) == OVER_B)


def test_delay_and_variance_share_the_load(lab, say):
    say("A", "interface gi0/1", "no bandwidth", "delay 3", "router eigrp 100", "variance 2")
    say("C", "interface gi0/1", "no bandwidth")
    blocks = show(lab, "A", "show ip route 172.16.3.0").split("Routing Descriptor Blocks:")[1]
    assert "10.0.12.2" in blocks
    assert "10.0.13.3" in blocks
    say("A", "interface gi0/1", "bandwidth 10000", "no delay", "router eigrp 100", "no variance")
    say("C", "interface gi0/1", "bandwidth 10000")
    assert eventually(lambda: hops(lab) == OVER_B)


def test_nothing_is_said_on_passive_interfaces_and_other_systems_are_not_heard(lab, say):
    assert "Gi0/2" not in show(lab, "A", "show ip eigrp interfaces")
    say("B", "no router eigrp 100", "router eigrp 200", "network 10.0.0.0")
    assert eventually(lambda: hops(lab) == DIRECT)
    say("B", "no router eigrp 200", "router eigrp 100", "network 10.0.0.0", "network 172.16.2.0 0.0.0.255")
    assert eventually(lambda: hops(lab) == OVER_B)


@pytest.mark.parametrize("command", ["show ip eigrp neighbors", "show ip eigrp topology", "show ip route"])
def test_what_is_shown_parses(lab, command):
    rows = parse_output(platform="cisco_ios", command=command, data=show(lab, "B", command))
    assert len(rows) >= 2
