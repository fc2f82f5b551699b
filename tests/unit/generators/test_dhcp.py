"""DHCP in drawn networks, on paper."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose import DiagnoseFamily
from pytest_netbench.generators.default_faults import OF_DHCP
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.services import SERVICES
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.diagnosis import diagnose_of
from pytest_netbench.model.hosting import DhcpClient, DhcpServer, DnsServer
from pytest_netbench.model.task import Task

LEASED_SHAPES = [name for name, shape in SHAPES.items() if SERVICES["dhcp"].fits(name, shape.platforms[0])]


def drawn(*services: str, **parameters: Any) -> DrawnNetwork:
    given = {"services": services, "sizes": {"hosts": 3}, **parameters}
    return draw_network(NetworkParameters.model_validate(given))


def of_kind(network: DrawnNetwork, kind: type[Any]) -> dict[str, Any]:
    return {node.name: one for node in network.topology.nodes for one in node.services if isinstance(one, kind)}


@pytest.mark.parametrize("shape", LEASED_SHAPES)
@pytest.mark.parametrize("names", ["plain", "drawn"])
def test_each_client_gets_the_address_that_was_drawn_from_a_server_in_its_lan(shape: str, names: str) -> None:
    network = drawn("dns", "dhcp", shape=shape, names=names)
    servers, clients = of_kind(network, DhcpServer), of_kind(network, DhcpClient)
    ((dns, zone),) = of_kind(network, DnsServer).items()
    assert dns not in {*servers, *clients}
    left = set(clients)
    for name, server in servers.items():
        lan = network.lan_of(name)
        assert (server.prefix, server.gateway) == (lan.prefix, lan.gateway)
        assert (server.resolver, server.domain) == (network.addresses[dns], zone.domain)
        for mac, address in server.leases.items():
            (client,) = (one.node for one in lan.attachments if one.address == address)
            assert network.startup_configs[client] == f"ip link set dev eth0 address {mac}\n"
            left.remove(client)
    assert not left, "each client has one server"
    own = {name for name in network.hosts if network.topology.controls[name] != "foreign"}
    assert own == {*servers, *clients, dns}, "with three hosts in each LAN"


def test_other_startup_configs_and_addresses_are_those_of_the_network_without_dhcp() -> None:
    plain, leased = drawn("dns", shape="campus"), drawn("dns", "dhcp", shape="campus")
    clients = of_kind(leased, DhcpClient)
    assert plain.addresses == leased.addresses
    changed = {name for name, text in plain.startup_configs.items() if leased.startup_configs[name] != text}
    assert changed == set(clients)


def test_a_server_without_dns_gives_no_resolver() -> None:
    assert {one.resolver for one in of_kind(drawn("dhcp", shape="line"), DhcpServer).values()} == {None}


def test_a_lan_with_one_host_beside_the_dns_server_has_no_dhcp() -> None:
    network = drawn("dns", "dhcp", shape="star", sizes={"hosts": 2})
    assert len(of_kind(network, DhcpServer)) == 1
    with pytest.raises(UsageError, match="service 'dhcp' needs a LAN with two hosts"):
        drawn("dhcp", shape="star", sizes={"hosts": 1})


# ---- tasks ----


def task(**parameters: Any) -> Task:
    given = {"shapes": ("line",), "services": ("dns", "dhcp"), "size": "1", "level": "1", "healthy": 0.0, **parameters}
    return DiagnoseGenerator().draw(DiagnoseParameters.model_validate(given), seed=1, index=0)


@pytest.mark.parametrize("name", OF_DHCP)
def test_a_task_with_a_fault_of_dhcp_survives_json_with_its_digest(name: str) -> None:
    one = task(faults=(name,))
    assert [fault.fault for fault in diagnose_of(one).faults] == [name]
    assert Task.model_validate(one.model_dump(mode="json")).digest == one.digest


def test_faults_of_dhcp_are_drawn_if_dhcp_is_chosen_and_hosts_are_enough() -> None:
    alone = read_series("diagnose:services=dhcp,n=1").parameters
    assert {*alone.faults} & {*OF_DHCP} == {*OF_DHCP} - {"dhcp-dns-spoofed"}
    assert (alone.hosts.low, alone.hosts.high) == (3, 3)
    assert {*OF_DHCP} <= {*read_series("diagnose:services=dns+dhcp,n=1").parameters.faults}
    assert not {*OF_DHCP} & {*read_series("diagnose:services=dns+web,n=1").parameters.faults}
    assert read_series("diagnose:services=dhcp,hosts=2,n=1").parameters.hosts.high == 2
    assert not {*OF_DHCP} & {*read_series("troubleshoot:services=dns+dhcp,n=1").parameters.faults}


def test_the_brief_says_what_clients_get_and_is_the_same_for_a_healthy_network() -> None:
    one = task(faults=("dhcp-gateway-spoofed",))
    text = "\n".join(DiagnoseFamily().brief(one).intents)
    assert "\n".join(DiagnoseFamily().brief(task(faults=("dhcp-gateway-spoofed",), healthy=1.0)).intents) == text
    for node in diagnose_of(one).topology.nodes:
        for server in node.services:
            if isinstance(server, DhcpServer):
                said = (
                    f"- DHCP on {node.name} for {server.prefix}: gateway {server.gateway}, DNS server {server.resolver}"
                )
                assert said in text
                assert all(address in text for address in server.leases.values())
