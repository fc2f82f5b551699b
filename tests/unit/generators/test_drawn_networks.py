"""Networks from numbers, on paper: consistent in every size, and equal for equal parameters."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.dialects.cisco_ios.interfaces import kernel_name
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.mixing import MIXED, offers
from pytest_netbench.generators.networks.shapes import SHAPES
from pytest_netbench.model.task import Task
from tests.support.ios import paper


def limits_of(shape: str) -> dict[str, tuple[int, int]]:
    """By size of a shape: the least and the most."""
    limits = {}
    for name, field in SHAPES[shape].sizes.model_fields.items():
        bounds = {type(one).__name__: one for one in field.metadata}
        limits[name] = (bounds["Ge"].ge, bounds["Le"].le)
    return limits


def extremes(shape: str) -> dict[str, dict[str, int]]:
    """The least and the most of each size; where a shape refuses the most of all, the most of each beside the least."""
    limits = limits_of(shape)
    least, most = ({name: pair[place] for name, pair in limits.items()} for place in (0, 1))
    return {"least": least, "most": most} | {f"most {name}": least | {name: most[name]} for name in limits}


def cases() -> list[Any]:
    return [
        pytest.param(name, routing, platform, id=f"{name}-{routing}-{platform}")
        for name, shape in SHAPES.items()
        for routing in shape.routings
        for platform in (*shape.platforms, MIXED)
        if offers(shape.platforms, platform) and offers(shape.routings[routing].platforms, platform)
    ]


def drawn(shape: str, routing: str, platform: str) -> list[DrawnNetwork]:
    """Networks of the default, the least and the most sizes; every second one with drawn names."""
    found = []
    for number, sizes in enumerate([{}, {}, *extremes(shape).values()]):
        names = "plain" if number % 2 else "drawn"
        with contextlib.suppress(UsageError):  # a combination that the shape refuses
            found.append(
                draw_network(
                    NetworkParameters(
                        shape=shape, sizes=sizes, routing=routing, platform=platform, names=names, seed=number
                    )
                )
            )
    assert len(found) >= 4
    return found


@pytest.mark.parametrize(("shape", "routing", "platform"), cases())
def test_a_network_of_any_size_is_consistent(shape, routing, platform):
    for network in drawn(shape, routing, platform):
        check_interfaces(network)
        check_addresses(network)
        check_is_connected(network)
        check_configs(network)
        task = task_of(network)
        assert Task.model_validate(task.model_dump(mode="json")).digest == task.digest


def task_of(network: DrawnNetwork) -> Task:
    fields = network.fields() | {"intents": [{"text": "none"}]}
    return Task.model_validate({"task_name": "drawn", "slug": "drawn", **fields})


def platform_of(network: DrawnNetwork, node: str) -> str:
    return network.topology.node(node).platform or network.platform


def check_interfaces(network: DrawnNetwork) -> None:
    """The kernel can carry each name, and each interface of a subnet is cabled or made by its config."""
    names = [node.name for node in network.topology.nodes]
    assert len(names) == len(set(names))
    assert sorted(network.startup_configs) == sorted(names)
    for name in names:
        for interface in network.topology.interfaces(name):
            if platform_of(network, name) == "cisco_ios":
                assert len(kernel_name(interface)) <= 15
            else:
                assert len(interface) <= 15


def check_addresses(network: DrawnNetwork) -> None:
    """Addresses are unique and in their subnet, subnets do not overlap, and every host has one gateway."""
    found = Counter(one.address for subnet in network.subnets for one in subnet.attachments)
    assert [address for address, count in found.items() if count > 1] == []
    prefixes = sorted(ip_network(subnet.prefix) for subnet in network.subnets)
    assert all(not one.overlaps(other) for one, other in itertools.pairwise(prefixes))
    assert all(
        ip_address(one.address) in ip_network(subnet.prefix) for subnet in network.subnets for one in subnet.attachments
    )
    for host in network.hosts:
        lan = network.lan_of(host)
        assert network.startup_configs[host].count("default via") == 1
        assert f"default via {lan.gateway}\n" in network.startup_configs[host]
        assert network.addresses[host] in {one.address for one in lan.attachments}
    assert set(network.addresses.values()) <= set(found)


def check_is_connected(network: DrawnNetwork) -> None:
    near: dict[str, set[str]] = {node.name: set() for node in network.topology.nodes}
    for link in network.topology.links:
        nodes = [end.node for end in link.endpoints]
        for one, other in itertools.permutations(nodes, 2):
            near[one].add(other)
    reached, waiting = set(), [network.hosts[0]]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting += near[node]
    assert reached == set(near)


def check_configs(network: DrawnNetwork) -> None:
    """Each address is configured where it belongs, and the dialect reads each line."""
    for subnet in network.subnets:
        length = ip_network(subnet.prefix)
        for one in subnet.attachments:
            written = {f"{one.address}/{length.prefixlen}", f"{one.address} {length.netmask}"}
            assert any(text in network.startup_configs[one.node] for text in written), one
    for node, config in network.startup_configs.items():
        dialect = dialect_of(platform_of(network, node))
        read = [dialect.normalise(line) for line in config.splitlines()]
        assert any(read)
        assert all(line is not None for line, text in zip(read, config.splitlines(), strict=True) if says(text))


@cache
def dialect_of(platform: str) -> Any:
    return parts.load("dialects", platform)()


def says(line: str) -> bool:
    return line.strip() not in {"!", "end", "exit", "exit-address-family", ""} and not line.startswith("version ")


@pytest.mark.parametrize(
    ("shape", "routing"),
    [
        (name, routing)
        for name, shape in SHAPES.items()
        if "cisco_ios" in shape.platforms
        for routing, scheme in shape.routings.items()
        if "cisco_ios" in scheme.platforms
    ],
)
def test_an_ios_device_accepts_each_line(shape, routing):
    network = draw_network(NetworkParameters(shape=shape, routing=routing, platform="cisco_ios", names="drawn"))
    for node, config in network.startup_configs.items():
        if platform_of(network, node) == "cisco_ios":
            cables = network.topology.interfaces(node)
            device = paper(interfaces=cables, role=network.topology.node(node).role, startup=config)
            assert device.refused_startup_lines == []


_PROGRAM = """
import sys, json
from pytest_netbench.generators.networks import NetworkParameters, draw_network
for line in sys.stdin:
    print(draw_network(NetworkParameters.model_validate_json(line)).model_dump_json())
