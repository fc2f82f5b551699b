"""Faults of addresses, hosts, ports, access lists and translation, on paper: their places and their commands."""

from __future__ import annotations

from collections import Counter
from functools import cache
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

import pytest

from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.linux import access as linux
from pytest_netbench.faults.evidence.observation import unlike
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.model.causes import causes_of
from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.platforms.cisco_ios.areas.acl.lists import find
from pytest_netbench.platforms.cisco_ios.session.session import Session
from tests.support.ios import PaperDevice, paper

NAMES = (
    "access-list-order",
    "address-duplicate",
    "host-address-duplicate",
    "host-address-missing",
    "host-address-taken",
    "host-address-wrong",
    "host-arp-denied",
    "host-gateway-wrong",
    "host-mac-duplicate",
    "host-mask-wrong",
    "host-neighbor-wrong",
    "host-route-blackhole",
    "mask-wrong",
    "nat-mapping-missing",
    "nat-port-pool-exhausted",
    "nat-side-wrong",
    "port-shutdown",
    "vlan-wrong",
)


def fault(name: str) -> Any:
    return fault_of(name)


def drawn(shape: str, platform: str, **parameters: Any) -> DrawnNetwork:
    """A network with all services that it can have, in which hosts are managed."""
    services = ("filter",) if platform != "frr" else ()
    if shape == "dual-homed-isp" and platform == "cisco_ios":
        services = (*services, "nat")
    given = {"shape": shape, "platform": platform, "services": services, "managed_hosts": True, **parameters}
    if platform == "linux":
        given["routing"] = "static"
    return draw_network(NetworkParameters.model_validate(given))


@cache
def networks() -> list[DrawnNetwork]:
    chosen = [("star", "linux"), ("line", "linux"), ("line", "frr"), ("line", "cisco_ios"), ("mesh", "frr")]
    chosen += [("campus", "cisco_ios"), ("dual-homed-isp", "cisco_ios"), ("star", "cisco_ios")]
    return [drawn(shape, platform, names=names, seed=4) for shape, platform in chosen for names in ("plain", "drawn")]


def device(network: DrawnNetwork, node: str) -> PaperDevice:
    ports, role = network.topology.interfaces(node), network.topology.node(node).role
    return paper(interfaces=ports, role=role, startup=network.startup_configs[node])


def typed(router: PaperDevice, *lines: str) -> None:
    session = Session(router)
    session.enter("configure terminal")
    assert [session.enter(line) for line in lines] == [""] * len(lines)
    session.interrupt()


@pytest.mark.parametrize("name", NAMES)
def test_places_are_on_managed_nodes_of_the_platforms_of_the_fault_and_survive_a_task(name: str) -> None:
    known = fault(name)
    found = [(network, one) for network in networks() for one in known.places(network)]
    assert found
    for network, one in found:
        assert network.is_managed(one.node)
        assert one.platform == network.platform_of(one.node)
        assert one.platform in known.platforms
        assert known.touches(one)
        written = InjectedFault(fault=name, parameters=one.model_dump(mode="json", exclude_none=True))
        assert known.parameters.model_validate(written.model_dump(mode="json")["parameters"]) == one
    assert {one.platform for _, one in found} == set(known.platforms)


@pytest.mark.parametrize("name", NAMES)
def test_each_place_is_found_once(name: str) -> None:
    for network in networks():
        found = list(fault(name).places(network))
        assert len(found) == len(set(found))


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("host-")])
def test_hosts_are_broken_only_where_an_agent_may_change_them(name: str) -> None:
    assert list(fault(name).places(drawn("line", "frr", sizes={"hosts": 2})))
    assert not list(fault(name).places(drawn("line", "frr", managed_hosts=False)))


@pytest.mark.parametrize("name", [name for name in NAMES if "cisco_ios" in fault(name).platforms])
def test_an_ios_device_takes_each_injection_and_each_repair_leaves_the_config_as_it_was(name: str) -> None:
    known = fault(name)
    seen = 0
    for network in networks():
        for one in known.places(network):
            if one.platform == "cisco_ios":
                router = device(network, one.node)
                before = router.running_config()
                assert name == "access-list-order" or list(unlike(before, known.change(one).config, TYPED))
                typed(router, *(line for line in known.change(one).inject if not line.startswith("do ")))
                broken = router.running_config()
                assert broken != before
                assert list(unlike(broken, known.change(one).config, TYPED)) == [], one
                typed(router, *known.recover(one)[one.node])
                assert router.running_config() == before, one
                seen += 1
    assert seen


