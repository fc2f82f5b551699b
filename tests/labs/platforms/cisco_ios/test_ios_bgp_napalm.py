"""NAPALM's own driver reads BGP neighbors of IOS routers."""

from __future__ import annotations

import time

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import Session, ios_task

napalm_ios = pytest.importorskip("napalm.ios", reason="napalm is not installed; fix: pip install napalm")

ONE = """
ipv6 unicast-routing
ip vrf RED
 rd 65001:9
interface Gi0/0
 ip address 10.0.12.1 255.255.255.0
 ipv6 address 2001:db8:12::1/64
 no shutdown
interface Gi0/1
 ip vrf forwarding RED
 ip address 10.0.13.1 255.255.255.0
 no shutdown
interface Loopback0
 ip address 1.1.1.1 255.255.255.255
router bgp 65001
 bgp router-id 1.1.1.1
 neighbor 10.0.12.2 remote-as 65002
 neighbor 10.0.12.2 description upstream
 neighbor 10.0.12.9 remote-as 65009
 neighbor 10.0.12.9 shutdown
 neighbor 2001:db8:12::2 remote-as 65002
 address-family ipv4
  network 1.1.1.1 mask 255.255.255.255
 address-family ipv6
  neighbor 2001:db8:12::2 activate
  network 2001:db8:12::/64
 address-family ipv4 vrf RED
  neighbor 10.0.13.2 remote-as 65003
  neighbor 10.0.13.2 activate
"""
TWO = """
ipv6 unicast-routing
interface Gi0/0
 ip address 10.0.12.2 255.255.255.0
 ipv6 address 2001:db8:12::2/64
 no shutdown
interface Gi0/1
 ip address 10.0.13.2 255.255.255.0
 no shutdown
interface Loopback0
 ip address 2.2.2.2 255.255.255.255
router bgp 65002
 neighbor 10.0.12.1 remote-as 65001
 neighbor 10.0.13.1 remote-as 65001
 neighbor 10.0.13.1 local-as 65003
 neighbor 2001:db8:12::1 remote-as 65001
 network 2.2.2.2 mask 255.255.255.255
 address-family ipv6
  neighbor 2001:db8:12::1 activate
"""


class Driver(napalm_ios.IOSDriver):
    """NAPALM's driver with a session of this package in place of its SSH connection."""

    def __init__(self, session):
        super().__init__("R1", "", "")
        self._session = session

    def _send_command(self, command):
        return self._session.enter(command)


@pytest.fixture(scope="module")
def lab(deploy_task):
    lab = deploy_task(ios_task({"R1": ONE, "R2": TWO}, ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - R2 Gi0/1"]))
    assert device_of(lab.nodes["R1"]).problems == []
    assert device_of(lab.nodes["R2"]).problems == []
    return lab


def test_get_bgp_neighbors_knows_families_states_and_prefixes(lab):
    driver = Driver(Session(device_of(lab.nodes["R1"])))
    deadline = time.monotonic() + 15
    while True:
        found = driver.get_bgp_neighbors()["global"]
        peers = found["peers"]
        if (
            peers["10.0.12.2"]["address_family"]["ipv4 unicast"]["accepted_prefixes"] == 1
            and peers["2001:db8:12::2"]["is_up"]
        ):
            break
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    assert found["router_id"] == "1.1.1.1"
    assert (peers["10.0.12.2"]["is_up"], peers["10.0.12.2"]["remote_as"], peers["10.0.12.2"]["remote_id"]) == (
        True,
        65002,
        "2.2.2.2",
    )
    assert peers["10.0.12.2"]["description"] == "upstream"
    assert (peers["10.0.12.9"]["is_up"], peers["10.0.12.9"]["is_enabled"]) == (False, False)
    assert "ipv6 unicast" in peers["2001:db8:12::2"]["address_family"]


def test_get_bgp_neighbors_knows_the_vrfs(lab):
    driver = Driver(Session(device_of(lab.nodes["R1"])))
    deadline = time.monotonic() + 15
    while not (peers := driver.get_bgp_neighbors().get("RED", {}).get("peers", {})) or not peers["10.0.13.2"]["is_up"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert peers["10.0.13.2"]["remote_as"] == 65003
