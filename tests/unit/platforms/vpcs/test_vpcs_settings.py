"""Lines of Linux on a host that is a VPCS: an address and a default route, and a sentence for all else."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface

import pytest

from pytest_netbench.platforms.vpcs.settings import Refused, Settings, beyond

ADDRESS = "ip address add 10.0.0.2/24 dev eth0"
ROUTE = "ip route add default via 10.0.0.1"
BOTH = Settings(IPv4Interface("10.0.0.2/24"), IPv4Address("10.0.0.1"))


def told(*lines: str, now: Settings | None = None) -> Settings:
    found = now or Settings()
    for line in lines:
        found = found.after(line, "eth0")
    return found


def test_an_address_and_a_default_route_become_one_command() -> None:
    assert told(ADDRESS, ROUTE) == BOTH
    assert told(ADDRESS, ROUTE).command == "ip 10.0.0.2/24 10.0.0.1"
    assert told(ADDRESS).command == "ip 10.0.0.2/24"
    assert told("ip link set eth0 up").command == "clear ip"


def test_what_show_ip_prints_is_read() -> None:
    shown = "NAME        : h1[1]\nIP/MASK     : 10.0.0.2/24\nGATEWAY     : 10.0.0.1\nMTU:        : 1500\n"
    assert Settings.shown(shown) == BOTH
    assert Settings.shown("IP/MASK     : 0.0.0.0/0\nGATEWAY     : 0.0.0.0\n") == Settings()


def test_another_address_needs_the_first_to_go_and_takes_the_gateway_with_it() -> None:
    moved = told("ip addr del 10.0.0.2/24 dev eth0", "ip addr add 10.0.1.2/24 dev eth0", now=BOTH)
    assert moved == Settings(IPv4Interface("10.0.1.2/24"))


def test_another_gateway_replaces_the_first() -> None:
    assert told("ip route replace default via 10.0.0.9", now=BOTH).gateway == IPv4Address("10.0.0.9")
    assert told("ip route del default", "ip route add default via 10.0.0.9", now=BOTH).gateway == IPv4Address(
        "10.0.0.9"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (ADDRESS, "RTNETLINK answers: File exists"),
        ("ip address add 10.0.0.3/24 dev eth0", "one IPv4 address and one default gateway, and it has 10.0.0.2/24"),
        ("ip address del 10.0.0.3/24 dev eth0", "Cannot assign requested address"),
        ("ip address add 2001:db8::1/64 dev eth0", "'2001:db8::1/64' is not an IPv4 address"),
        ("ip address add 10.0.0.3/24 dev eth1", 'Cannot find device "eth1"'),
        ("ip route add default via 10.0.0.9", "RTNETLINK answers: File exists"),
        ("ip route replace default via 10.9.0.9", "Nexthop has invalid gateway"),
        ("ip route add 10.5.0.0/16 via 10.0.0.1", "not possible on this host: a VPCS has one IPv4 address"),
        ("nft add table ip filter", "not possible on this host: a VPCS has one IPv4 address"),
        ("! touch /tmp/x", "not possible on this host: a VPCS has one IPv4 address"),
    ],
)
def test_what_cannot_be_is_said(line: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        BOTH.after(line, "eth0")


def test_a_host_that_needs_more_than_a_vpcs_has_is_named_with_its_line() -> None:
    assert beyond(f"# a comment\n{ADDRESS}\n\n{ROUTE}\n", ["eth0"]) is None
    assert beyond(f"{ADDRESS}\nip link set dev eth0 mtu 1400\n", ["eth0"]) == (
        "startup config line 2: 'ip link set dev eth0 mtu 1400': "
        "not possible on this host: a VPCS has one IPv4 address and one default gateway"
    )
    assert beyond("", ["eth0", "eth1"]) == "a VPCS has one interface, and it has eth0, eth1"
