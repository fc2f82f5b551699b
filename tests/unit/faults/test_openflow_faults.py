"""Faults of OpenFlow switches and their controller, on paper: where they can be, and what their rules do."""

from __future__ import annotations

import struct
from itertools import permutations
from typing import Any

import pytest

from pytest_netbench.dialects.openflow_controller.fabric import Rule, tables
from pytest_netbench.dialects.openflow_controller.intents import Intents
from pytest_netbench.faults.builders import NetworkValue
from pytest_netbench.faults.flow_rules import PRIORITY, circles
from pytest_netbench.faults.southbound import intents_of
from pytest_netbench.generators.default_faults import OF_SWITCHES
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from tests.support.fabrics import IP, Tables, routed


def drawn(**sizes: int) -> DrawnNetwork:
    parameters = NetworkParameters(shape="sdn-leaf-spine", sizes=sizes, managed_hosts=True, names="drawn", seed=5)
    return draw_network(parameters)


def fault(name: str) -> Any:
    return fault_of(name)


def told(network: DrawnNetwork) -> Intents:
    ((_, intents),) = intents_of(network)
    return intents


def with_rule(found: Tables, node: str, address: str, actions: str) -> Tables:
    """Tables with a rule for all packets to an address more."""
    done = tuple(
        ("ttl",) if word == "dec_ttl" else ("output", int(word.partition(":")[2]))
        for word in actions.split(",")
        if word != "drop"
    )
    rule = Rule(PRIORITY, (("eth_type", IP), ("ipv4_dst", address)), done)
    return {**found, node: [*found[node], rule]}


@pytest.mark.parametrize("name", OF_SWITCHES)
def test_each_fits_networks_of_switches_only_and_its_places_survive_a_task_file(name: str) -> None:
    known = fault(name)
    assert isinstance(known, NetworkValue)
    places = list(known.places(drawn(hosts=2)))
    assert places
    for one in places:
        assert known.parameters.model_validate_json(one.model_dump_json()) == one
        assert known.touches(one)
        assert known.explain(one).strip()
    assert not list(known.places(draw_network(NetworkParameters(shape="leaf-spine"))))


@pytest.mark.parametrize("sizes", [{}, {"hosts": 2}, {"spines": 4, "leaves": 5}, {"spines": 3, "leaves": 2}])
def test_each_loop_is_one_and_neither_of_its_rules_alone(sizes: dict[str, int]) -> None:
    network, known = drawn(**sizes), fault("flow-rule-loop")
    intents = told(network)
    healthy = tables(intents)
    hosts = {one.address: one for one in intents.hosts}
    places = list(known.places(network))
    assert {one.address for one in places} == set(hosts)
    for one in places:
        source = hosts[network.addresses[one.source]]
        first = with_rule(healthy, one.node, one.address, one.actions)
        second = with_rule(healthy, one.peer, one.address, one.peer_actions)
        both = with_rule(first, one.peer, one.address, one.peer_actions)
        passed, end = routed(intents, both, source, hosts[one.address])
        assert end == "too old", one
        assert passed.count((one.node, int(one.interface.removeprefix("eth")))) > 10
        assert {f"{node} eth{port}" for node, port in passed[4:]} <= set(one.ways)
        assert routed(intents, first, source, hosts[one.address])[1] == "dropped"
        assert routed(intents, second, source, hosts[one.address])[1] == "delivered"


def test_a_network_with_one_spine_has_no_loop() -> None:
    assert not list(fault("flow-rule-loop").places(drawn(spines=1)))


def test_each_shadow_is_on_the_way_of_some_flow() -> None:
    network = drawn(spines=3, leaves=3)
    intents = told(network)
    hosts = {one.address: one for one in intents.hosts}
    places = [one for one in fault("flow-rule-shadowing").places(network) if one.match.startswith("ip,")]
    assert len({(one.node, one.address) for one in places}) == len(places) == 3 * 4
    for one in places:
        found = with_rule(tables(intents), one.node, one.address, one.actions)
        ends = [routed(intents, found, source, hosts[one.address])[1] for source in hosts.values()]
        assert "dropped" in ends, one


def test_faults_of_one_connection_and_of_the_cables_of_a_loop_exclude_each_other() -> None:
    network = drawn()
    touched = {
        name: [fault(name).touches(one) for one in fault(name).places(network)]
        for name in (*OF_SWITCHES, "link-down", "host-address-missing")
    }
    southbound = [one for name in OF_SWITCHES[:3] for one in touched[name]]
    crash, block = touched["controller-crashed"][0], touched["southbound-port-blocked"][0]
    assert all(crash & one and block & one for one in southbound)
    for loop in touched["flow-rule-loop"]:
        assert sum(bool(loop & cable) for cable in touched["link-down"]) >= 5
        assert sum(bool(loop & host) for host in touched["host-address-missing"]) == 1


def test_a_loop_may_be_named_at_either_switch_and_the_others_at_their_node() -> None:
    network = drawn()
    for name in OF_SWITCHES:
        one = next(iter(fault(name).places(network)))
        injected = InjectedFault(fault=name, parameters=one.model_dump(mode="json", exclude_none=True))
        (cause,) = causes_of([injected], network.topology)
        others = (f"node/{one.peer}",) if name == "flow-rule-loop" else ()
        assert cause.resources == (f"node/{one.node}", *others)


def capture(*packets: tuple[int, bytes]) -> bytes:
    """A pcap file of IPv4 packets: time to live and payload."""
    head = bytes(24)
    for ttl, payload in packets:
        frame = bytes(12) + b"\x08\x00" + bytes([0x45, 0, 0, 40, 0, 7, 0, 0, ttl, 1, ttl, ttl]) + bytes(8) + payload
        head += struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame
    return head


@pytest.mark.parametrize(
    ("packets", "expected"),
    [
        ([(64, b"a"), (60, b"a"), (56, b"a")], True),
        ([(64, b"a"), (60, b"a")], False),
        ([(64, b"a"), (64, b"a"), (64, b"a")], False),
        ([(64, b"a"), (60, b"b"), (56, b"c")], False),
        ([], False),
    ],
)
def test_one_packet_circles_if_it_is_seen_with_several_times_to_live(packets: Any, expected: bool) -> None:
    assert circles(capture(*packets)) is expected


def test_all_pairs_of_hosts_are_flows() -> None:
    network = drawn(hosts=2)
    assert set(network.flows) == set(permutations(network.hosts, 2))
