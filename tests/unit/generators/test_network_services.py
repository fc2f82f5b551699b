"""Services of networks, on paper: access lists whose order matters, and translation of addresses."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network, flow_groups
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.model.faulty import FlowGroup
from pytest_netbench.model.services import AccessList, AccessRule
from tests.support.ios import paper

WITHOUT_SERVICES = "eb9804dee034b5a72c7bc21aae7e22545cf2a38664dc54377d78016f8a8a74c9"
"""Of all shapes, routings, platforms and kinds of names of that time, as they were before there were services."""
LATER = {"isp", "p4-leaf-spine", "sdn-leaf-spine"}
SSH = (22, 22)


def drawn(shape: str, *services: str, **parameters: Any) -> DrawnNetwork:
    return draw_network(NetworkParameters(shape=shape, services=services, **parameters))


def filtered() -> list[Any]:
    return [
        pytest.param(name, platform, id=f"{name}-{platform}")
        for name, shape in SHAPES.items()
        for platform in shape.platforms
        if platform in {"cisco_ios", "linux"}
    ]


def routing_of(platform: str) -> dict[str, str]:
    return {"routing": "static"} if platform == "linux" else {}


def test_networks_without_services_are_drawn_as_before_there_were_any() -> None:
    digest = hashlib.sha256()
    for name, shape in SHAPES.items():
        for routing, platform, names in itertools.product(shape.routings, shape.platforms, ("plain", "drawn")):
            if name not in LATER and (platform != "linux" or routing == "static"):
                network = drawn(name, routing=routing, platform=platform, names=names, seed=7)
                known = [network.topology.model_dump(mode="json"), network.startup_configs]
                digest.update(json.dumps(known, sort_keys=True).encode())
    assert digest.hexdigest() == WITHOUT_SERVICES


@pytest.mark.parametrize(("shape", "platform"), filtered())
def test_a_filter_permits_some_flows_and_forbids_others_by_its_order(shape: str, platform: str) -> None:
    sizes = {"vlans": 2} if shape == "campus" else {}
    seen: Counter[tuple[bool, ...]] = Counter()
    for seed in range(12):
        network = drawn(shape, "filter", sizes=sizes, platform=platform, seed=seed, **routing_of(platform))
        (access,) = {one.name: one for one in network.access_lists}.values()
        forbidden = [group for group in flow_groups(network) if not group.allowed]
        assert forbidden
        for group in flow_groups(network):
            for flow in group.flows():
                addresses = {"source": network.addresses[flow.source], "target": flow.address}
                leaves = any(access.node == one.node for one in network.lan_of(flow.source).attachments)
                if leaves and network.lan_of(flow.source) != network.lan_of(flow.target):
                    permitted = access.permits(**addresses, protocol=flow.protocol, port=flow.port)
                    assert permitted or not flow.allowed, flow
        assert any(changes(network, access, pair) for pair in itertools.pairwise(range(len(access.rules))))
        seen[tuple(rule.permit for rule in access.rules)] += 1
    assert len(seen) > 1 or all(len(lan.attachments) == 2 for lan in network.lans)


def changes(network: DrawnNetwork, access: AccessList, pair: tuple[int, int]) -> bool:
    """Whether the verdict on a flow is another one if two lines change places."""
    rules = list(access.rules)
    one, other = pair
    rules[one], rules[other] = rules[other], rules[one]
    wrong = access.model_copy(update={"rules": tuple(rules)})
    flows = [flow for group in flow_groups(network) for flow in group.flows()]
    verdicts = [
        [each.permits(source=network.addresses[flow.source], target=flow.address, protocol="tcp", port=flow.port)]
        for flow in flows
        if flow.port is not None
        for each in (access, wrong)
    ]
    return verdicts[::2] != verdicts[1::2]


@pytest.mark.parametrize("shape", [name for name, shape in SHAPES.items() if "cisco_ios" in shape.platforms])
@pytest.mark.parametrize("seed", range(3))
def test_an_ios_device_accepts_each_line_of_a_service_and_prints_it_as_it_was_written(shape: str, seed: int) -> None:
    services = ("filter", "nat") if shape == "dual-homed-isp" else ("filter",)
    network = drawn(shape, *services, platform="cisco_ios", names="drawn", seed=seed)
    for node in {one.node for one in (*network.access_lists, *network.translations)}:
        config = network.startup_configs[node]
        role = network.topology.node(node).role
        device = paper(interfaces=network.topology.interfaces(node), role=role, startup=config)
        assert device.refused_startup_lines == []
        services_lines = [
            line for line in config.splitlines() if {"access-group", "access-list", "nat"} & {*line.split()}
        ]
        assert services_lines
        rules = [line for line in config.splitlines() if line.startswith((" permit ", " deny "))]
        assert [line for line in (*services_lines, *rules) if line not in device.running_config().splitlines()] == []


def test_the_linux_dialect_reads_each_line_of_a_filter() -> None:
    network = drawn("star", "filter", platform="linux")
    dialect = parts.load("dialects", "linux")()
    lines = [line for line in network.startup_configs["r0"].splitlines() if line.startswith("nft")]
    assert len(lines) == 2 + len(network.access_lists[0].rules)
    assert all(dialect.normalise(line) for line in lines)


def test_the_seed_decides_where_a_filter_is_and_what_it_asks() -> None:
    networks = [drawn("line", "filter", platform="cisco_ios", sizes={"hosts": 2}, seed=seed) for seed in range(40)]
    places = Counter(network.access_lists[0].node for network in networks)
    assert set(places) == {"r1", "r2", "r3"}
    assert len({network.access_lists for network in networks}) > 20
    assert networks[5] == drawn("line", "filter", platform="cisco_ios", sizes={"hosts": 2}, seed=5)


def test_two_gateways_of_a_lan_have_the_same_list() -> None:
    network = drawn("campus", "filter", sizes={"distributions": 2, "vlans": 2})
    assert [one.node for one in network.access_lists] == ["dist1x1", "dist1x2"]
    assert len({one.rules for one in network.access_lists}) == 1


def test_the_first_line_that_matches_decides_and_what_none_matches_is_denied() -> None:
    permit = AccessRule(permit=True, protocol="tcp", source="10.0.1.10/32", ports=SSH)
    deny = AccessRule(permit=False, protocol="tcp", source="10.0.1.0/24", ports=SSH)
    rest = AccessRule(permit=True)
    flow = {"target": "10.0.2.10", "protocol": "tcp", "port": 22}
    right = AccessList(node="r0", interface="eth0", name="A", rules=(permit, deny, rest))
    swapped = right.model_copy(update={"rules": (deny, permit, rest)})
    short = right.model_copy(update={"rules": (permit,)})
    assert [one.permits(source="10.0.1.10", **flow) for one in (right, swapped, short)] == [True, False, True]
    assert [one.permits(source="10.0.1.11", **flow) for one in (right, swapped, short)] == [False, False, False]
    ping = {"source": "10.0.1.11", "target": "10.0.2.10", "protocol": "icmp"}
    assert [one.permits(**ping) for one in (right, swapped, short)] == [True, True, False]


def test_translation_hides_private_lans_behind_the_announced_block() -> None:
    network = drawn("dual-homed-isp", "nat", platform="cisco_ios")
    assert [lan.prefix for lan in network.lans] == ["10.0.1.0/24", "10.0.2.0/24", "198.51.100.0/24"]
    assert [(one.node, one.outside, one.address) for one in network.translations] == [
        ("edge1", ("GigabitEthernet0/0",), "203.0.113.1/24"),
        ("edge2", ("GigabitEthernet0/0",), "203.0.113.2/24"),
    ]
    assert "network 203.0.113.0 mask 255.255.255.0" in network.startup_configs["edge1"]
    assert ("h1x1", "server1") in network.flows
    assert ("server1", "h1x1") not in network.flows
    forbidden = [group for group in flow_groups(network) if not group.allowed]
    assert forbidden == [
        FlowGroup(sources=("server1",), targets={"h1x1": "10.0.1.10", "h2x1": "10.0.2.10"}, allowed=False)
    ]


def test_one_edge_translates_toward_both_providers() -> None:
    (one,) = drawn("dual-homed-isp", "nat", platform="cisco_ios", sizes={"edges": 1, "sites": 3}).translations
    assert len(one.outside) == 2
    assert len(one.inside) == 3
    assert len(one.hidden) == 3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"shape": "star", "services": ("nat",)},
            "shape 'star' has no service 'nat' (shapes that have: dual-homed-isp)",
        ),
        (
            {"shape": "dual-homed-isp", "platform": "frr", "services": ("nat",)},
            "frr routers have no service 'nat' (platforms: cisco_ios)",
        ),
        (
            {"shape": "line", "services": ("filter",)},
            "frr routers have no service 'filter' (platforms: cisco_ios, linux)",
        ),
        (
            {"shape": "star", "sizes": {"subnets": 1}, "services": ("filter",)},
            "service 'filter' needs hosts in two LANs, one of them with managed gateways",
        ),
    ],
)
def test_a_service_that_a_network_cannot_have_is_refused_with_a_sentence(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        draw_network(NetworkParameters(**given))
    assert str(caught.value) == words
