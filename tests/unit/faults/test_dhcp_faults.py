"""Faults of DHCP on paper: where they fit, what they touch, and what a rogue server says."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Any

import pytest

from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.faults.rogue_dhcp import moved_leases
from pytest_netbench.generators.default_faults import OF_DHCP
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.hosting import DhcpServer

ROGUE = [name for name in OF_DHCP if name.endswith("-spoofed")]


def fault(name: str) -> Any:
    return fault_of(name)


def a_network(*services: str, hosts: int = 3) -> DrawnNetwork:
    given = {
        "shape": "campus",
        "services": services,
        "names": "drawn",
        "managed_hosts": True,
        "sizes": {"hosts": hosts},
    }
    return draw_network(NetworkParameters.model_validate(given))


LEASED = a_network("dns", "dhcp")


def kinds(node: str) -> set[str]:
    return {one.kind for one in LEASED.topology.node(node).services}


@pytest.mark.parametrize("name", OF_DHCP)
def test_it_is_in_lans_with_dhcp_and_nowhere_else_and_only_the_lab_takes_it_away(name: str) -> None:
    one = fault(name)
    assert isinstance(one, NetworkValue)
    assert isinstance(one, OutsideValue)
    assert list(one.places(a_network("dns"))) == []
    places = list(one.places(LEASED))
    assert places
    for place in places:
        assert one.recover(place) == {}
        assert place.clients
        assert place.node not in place.clients
        assert {"dhcp-client"} <= set.intersection(*map(kinds, place.clients))
        assert ("dhcp-client" if name in ROGUE else "dhcp") in kinds(place.node)
        assert {LEASED.lan_of(host).name for host in (place.node, *place.clients)} == {LEASED.lan_of(place.node).name}


@pytest.mark.parametrize("name", ROGUE)
def test_a_rogue_server_needs_a_third_host(name: str) -> None:
    assert list(fault(name).places(a_network("dhcp", "dns", hosts=2))) == []


def test_names_are_spoofed_where_there_is_dns() -> None:
    assert list(fault("dhcp-dns-spoofed").places(a_network("dhcp"))) == []


@pytest.mark.parametrize("name", OF_DHCP)
def test_nothing_else_is_wrong_with_its_clients_or_with_the_cables_between(name: str) -> None:
    one = fault(name)
    place = next(iter(one.places(LEASED)))
    client, interface = next(iter(place.clients.items()))
    assert {f"{client} {interface}", f"{client} resolver", f"{place.node} {place.interface}"} <= one.touches(place)
    for other in ("host-gateway-wrong", "host-resolver-wrong", "node-crashed"):
        there = [at for at in fault(other).places(LEASED) if at.node in (client, *place.gateways)]
        assert there
        assert all(one.touches(place) & fault(other).touches(at) for at in there if at.node == client)
    assert place.gateways
    crashed = [at for at in fault("node-crashed").places(LEASED) if at.node in place.gateways]
    assert all(one.touches(place) & fault("node-crashed").touches(at) for at in crashed)


@pytest.mark.parametrize("name", OF_DHCP)
def test_it_says_in_words_where_it_is(name: str) -> None:
    place = next(iter(fault(name).places(LEASED)))
    said = fault(name).explain(place)
    assert all(word in said for word in (place.node, *place.clients))


def test_a_spoofed_subnet_is_nobody_elses() -> None:
    for place in fault("dhcp-subnet-spoofed").places(LEASED):
        assert not any(IPv4Network(place.instead).overlaps(IPv4Network(one.prefix)) for one in LEASED.subnets)


def test_leases_in_another_subnet_are_in_it_and_end_as_before() -> None:
    config = DhcpServer(
        prefix="10.1.2.32/27", gateway="10.1.2.33", leases={"02:00:00:00:00:01": "10.1.2.40"}, resolver="10.1.2.41"
    )
    moved = moved_leases(config, IPv4Network("192.168.88.0/24"))
    assert (moved.prefix, moved.gateway, moved.resolver) == ("192.168.88.0/24", "192.168.88.1", "10.1.2.41")
    assert moved.leases == {"02:00:00:00:00:01": str(IPv4Address("192.168.88.8"))}