"""


def test_equal_parameters_give_equal_bytes_in_another_process():
    parameters = [
        NetworkParameters(shape=shape, names=names, seed=7) for shape in SHAPES for names in ("plain", "drawn")
    ]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input="".join(one.model_dump_json() + "\n" for one in parameters),
        env=os.environ | {"PYTHONHASHSEED": "4321"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [draw_network(one).model_dump_json() for one in parameters]


def test_a_network_survives_json():
    network = draw_network(NetworkParameters())
    assert DrawnNetwork.model_validate(json.loads(network.model_dump_json())) == network


@pytest.mark.parametrize("shape", list(SHAPES))
def test_the_seed_changes_names_and_addresses_only_where_asked(shape):
    plain = [draw_network(NetworkParameters(shape=shape, seed=seed)) for seed in (1, 2)]
    assert plain[0] == plain[1]
    one, other = (draw_network(NetworkParameters(shape=shape, seed=seed, names="drawn")) for seed in (1, 2))
    assert one.hosts != other.hosts
    assert one.topology.nodes != other.topology.nodes
    assert [lan.prefix for lan in one.lans] != [lan.prefix for lan in other.lans]
    assert len(one.topology.links) == len(plain[0].topology.links)
    texts = "\n".join(one.startup_configs.values())
    old = [node.name for node in plain[0].topology.nodes]
    assert [name for name in old if name in texts.split()] == []


def test_drawn_networks_differ_with_nearly_every_seed():
    networks = [draw_network(NetworkParameters(seed=seed, names="drawn")) for seed in range(200)]
    assert len({network.lans[0].prefix for network in networks}) > 150
    assert {network.lans[0].gateway.rpartition(".")[2] for network in networks} == {"1", "254"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"shape": "blob"}, "unknown shape 'blob' of a network (known: star"),
        ({"sizes": {"hosts": 9}}, "shape 'star' with hosts=9 (hosts in each LAN, 1 to 8): input should be less than"),
        ({"sizes": {"subnets": 0}}, "shape 'star' with subnets=0 (LANs, 1 to 8): input should be greater than"),
        ({"sizes": {"leaves": 2}}, "shape 'star' has no size 'leaves' (known: subnets, hosts)"),
        ({"routing": "ospf"}, "shape 'star' has no routing 'ospf' (known: static)"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(given, words):
    with pytest.raises(UsageError) as caught:
        draw_network(NetworkParameters(**given))
    assert words in str(caught.value)


def test_the_star_is_one_router_with_a_lan_for_each_subnet():
    network = draw_network(NetworkParameters(sizes={"subnets": 3, "hosts": 4}))
    assert network.routers == ("r0",)
    assert [len(lan.attachments) for lan in network.lans] == [5, 5, 5]
    assert [lan.attachments[0].interface for lan in network.lans] == ["eth0", "eth1", "eth2"]
    assert len(network.flows) == 12 * 11
    assert network.topology.controls["r0"] == "managed"
    assert {network.topology.controls[host] for host in network.hosts} == {"observed"}


def test_mixed_routers_are_of_both_platforms_and_the_seed_says_which():
    drawn = [draw_network(NetworkParameters(shape="line", platform="mixed", seed=seed)) for seed in range(12)]
    platforms = [tuple(platform_of(network, name) for name in network.routers) for network in drawn]
    assert all(set(one) == {"cisco_ios", "frr"} for one in platforms)
    assert len(set(platforms)) > 2
    assert drawn[5] == draw_network(NetworkParameters(shape="line", platform="mixed", seed=5))


@pytest.mark.parametrize("one", [{"shape": "campus"}, {"shape": "isp", "routing": "isis"}, {"services": ("filter",)}])
def test_what_only_one_platform_can_is_not_offered_for_mixed_routers(one):
    with pytest.raises(UsageError, match="mixed"):
        draw_network(NetworkParameters.model_validate({"platform": "mixed", **one}))