def test_a_wrong_mask_of_a_router_leaves_out_a_host_and_that_of_a_host_takes_in_others() -> None:
    network = drawn("line", "frr", sizes={"hosts": 2})
    for one in fault("mask-wrong").places(network):
        hosts = [IPv4Address(network.addresses[host]) for host in network.hosts]
        right, wrong = IPv4Interface(one.address), IPv4Interface(one.instead)
        assert right.ip == wrong.ip
        assert any(host in right.network and host not in wrong.network for host in hosts)
    for one in fault("host-mask-wrong").places(network):
        right, wrong = IPv4Interface(one.address), IPv4Interface(one.instead)
        others = [IPv4Address(network.addresses[host]) for host in network.hosts]
        assert right.ip == wrong.ip
        assert any(host in wrong.network and host not in right.network for host in others)


def test_routers_that_answer_for_others_make_short_masks_of_hosts_harmless() -> None:
    assert not list(fault("host-mask-wrong").places(drawn("line", "cisco_ios")))


def test_gateways_that_share_an_address_keep_theirs() -> None:
    network = drawn("campus", "cisco_ios", sizes={"distributions": 2, "blocks": 2})
    assert not list(fault("mask-wrong").places(network))
    assert {one.address.rpartition("/")[2] for one in fault("address-duplicate").places(network)} == {"30"}


def test_a_duplicate_address_is_that_of_another_router_or_of_a_host_of_another_lan() -> None:
    for network in networks():
        owners = {attachment.address: attachment.node for net in network.subnets for attachment in net.attachments}
        for name, nodes in (("address-duplicate", network.routers), ("host-address-duplicate", network.hosts)):
            for one in fault(name).places(network):
                owner = owners[one.instead.partition("/")[0]]
                assert owner != one.node
                assert owner in nodes
                if owner in network.hosts:
                    assert network.lan_of(owner) != network.lan_of(one.node)


@pytest.mark.parametrize(
    ("shape", "routing", "lengths"),
    [
        ("line", "ospf", {"24", "30"}),
        ("line", "bgp", {"24"}),
        ("line", "static", {"24"}),
        ("dual-homed-isp", "bgp", {"24", "30"}),
    ],
)
def test_addresses_of_links_are_duplicate_only_where_ospf_runs(shape: str, routing: str, lengths: set[str]) -> None:
    network = drawn(shape, "cisco_ios", routing=routing)
    found = list(fault("address-duplicate").places(network))
    links = {link.prefix for link in network.transits if link.area is None}
    assert {one.address.rpartition("/")[2] for one in found} == lengths
    assert not links & {str(IPv4Interface(one.address).network) for one in found}


def test_hosts_that_could_meet_in_one_lan_are_not_broken_together() -> None:
    network = drawn("campus", "cisco_ios")
    touched = [
        fault(name).touches(next(iter(fault(name).places(network))))
        for name in ("vlan-wrong", "host-address-duplicate")
    ]
    assert touched[0] & touched[1]


def test_a_wrong_gateway_is_in_the_lan_and_is_no_router() -> None:
    for network in networks():
        routers = {one.address for net in network.subnets for one in net.attachments if one.node in network.routers}
        for one in fault("host-gateway-wrong").places(network):
            lan = network.lan_of(one.node)
            assert IPv4Address(one.instead) in IPv4Interface(lan.prefix).network
            assert one.instead not in {*routers, lan.gateway, network.addresses[one.node]}
            assert one.gateway == lan.gateway


def test_a_wrong_vlan_is_another_one_of_the_switch() -> None:
    network = drawn("campus", "cisco_ios", sizes={"vlans": 3, "hosts": 2})
    found = list(fault("vlan-wrong").places(network))
    assert len(found) == 3 * 2 * 2, "six hosts, two other VLANs"
    assert {(one.vlan, one.instead) for one in found} == {(a, b) for a in (10, 20, 30) for b in (10, 20, 30) if a != b}
    assert not list(fault("vlan-wrong").places(drawn("campus", "cisco_ios", services=(), sizes={"vlans": 1})))


def test_lines_change_places_only_where_that_changes_what_passes() -> None:
    known, seen = fault("access-list-order"), Counter[tuple[bool, ...]]()
    for seed in range(30):
        network = drawn("line", "cisco_ios", sizes={"hosts": 2}, seed=seed)
        (access,) = network.access_lists
        places = [one.place for one in known.places(network)]
        permits = tuple(rule.permit for rule in access.rules)
        assert places == ([0] if permits == (False, True, True) else [0, 1])
        seen[permits] += 1
    assert set(seen) == {(True, False, True), (False, True, True)}


def test_neither_numbers_nor_counters_tell_which_line_was_moved() -> None:
    network = drawn("star", "cisco_ios")
    known = fault("access-list-order")
    for one in known.places(network):
        router = device(network, one.node)
        *commands, last = known.change(one).inject
        assert last == "do clear access-list counters"
        for changes in (commands, known.change(one).repair):
            typed(router, *changes)
            found = find(router.config, one.access.name)
            assert found is not None
            assert [line.number for line in found.lines] == [10, 20, 30]


