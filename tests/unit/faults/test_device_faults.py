"""Faults of devices on paper: their places in drawn networks, their commands, and the check of running configs."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.evidence.observation import unlike
from pytest_netbench.faults.paths import connects
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.faulty import fault_of
from tests.support.ios import paper, typed

OF_ROUTING = ("bgp-", "ecmp-", "fragments-denied", "icmp-denied", "ospf-", "route-blackhole", "static-")
NAMES = [
    name
    for name in parts.names("faults")
    if name.startswith(OF_ROUTING) and not isinstance(fault_of(name), FromOutside)
]
CONFIG = """\
interface eth0
 ip ospf network point-to-point
exit
router ospf
 network 10.0.0.0/24 area 0
 network 10.0.1.0/24 area 0
exit
"""


def drawn(shape: str, routing: str, platform: str, **sizes: int) -> DrawnNetwork:
    return draw_network(
        NetworkParameters.model_validate({"shape": shape, "routing": routing, "platform": platform, "sizes": sizes})
    )


def places(name: str, network: DrawnNetwork) -> list[Any]:
    return list(fault_of(name).places(network))


@pytest.mark.parametrize(
    ("commands", "problems"),
    [
        (("router ospf", " no network 10.0.2.0/24 area 0"), 0),
        (("router ospf", " network 10.0.1.0/24 area 0"), 0),
        (("router ospf", " network 10.0.1.0/24 area 0", " no network 10.0.0.0/24 area 0"), 1),
        (("router ospf", " network 10.0.1.0/24 area 1"), 1),
        (("router ospf 1", " network 10.0.1.0/24 area 0"), 2),
        (("interface eth0", " no ip ospf network"), 1),
        (("interface eth0", " no ip ospf net"), 0),
        (("interface eth1", " no ip ospf network"), 1),
        (("do clear ip ospf process",), 0),
    ],
)
def test_a_running_config_is_held_to_commands(commands: tuple[str, ...], problems: int) -> None:
    assert len(list(unlike(CONFIG, commands, TYPED))) == problems


def test_a_wrong_area_is_that_of_one_end_of_a_link() -> None:
    network = drawn("line", "ospf", "frr", routers=3)
    found = places("ospf-area-wrong", network)
    assert len(found) == 4 * 4, "four ends of links, four other areas"
    assert found[0].model_dump() == {
        "node": "r1",
        "platform": "frr",
        "interface": "eth0",
        "address": "172.16.0.1",
        "peer": "r2",
        "neighbor": "172.16.0.2",
        "prefix": "172.16.0.0/30",
        "process": "router ospf",
        "area": 0,
        "instead": 1,
        "behind": (),
    }


NAME = "FROM-NEIGHBOR"
LIST = f"ip prefix-list {NAME}"
COMMANDS = [
    (
        "ospf-area-wrong",
        "ospf",
        "router ospf; no network 172.16.0.0/30 area 0; network 172.16.0.0/30 area 1",
        "router ospf; no network 172.16.0.0/30 area 1; network 172.16.0.0/30 area 0",
    ),
    (
        "ospf-timers-wrong",
        "ospf",
        "interface eth0; ip ospf hello-interval 5",
        "interface eth0; no ip ospf hello-interval",
    ),
    (
        "ospf-network-type-wrong",
        "ospf",
        "interface eth0; no ip ospf network point-to-point",
        "interface eth0; ip ospf network point-to-point",
    ),
    ("ospf-interface-passive", "ospf", "interface eth0; ip ospf passive", "interface eth0; no ip ospf passive"),
    (
        "ospf-authentication-wrong",
        "ospf",
        "interface eth0; ip ospf authentication; ip ospf authentication-key backbone",
        "interface eth0; no ip ospf authentication; no ip ospf authentication-key backbone",
    ),
    (
        "ospf-network-missing",
        "ospf",
        "router ospf; no network 10.0.1.0/24 area 0",
        "router ospf; network 10.0.1.0/24 area 0",
    ),
    (
        "bgp-network-missing",
        "bgp",
        "router bgp 64512; address-family ipv4 unicast; no network 10.0.1.0/24",
        "router bgp 64512; address-family ipv4 unicast; network 10.0.1.0/24",
    ),
    (
        "bgp-as-number-wrong",
        "bgp",
        "router bgp 64512; neighbor 172.16.0.2 remote-as 64503",
        "router bgp 64512; neighbor 172.16.0.2 remote-as 64513",
    ),
    (
        "bgp-filter-wrong",
        "bgp",
        (
            f"{LIST} seq 5 deny 10.0.2.0/24; {LIST} seq 10 permit 0.0.0.0/0 le 32; router bgp 64512;"
            f" address-family ipv4 unicast; neighbor 172.16.0.2 prefix-list {NAME} in"
        ),
        f"router bgp 64512; address-family ipv4 unicast; no neighbor 172.16.0.2 prefix-list {NAME} in; no {LIST}",
    ),
    (
        "bgp-prefix-limit",
        "bgp",
        "router bgp 64512; address-family ipv4 unicast; neighbor 172.16.0.2 maximum-prefix 1",
        (
            "router bgp 64512; address-family ipv4 unicast; no neighbor 172.16.0.2 maximum-prefix 1;"
            " do clear ip bgp 172.16.0.2"
        ),
    ),
    (
        "bgp-prefix-hijacked",
        "bgp",
        "ip route 10.0.2.0/24 Null0; router bgp 64512; address-family ipv4 unicast; network 10.0.2.0/24",
        "router bgp 64512; address-family ipv4 unicast; no network 10.0.2.0/24; no ip route 10.0.2.0/24 Null0",
    ),
    (
        "bgp-blackhole-leaked",
        "bgp",
        "ip route 10.0.2.10/32 Null0; router bgp 64512; address-family ipv4 unicast; network 10.0.2.10/32",
        "router bgp 64512; address-family ipv4 unicast; no network 10.0.2.10/32; no ip route 10.0.2.10/32 Null0",
    ),
    ("route-blackhole", "ospf", "ip route 10.0.2.0/24 Null0", "no ip route 10.0.2.0/24 Null0"),
    (
        "static-next-hop-wrong",
        "static",
        "no ip route 10.0.2.0/24 172.16.0.2; ip route 10.0.2.0/24 172.16.0.6",
        "no ip route 10.0.2.0/24 172.16.0.6; ip route 10.0.2.0/24 172.16.0.2",
    ),
]


@pytest.mark.parametrize(("name", "routing", "injected", "repaired"), COMMANDS)
def test_a_router_of_frr_is_broken_and_repaired_by_these_commands(
    name: str, routing: str, injected: str, repaired: str
) -> None:
    known = fault_of(name)
    one = places(name, drawn("line", routing, "frr", routers=2))[0]
    assert "; ".join(line.strip() for line in known.change(one).inject) == injected
    assert "; ".join(line.strip() for line in known.recover(one)["r1"]) == repaired


IOS_NETWORKS = [
    ("line", "ospf"),
    ("line", "bgp"),
    ("line", "static"),
    ("campus", "ospf"),
    ("leaf-spine", "bgp"),
    ("leaf-spine", "static"),
    ("dual-homed-isp", "bgp"),
]


@pytest.mark.parametrize("name", [name for name in NAMES if "cisco_ios" in parts.load("faults", name).platforms])
def test_a_router_of_ios_is_broken_at_one_place_and_repaired_byte_for_byte(name: str) -> None:
    known, tried = fault_of(name), 0
    for shape, routing in IOS_NETWORKS:
        network = drawn(shape, routing, "cisco_ios")
        for one in list(known.places(network))[::7]:
            role = network.topology.node(one.node).role
            ports = network.topology.interfaces(one.node)
            device = paper(interfaces=ports, role=role, startup=network.startup_configs[one.node])
            assert not device.refused_startup_lines
            before = device.running_config()
            broken = typed(device, known.change(one).inject)
            assert list(unlike(broken, known.change(one).config, TYPED)) == []
            assert list(unlike(before, known.change(one).config, TYPED))
            healthy, wrong = ([path for path in config_paths(text) if path[-1] != "!"] for text in (before, broken))
            assert [path for path in wrong if path in healthy] == [path for path in healthy if path in wrong], one
            assert typed(device, known.recover(one)[one.node]) == before, one
            tried += 1
    assert tried > 1


def test_a_statement_is_put_back_at_its_place() -> None:
    known = fault_of("ospf-network-missing")
    one = places("ospf-network-missing", drawn("line", "ospf", "cisco_ios", routers=2))[0]
    assert known.recover(one)["r1"][1:] == (
        " network 10.0.1.0 0.0.0.255 area 0",
        " no network 192.168.0.1 0.0.0.0 area 0",
        " network 192.168.0.1 0.0.0.0 area 0",
    )


def test_a_filter_is_only_where_no_other_neighbor_leads_to_the_lan() -> None:
    assert places("bgp-filter-wrong", drawn("line", "bgp", "frr"))
    assert not places("bgp-filter-wrong", drawn("ring", "bgp", "frr"))
    one_spine = drawn("leaf-spine", "bgp", "frr", spines=1, leaves=3)
    names = {(one.node, one.prefix) for one in places("bgp-filter-wrong", one_spine)}
    lans = [lan.prefix for lan in one_spine.lans]
    leaves = dict(zip(("leaf1", "leaf2", "leaf3"), lans, strict=True))
    far = {(leaf, lan) for leaf, own in leaves.items() for lan in lans if lan != own}
    assert names == far | {("spine1", lan) for lan in lans}


def test_no_next_hop_is_an_address_of_a_host_to_which_others_would_be_redirected() -> None:
    network = drawn("ring", "static", "frr", hosts=2)
    hosts = {network.addresses[name] for name in network.hosts}
    found = places("static-next-hop-wrong", network)
    assert found
    for one in found:
        assert one.instead not in {*hosts, one.right}


def test_a_next_hop_is_wrong_only_where_packets_are_lost() -> None:
    ring = drawn("ring", "static", "frr", routers=4)
    found = {(one.node, one.prefix, one.instead) for one in places("static-next-hop-wrong", ring)}
    addresses = {(one.node, link.name): one.address for link in ring.transits for one in link.attachments}
    # r1 reaches the LAN of r3 by r2, and by r4 as well
    assert ("r1", ring.lans[2].prefix, addresses["r4", "transit-4"]) not in found
    assert {node for node, _, _ in found} == set(ring.routers), "each has a route that can lead nowhere"
    spines = drawn("leaf-spine", "static", "frr", spines=2, leaves=2)
    assert "spine2" not in {one.node for one in places("static-next-hop-wrong", spines)}, "no route leads there"


def test_a_wrong_member_is_on_a_link_of_the_router_and_stands_beside_the_right_one() -> None:
    spines = drawn("leaf-spine", "static", "frr", spines=2, leaves=3)
    found = places("ecmp-member-wrong", spines)
    assert found
    for one in found:
        near = {
            end.address
            for link in spines.transits
            if one.node in {end.node for end in link.attachments}
            for end in link.attachments
            if end.node != one.node
        }
        assert {one.right, one.wrong} <= near
        assert one.right != one.wrong
        right, wrong = (f"ip route {one.prefix} {hop}" for hop in (one.right, one.wrong))
        assert right in spines.startup_configs[one.node].splitlines()
        assert wrong not in spines.startup_configs[one.node].splitlines()
    assert not places("ecmp-member-wrong", drawn("line", "static", "frr", routers=2)), "there is no other neighbor"


def test_a_network_is_connected_without_a_link_of_a_ring_and_not_without_one_of_a_line() -> None:
    for shape, connected in (("line", False), ("ring", True)):
        network = drawn(shape, "ospf", "frr")
        (link, *_), (lan, *_) = network.transits, network.lans
        assert connects(network, ())
        assert connects(network, {link.prefix}) is connected
        assert not connects(network, {lan.prefix})


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_of_a_device_is_called_by_its_part_name_and_its_places_survive_a_task_file(name: str) -> None:
    known = fault_of(name)
    assert known.name == name
    networks = [
        drawn(shape, routing, platform)
        for shape, routing in (("line", "ospf"), ("line", "bgp"), ("line", "static"), ("ring", "ospf"))
        for platform in known.platforms
    ]
    judged = {"shape": "dual-homed-isp", "platform": "frr", "services": ("rpki",)}
    networks.append(draw_network(NetworkParameters.model_validate(judged)))
    found = [one for network in networks for one in known.places(network)]
    assert found
    for one in found:
        assert known.parameters.model_validate_json(one.model_dump_json()) == one


@pytest.mark.parametrize("name", NAMES)
def test_no_fault_of_a_device_is_in_a_node_that_is_not_managed(name: str) -> None:
    for platform in ("frr", "cisco_ios"):
        network = drawn("dual-homed-isp", "bgp", platform)
        assert all(network.is_managed(one.node) for one in places(name, network))


def test_a_blackhole_is_only_where_no_other_static_route_leads() -> None:
    assert places("route-blackhole", drawn("line", "ospf", "frr"))
    assert not places("route-blackhole", drawn("line", "static", "frr"))


def test_a_limit_is_below_what_the_neighbor_itself_announces() -> None:
    found = places("bgp-prefix-limit", drawn("line", "bgp", "cisco_ios", routers=3))
    assert {one.limit for one in found} == {1}, "a LAN and a loopback"
    known, other = fault_of("bgp-prefix-limit"), fault_of("bgp-network-missing")
    for one in found:
        (unannounced,) = (
            place for place in other.places(drawn("line", "bgp", "cisco_ios", routers=3)) if place.node == one.peer
        )
        assert known.touches(one) & other.touches(unannounced)


def test_what_is_announced_falsely_is_the_lan_of_another_router_or_a_host_in_it() -> None:
    network = drawn("leaf-spine", "bgp", "frr")
    lans = {lan.prefix: {one.node for one in lan.attachments} for lan in network.lans}
    for one in places("bgp-prefix-hijacked", network):
        assert one.node not in lans[one.prefix]
    for one in places("bgp-blackhole-leaked", network):
        assert one.prefix.endswith("/32")
        assert one.node not in lans[one.lan]
        assert one.prefix.removesuffix("/32") in {network.addresses[host] for host in network.hosts}


def test_a_list_that_denies_is_where_no_other_list_is() -> None:
    services = {"shape": "line", "routing": "ospf", "platform": "cisco_ios", "services": ["filter"]}
    network = draw_network(NetworkParameters.model_validate(services))
    filtered = {(one.node, one.interface) for one in network.access_lists}
    assert filtered
    for name in ("icmp-denied", "ospf-denied"):
        assert not filtered & {(one.node, one.interface) for one in places(name, network)}


def test_a_cost_is_wrong_only_where_a_router_uses_a_link_and_has_another_way() -> None:
    assert not places("ospf-cost-wrong", drawn("line", "ospf", "frr"))
    ring = drawn("ring", "ospf", "frr", routers=4)
    links = {one.prefix: {end.node for end in one.attachments} for one in ring.transits}
    lans = {lan.prefix: {one.node for one in lan.attachments} for lan in ring.lans}
    found = places("ospf-cost-wrong", ring)
    assert {(one.node, one.interface) for one in found} == {
        (one.node, one.interface) for link in ring.transits for one in link.attachments
    }
    for one in found:
        assert one.peer in links[one.prefix]
        assert one.node not in lans[one.far]
        assert one.cost is None
        assert one.instead > len(ring.routers)


def test_a_cost_that_is_repaired_is_the_one_that_was_configured() -> None:
    known = fault_of("ospf-cost-wrong")
    for platform in ("frr", "cisco_ios"):
        for shape in ("ring", "isp"):
            network = drawn(shape, "ospf", platform)
            one = places("ospf-cost-wrong", network)[0]
            right = known.change(one).repair[-1].strip()
            lines = network.startup_configs[one.node]
            assert (f" {right}\n" in lines) == (shape == "isp"), right
            assert (right == "no ip ospf cost") == (shape == "ring")
