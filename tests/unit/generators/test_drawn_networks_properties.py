"""Networks from numbers: what each shape and each routing promises, on paper."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_interface, ip_network
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_netbench.catching import Caught
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.shapes import SHAPES
from tests.unit.generators.test_drawn_networks import check_addresses, check_interfaces, check_is_connected, limits_of


@st.composite
def parameters(draw: Any) -> NetworkParameters:
    shape = SHAPES[draw(st.sampled_from(list(SHAPES)))]
    routing = draw(st.sampled_from(list(shape.routings)))
    platforms = [one for one in shape.platforms if one in shape.routings[routing].platforms]
    return NetworkParameters(
        shape=shape.name,
        sizes={name: draw(st.integers(low, high)) for name, (low, high) in limits_of(shape.name).items()},
        routing=routing,
        platform=draw(st.sampled_from(platforms)),
        names=draw(st.sampled_from(["plain", "drawn"])),
        seed=draw(st.integers(0, 10**6)),
    )


@given(parameters())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_any_size_within_the_limits_gives_a_consistent_network_or_a_sentence(asked):
    with Caught(UsageError) as caught:
        network = draw_network(asked)
    if caught.error is not None:
        assert asked.shape in {"tree", "campus", "isp"}, caught.error
        return
    check_interfaces(network)
    check_addresses(network)
    check_is_connected(network)
    assert draw_network(asked) == network


def routes(network: DrawnNetwork, node: str) -> dict[Any, str]:
    """By prefix: the next hop of a static route of a Linux router."""
    found = re.findall(r"^ip route add (\S+) via (\S+)$", network.startup_configs[node], re.MULTILINE)
    return {ip_network(prefix): next_hop for prefix, next_hop in found}


@pytest.mark.parametrize("shape", [name for name, shape in SHAPES.items() if "linux" in shape.platforms])
def test_static_routes_lead_to_each_lan_without_a_loop(shape):
    network = draw_network(NetworkParameters(shape=shape, platform="linux", routing="static", names="drawn"))
    owner = {one.address: one.node for subnet in network.subnets for one in subnet.attachments}
    for lan in network.lans:
        inside = {one.node for one in lan.attachments}
        for router in network.routers:
            seen = [router]
            while seen[-1] not in inside:
                next_hop = routes(network, seen[-1])[ip_network(lan.prefix)]
                assert any(
                    ip_address(next_hop) in ip_interface(own).network for own in own_addresses(network, seen[-1])
                )
                seen.append(owner[next_hop])
                assert len(seen) == len(set(seen)), f"{lan.prefix}: {seen}"


def own_addresses(network: DrawnNetwork, node: str) -> list[str]:
    return re.findall(r"^ip address add (\S+)", network.startup_configs[node], re.MULTILINE)


def test_a_ring_routes_both_ways_round():
    network = draw_network(NetworkParameters(shape="ring", sizes={"routers": 5}, platform="linux", routing="static"))
    assert len(set(routes(network, "r1").values())) == 2


def test_data_centers_number_autonomous_systems_by_tier():
    network = draw_network(NetworkParameters(shape="clos", sizes={"pods": 2, "leaves": 3}))
    numbers = network.autonomous_systems
    tiers = {
        role: [numbers[name] for name in network.routers if name.startswith(role)]
        for role in ("superspine", "spine1", "spine2", "leaf")
    }
    assert [len(set(tiers[role])) for role in ("superspine", "spine1", "spine2")] == [1, 1, 1]
    assert len(set(tiers["leaf"])) == len(tiers["leaf"]) == 6
    assert len(set(numbers.values())) == 3 + 6
    links = {frozenset(end.node for end in link.endpoints) for link in network.topology.links}
    assert frozenset({"leaf1x1", "superspine1"}) not in links
    assert {frozenset({"leaf2x3", "spine2x2"}), frozenset({"spine1x1", "superspine2"})} <= links


def test_vlans_of_a_campus_are_in_the_area_of_their_block_and_on_every_trunk_of_it():
    network = draw_network(NetworkParameters(shape="campus", sizes={"blocks": 2, "distributions": 2, "vlans": 3}))
    assert [lan.area for lan in network.lans] == [1, 1, 1, 2, 2, 2]
    assert {subnet.area for subnet in network.subnets if subnet.kind != "lan"} == {0}
    assert "switchport trunk allowed vlan 50,60,70\n" in network.startup_configs["access2x1"]
    active = [
        node
        for lan in network.lans
        for node in network.routers
        if re.search(rf"standby (\d+) ip {lan.gateway}\n standby \1 priority 110", network.startup_configs[node])
    ]
    assert active == ["dist1x1", "dist1x2", "dist1x1", "dist2x1", "dist2x2", "dist2x1"]
    assert [lan.attachments[0].node for lan in network.lans] == active


def test_agents_configure_only_the_isp_itself():
    network = draw_network(NetworkParameters(shape="dual-homed-isp"))
    controls = network.topology.controls
    assert {name for name, control in controls.items() if control == "foreign"} == {
        "provider1",
        "provider2",
        "internet",
        "server1",
    }
    assert controls["h1x1"] == "observed"
    assert {controls[name] for name in ("edge1", "edge2", "site1")} == {"managed"}


def test_one_edge_may_have_both_providers():
    network = draw_network(NetworkParameters(shape="dual-homed-isp", sizes={"edges": 1}))
    config = network.startup_configs["edge1"]
    assert config.count("remote-as 6450") == 2
    assert "route-map TO-PRIMARY out" in config
    assert "route-map TO-BACKUP out" in config
    assert "update-source" not in config


def test_routers_of_linux_have_no_routing_protocol():
    with pytest.raises(UsageError, match=r"linux routers have no routing 'ospf' \(platforms: frr, cisco_ios\)"):
        draw_network(NetworkParameters(shape="ring", routing="ospf", platform="linux"))


@pytest.mark.parametrize(
    ("shape", "sizes", "words"),
    [
        ("tree", {"depth": 6, "branches": 8}, "a tree of depth 6 with 8 branches has 299593 routers; 150 are allowed"),
        ("campus", {"accesses": 4, "vlans": 1, "hosts": 2}, "4 access switches have only 2 hosts in a block"),
    ],
)
def test_sizes_that_do_not_fit_together_are_refused_with_a_sentence(shape, sizes, words):
    with pytest.raises(UsageError) as caught:
        draw_network(NetworkParameters(shape=shape, sizes=sizes))
    assert words in str(caught.value)
