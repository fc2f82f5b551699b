"""The router ID of ospfd does not depend on which address the kernel confirmed first."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from pytest_netbench.platforms.frr.identity import pins
from pytest_netbench.platforms.frr.sections import sections

INTERFACES = """
interface eth1
 ip address 10.0.0.2/30
interface eth2
 ip address 10.32.255.1/30
"""
OSPF = "router ospf\n network 10.0.0.0/30 area 0\n"


class Zebra:
    """Knows one more address each time it is asked."""

    def __init__(self, *addresses: tuple[str, str]) -> None:
        self.addresses = addresses
        self.asked = 0

    def vty(self, requests: Any) -> list[tuple[str, int]]:
        assert list(requests) == [("zebra", "do show interface brief json")]
        self.asked += 1
        known: dict[str, Any] = {}
        for name, address in self.addresses[: self.asked]:
            known.setdefault(name, {"status": "up", "vrfName": "default", "addresses": []})["addresses"] += [address]
        return [(json.dumps(known), 0)]


def pinned(zebra: Zebra, config: str) -> tuple[str, ...]:
    *before, last = sections(config.splitlines())
    return pins(cast("Any", zebra), last, before)


def test_the_highest_address_is_waited_for():
    zebra = Zebra(("eth1", "10.0.0.2/30"), ("eth2", "10.32.255.1/30"))
    assert pinned(zebra, INTERFACES + OSPF) == ("ospf router-id 10.32.255.1", "no ospf router-id")
    assert zebra.asked == 2


def test_an_address_of_a_loopback_comes_before_higher_ones_and_ipv6_is_none():
    zebra = Zebra(("lo", "10.0.0.9/32"), ("eth1", "10.0.0.2/30"), ("eth1", "fe80::1/64"), ("eth2", "10.32.255.1/30"))
    assert pinned(zebra, INTERFACES + "interface lo\n ip address 10.0.0.9/32\n" + OSPF)[0] == "ospf router-id 10.0.0.9"


def test_an_interface_that_is_shut_down_is_not_waited_for():
    zebra = Zebra(("eth1", "10.0.0.2/30"))
    assert pinned(zebra, INTERFACES + " shutdown\n" + OSPF)[0] == "ospf router-id 10.0.0.2"
    assert zebra.asked == 1


@pytest.mark.parametrize(
    "config",
    [
        INTERFACES + "router ospf\n ospf router-id 1.1.1.1\n",
        INTERFACES + "router ospf\n router-id 1.1.1.1\n",
        INTERFACES + "router ospf vrf RED\n network 10.0.0.0/30 area 0\n",
        INTERFACES + "router bgp 65000\n neighbor 10.0.0.1 remote-as 65001\n",
        OSPF,
    ],
)
def test_nothing_is_pinned_where_it_is_configured_or_no_address_is_there(config):
    zebra = Zebra(("eth1", "10.0.0.2/30"))
    assert pinned(zebra, config) == ()
    assert zebra.asked == 0


def test_an_address_that_never_comes_is_not_waited_for_long():
    zebra = Zebra(("eth1", "10.0.0.2/30"))
    assert pinned(zebra, INTERFACES + OSPF)[0] == "ospf router-id 10.0.0.2"
