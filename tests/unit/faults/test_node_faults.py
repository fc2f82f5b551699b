"""Faults of whole nodes on paper: where they fit, and that nothing else is wrong at such a node."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.faults.builders import NetworkValue, OutsideValue
from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.networks import NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of

NAMES = ("interface-detached", "node-crashed", "routing-daemon-stopped")


def fault(name: str) -> Any:
    return fault_of(name)


def drawn(shape: str, platform: str, routing: str, **parameters: Any) -> Any:
    given = {"shape": shape, "platform": platform, "routing": routing, "managed_hosts": True, **parameters}
    return draw_network(NetworkParameters.model_validate(given))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_of_a_network_and_no_command_repairs_it(name: str) -> None:
    known = fault(name)
    assert isinstance(known, NetworkValue)
    assert isinstance(known, OutsideValue)
    for one in known.places(drawn("line", "frr", "ospf")):
        assert known.recover(one) == {}
        assert one.node in known.explain(one)
        assert known.parameters.model_validate_json(one.model_dump_json()) == one


def test_each_node_with_an_address_can_crash_and_each_is_a_place_once() -> None:
    network = drawn("campus", "cisco_ios", "ospf")
    found = [one.node for one in fault("node-crashed").places(network)]
    addressed = {one.node for subnet in network.subnets for one in subnet.attachments if len(subnet.attachments) > 1}
    assert len(found) == len(set(found))
    assert set(found) == {node for node in addressed if network.is_managed(node)}
    assert set(network.hosts) < set(found)


def test_any_interface_with_a_cable_of_frr_and_of_hosts_can_be_gone_and_hosts_are_configured_again() -> None:
    network = drawn("line", "frr", "ospf", sizes={"routers": 2, "hosts": 2})
    found = list(fault("interface-detached").places(network))
    ends = [(end.node, end.interface) for link in network.topology.links for end in link.endpoints]
    assert sorted((one.node, one.interface) for one in found) == sorted(ends)
    for one in found:
        lan = network.lan_of(one.node) if one.platform == "linux" else None
        expected = (
            (f"ip address add {network.addresses[one.node]}/24 dev eth0", f"ip route replace default via {lan.gateway}")
            if lan
            else ()
        )
        assert one.commands == expected
    assert {one.platform for one in fault("interface-detached").places(drawn("campus", "cisco_ios", "ospf"))} == {
        "linux"
    }


@pytest.mark.parametrize(("routing", "protocols"), [("ospf", {"ospf"}), ("bgp", {"bgp", "ospf"}), ("static", set())])
def test_a_daemon_can_stop_where_it_has_neighbors(routing: str, protocols: set[str]) -> None:
    network = drawn("line", "frr", routing)
    found = list(fault("routing-daemon-stopped").places(network))
    assert {one.protocol for one in found} <= protocols
    assert bool(found) == bool(protocols)
    assert all(one.neighbors for one in found)
    assert not list(fault("routing-daemon-stopped").places(drawn("line", "cisco_ios", routing)))


@pytest.mark.parametrize(("routing", "services"), [("ospf", ("filter",)), ("bgp", ()), ("static", ())])
def test_nothing_else_is_wrong_at_a_node_that_has_crashed(routing: str, services: tuple[str, ...]) -> None:
    network = drawn("line", "cisco_ios", routing, services=services)
    crashes = {one.node: fault("node-crashed").touches(one) for one in fault("node-crashed").places(network)}
    for name in DIAGNOSED:
        for one in fault(name).places(network):
            assert crashes[one.node] & fault(name).touches(one), (name, one)


@pytest.mark.parametrize("routing", ["ospf", "bgp"])
def test_no_fault_of_a_protocol_is_where_its_daemon_has_stopped(routing: str) -> None:
    network = drawn("line", "frr", routing)
    for stopped in fault("routing-daemon-stopped").places(network):
        touched = fault("routing-daemon-stopped").touches(stopped)
        for name in (name for name in DIAGNOSED if name.startswith(f"{stopped.protocol}-")):
            for one in fault(name).places(network):
                if one.node == stopped.node:
                    assert touched & fault(name).touches(one), (name, one)
