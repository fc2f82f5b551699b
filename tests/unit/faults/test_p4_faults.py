"""Faults of P4 switches on paper: where they can be, what they touch, and which pings depend on what."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.dialects.p4.fabric import ROUTES, bucket, lines_of, route
from pytest_netbench.faults.builders import NetworkValue
from pytest_netbench.faults.p4_fabrics import Use, uses_of
from pytest_netbench.generators.default_faults import OF_P4
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import InjectedFault, fault_of


def drawn(**sizes: int) -> DrawnNetwork:
    parameters = NetworkParameters(shape="p4-leaf-spine", sizes=sizes, managed_hosts=True, names="drawn", seed=5)
    return draw_network(parameters)


def fault(name: str) -> Any:
    return fault_of(name)


def pings_of(network: DrawnNetwork) -> dict[tuple[str, str], list[Use]]:
    """By source and target: the switches on the way."""
    found: dict[tuple[str, str], list[Use]] = {pair: [] for pair in network.flows}
    for use in uses_of(network):
        found[use.source, use.target].append(use)
    return found


@pytest.mark.parametrize("name", OF_P4)
def test_each_fits_networks_of_p4_switches_only_and_its_places_survive_a_task_file(name: str) -> None:
    known = fault(name)
    assert isinstance(known, NetworkValue)
    network = drawn(hosts=4)
    places = list(known.places(network))
    assert places
    for one in places:
        assert known.parameters.model_validate_json(one.model_dump_json()) == one
        assert known.touches(one)
        assert known.explain(one).strip()
        if hasattr(one, "source"):
            assert (one.source, one.target) in network.flows
        injected = InjectedFault(fault=name, parameters=one.model_dump(mode="json", exclude_none=True))
        (cause,) = causes_of([injected], network.topology)
        assert cause.resources == (f"node/{one.node}",)
    assert not list(known.places(draw_network(NetworkParameters(shape="leaf-spine"))))


@pytest.mark.parametrize("sizes", [{"hosts": 2}, {"spines": 4, "leaves": 5}, {"spines": 3, "leaves": 4, "hosts": 3}])
def test_each_ping_passes_one_leaf_or_two_leaves_and_a_spine(sizes: dict[str, int]) -> None:
    network = drawn(**sizes)
    roles = {node.name: node.role for node in network.topology.nodes}
    for (source, target), uses in pings_of(network).items():
        same = network.lan_of(source) == network.lan_of(target)
        assert [roles[use.node] for use in uses] == (["leaf"] if same else ["leaf", "spine", "leaf"])
        assert [use.member is not None for use in uses] == ([False] if same else [True, False, False])


def test_a_fault_of_an_entry_or_a_member_is_where_a_ping_needs_it() -> None:
    network = drawn(spines=3, leaves=4)
    pings = pings_of(network)
    for one in fault("p4-entry-missing").places(network):
        assert any(use.node == one.node and use.line.match == (one.prefix,) for use in pings[one.source, one.target])
    for one in fault("p4-member-missing").places(network):
        members = [use.member for use in pings[one.source, one.target] if use.node == one.node]
        assert [(line.match, line.parameters) for line in members if line is not None] == [
            ((str(one.group), str(one.bucket)), tuple(one.parameters.split()))
        ]
    for one in fault("p4-group-large").places(network):
        addresses = network.addresses[one.source], network.addresses[one.target]
        assert bucket(*addresses, one.instead) == one.size == 3


def test_no_wrong_entry_or_member_is_the_right_one_and_ports_of_spines_have_no_other_switch() -> None:
    network = drawn(hosts=2)
    for name in ("p4-entry-wrong", "p4-member-wrong"):
        for one in fault(name).places(network):
            assert one.instead != one.parameters
            peers = network.topology.peers(one.node).get(f"eth{one.instead.split()[1]}", ())
            right = one.instead.split()[1] == one.parameters.split()[1]
            assert right or all(end.node in network.hosts for end in peers)


def test_a_table_is_filled_to_its_size() -> None:
    network = drawn(hosts=2)
    for one in fault("p4-table-full").places(network):
        change = fault("p4-table-full").change(one)
        added = [line for line in change.inject if line.startswith("table_add")]
        assert len({line.split()[3] for line in added}) == len(added)
        assert len(added) + len(one.entries) - 1 == 1024


def test_faults_of_one_entry_group_or_switch_exclude_each_other() -> None:
    network = drawn(hosts=4)
    touched = {name: [fault(name).touches(one) for one in fault(name).places(network)] for name in OF_P4}
    by_node = {one.node: fault("p4-switch-down").touches(one) for one in fault("p4-switch-down").places(network)}
    for name in OF_P4[:-1]:
        for one in fault(name).places(network):
            assert fault(name).touches(one) & by_node[one.node]
    for full in touched["p4-table-full"]:
        assert any(full & one for one in touched["p4-entry-missing"])
        assert not any(full & one for one in touched["p4-default-drops"])
    for one in touched["p4-default-drops"]:
        assert any(one & other for other in touched["p4-member-missing"])


def test_the_longest_prefix_is_in_force_and_else_the_default() -> None:
    config = (
        "program ipv4_fabric\ntable_add ipv4_lpm drop 10.0.0.0/8 =>\ntable_add ipv4_lpm forward 10.0.1.0/24 => 1 2\n"
    )
    lines = list(lines_of(f"{config}table_set_default ipv4_lpm ecmp 1 2\ntable_add port_macs rewrite 0 => 1\n", ROUTES))
    found = [route(lines, address) for address in ("10.0.1.9", "10.2.0.1", "192.0.2.1")]
    assert [line.action for line in found if line is not None] == ["forward", "drop", "ecmp"]
    assert route(lines[:-1], "192.0.2.1") is None