def test_the_words_for_a_wrong_order_name_the_two_lines() -> None:
    network = drawn("star", "linux", sizes={"hosts": 1})
    known = fault("access-list-order")
    one = next(iter(known.places(network)))
    first, second = one.wrong[one.place : one.place + 2]
    words = known.explain(one)
    assert words.index(linux.rule_words(first, "eth0")) < words.index(linux.rule_words(second, "eth0"))
    assert "On r0, in `chain forward`" in words


def test_a_list_in_a_wrong_order_is_repaired_in_one_step_on_linux() -> None:
    network = drawn("star", "linux", sizes={"hosts": 1})
    one = next(iter(fault("access-list-order").places(network)))
    (command,) = fault("access-list-order").recover(one)["r0"]
    (injected,) = fault("access-list-order").change(one).inject
    rules = [line.split(" forward ")[1].rstrip("'") for line in network.startup_configs["r0"].splitlines()[-3:]]
    assert (
        command
        == "nft 'flush chain inet access forward; "
        + "; ".join(f"add rule inet access forward {rule}" for rule in rules)
        + "'"
    )
    assert sorted(injected.rstrip("'").split("; ")[1:]) == sorted(command.rstrip("'").split("; ")[1:])
    assert injected != command


@pytest.mark.parametrize("edges", [1, 2])
def test_an_interface_of_translation_that_carries_traffic_can_be_on_the_wrong_side(edges: int) -> None:
    network = drawn("dual-homed-isp", "cisco_ios", sizes={"edges": edges, "sites": 3})
    found = list(fault("nat-side-wrong").places(network))
    assert Counter((one.node, one.side, one.wrong) for one in found) == {
        ("edge1", "inside", "outside"): 3,
        ("edge1", "outside", "inside"): 1,
    }
    descriptions = network.startup_configs["edge1"].splitlines()
    lines = [descriptions[descriptions.index(f"interface {one.interface}") + 1] for one in found]
    assert lines == [f" description {name}" for name in ("site1", "site2", "site3", "provider1")]


def test_a_host_is_renumbered_to_an_address_of_its_lan_that_nobody_has() -> None:
    for network in networks():
        taken = {one.address for net in network.subnets for one in net.attachments}
        for one in fault("host-address-wrong").places(network):
            right, wrong = IPv4Interface(one.address), IPv4Interface(one.instead)
            assert right.network == wrong.network
            assert wrong.ip not in {wrong.network.network_address, wrong.network.broadcast_address}
            assert str(wrong.ip) not in taken | {one.gateway}


def test_a_host_discards_only_what_it_could_send() -> None:
    for network in networks():
        lans = {lan.prefix: lan for lan in network.lans}
        for one in fault("host-route-blackhole").places(network):
            others = [far.node for far in lans[one.prefix].attachments if far.node in network.hosts]
            assert one.node not in others
            assert any(network.reaches(one.node, other) for other in others)


def test_a_hardware_address_is_that_of_a_host_or_of_the_router_of_a_segment() -> None:
    for network in networks():
        segments = {
            frozenset((end.node, end.interface) for end in link.endpoints)
            for link in network.topology.links
            if len(link.endpoints) > 2
        }
        for one in fault("host-mac-duplicate").places(network):
            ends = {(one.node, one.interface), (one.peer, one.peer_interface)}
            assert one.peer in network.hosts or any(ends <= segment for segment in segments)
            assert fault("host-mac-duplicate").also_at(one) == ((one.peer, one.peer_interface),)


def test_an_address_that_two_have_is_repaired_at_the_one_and_made_known_by_the_other() -> None:
    network = drawn("line", "frr", sizes={"hosts": 2})
    found = list(fault("host-address-taken").places(network))
    assert found
    for one in found:
        assert one.instead.partition("/")[0] == network.addresses[one.peer]
        assert network.lan_of(one.node) == network.lan_of(one.peer)
        assert set(fault("host-address-taken").recover(one)) == {one.node, one.peer}


@pytest.mark.parametrize("name", ["host-mac-duplicate", "host-address-taken"])
def test_a_host_alone_in_its_lan_has_no_address_of_another(name: str) -> None:
    assert not list(fault(name).places(drawn("line", "frr", sizes={"hosts": 1})))


def test_either_interface_with_a_hardware_address_may_be_named() -> None:
    network = drawn("line", "frr", sizes={"hosts": 2})
    one = next(iter(fault("host-mac-duplicate").places(network)))
    written = InjectedFault(fault="host-mac-duplicate", parameters=one.model_dump(mode="json"))
    ((_, places, _),) = causes_of([written], network.topology)
    assert places == (f"interface/{one.node}/{one.interface}", f"interface/{one.peer}/{one.peer_interface}")
