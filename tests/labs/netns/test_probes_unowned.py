"""Packets to addresses that nobody has, and the nodes that packets come by."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from tests.labs.netns.conftest import Deploy
from tests.support.netns_networks import routed

FREE = {4: "10.2.0.77", 6: "2001:db8:2::77"}
VERSIONS = pytest.mark.parametrize("version", [4, 6])
PROTOCOLS = pytest.mark.parametrize("protocol", ["icmp", "tcp", "udp"])
CHAIN = "add table inet f; add chain inet f c {{ type filter hook forward priority 0; }}; add rule inet f c {rule}"


@pytest.fixture(scope="module")
def routed_lab(deploy: Deploy) -> Any:
    return deploy(routed())


@pytest.fixture
def net(routed_lab: Any) -> Any:
    yield routed_lab
    for node in routed_lab.nodes.values():
        node.run(["nft", "flush", "ruleset"])


def to_nobody(version: int, protocol: Any, **fields: Any) -> Probe:
    port = None if protocol == "icmp" else 5432
    wanted = {"source": "h1", "target": FREE[version], "stand_in": "h2", "port": port, "timeout_s": 0.2, **fields}
    return Probe(protocol=protocol, **wanted)


@VERSIONS
@PROTOCOLS
def test_a_packet_to_an_address_that_nobody_has_arrives_at_the_node_that_stands_in(
    net: Any, version: int, protocol: str
) -> None:
    result = net.prober.probe([to_nobody(version, protocol)])[0]
    assert (result.delivered, result.arrived, result.arrived_at, result.answered) == (True, True, "h2", False)
    assert result.detail.startswith("arrived at h2 after ")


@VERSIONS
@PROTOCOLS
def test_a_filter_on_the_way_is_seen_though_nobody_has_the_address(net: Any, version: int, protocol: str) -> None:
    family = "ip" if version == 4 else "ip6"
    done = net.nodes["r"].run(["nft", CHAIN.format(rule=f"{family} daddr {FREE[version]} drop")])
    assert done.returncode == 0, done.stderr
    beside = FREE[version].replace("77", "78")
    hit, missed = net.prober.probe([to_nobody(version, protocol), to_nobody(version, protocol, target=beside)])
    assert (hit.delivered, hit.arrived) == (False, False)
    assert (missed.delivered, missed.arrived) == (True, True)


def test_nobody_stands_in_for_an_address_after_the_probe(net: Any) -> None:
    net.prober.probe([to_nobody(4, "icmp", target="10.2.0.79")])
    net.nodes["r"].run(["ip", "neighbor", "flush", "all"])
    result = net.prober.probe([Probe(source="h1", target="10.2.0.79", arrives_at=("h2",), timeout_s=0.2)])[0]
    assert (result.delivered, result.arrived) == (False, False)


def test_sources_and_targets_that_nobody_has_are_tried_side_by_side(net: Any) -> None:
    sources = [f"10.1.0.{number}" for number in range(100, 130)]
    probes = [
        Probe(source="h1", source_address=one, target=to, protocol="udp", port=53, stand_in="h2", timeout_s=0.3)
        for one in sources
        for to in ("10.2.0.77", "10.2.0.200")
    ]
    assert [result.delivered for result in net.prober.probe(probes)] == [True] * 60


@VERSIONS
@PROTOCOLS
def test_the_nodes_that_a_packet_comes_by_are_told_in_order(net: Any, version: int, protocol: str) -> None:
    target = "10.2.0.10" if version == 4 else "2001:db8:2::10"
    wanted: dict[str, Any] = {"listen_on": "h2", "port": 80} if protocol != "icmp" else {"arrives_at": ("h2",)}
    (result,) = net.prober.probe(
        [
            Probe(source="h1", target=target, protocol=protocol, follow=("h2", "r"), **wanted)  # type: ignore[arg-type]
        ]
    )
    assert result.delivered
    assert result.came_by == ("r", "h2")


def test_a_packet_that_is_dropped_came_as_far_as_it_came(net: Any) -> None:
    net.nodes["r"].run(["nft", CHAIN.format(rule="drop")])
    (result,) = net.prober.probe([Probe(source="h1", target="10.2.0.10", follow=("r", "h2"), timeout_s=0.1)])
    assert (result.delivered, result.came_by) == (False, ("r",))


def test_nodes_that_are_not_followed_are_not_told(net: Any) -> None:
    (result,) = net.prober.probe([Probe(source="h1", target="10.2.0.10", arrives_at=("h2",))])
    assert (result.delivered, result.came_by) == (True, ())


def test_the_order_is_right_for_many_packets_at_once(net: Any) -> None:
    probes = [
        Probe(source="h1", target="10.2.0.10", protocol="udp", port=port, listen_on="h2", follow=("h2", "r"))
        for port in range(20_000, 20_800)
    ]
    assert {result.came_by for result in net.prober.probe(probes)} == {("r", "h2")}


@VERSIONS
def test_many_addresses_that_nobody_has_do_not_stay_in_the_tables_that_all_labs_share(net: Any, version: int) -> None:
    stem = FREE[version].removesuffix("77")
    addresses = [f"{stem}{number}" for number in range(100, 200)]
    kept = f"{stem}99"
    family = f"-{version}"
    own = "10.2.0.10" if version == 4 else "2001:db8:2::10"
    set_by_hand = ["ip", family, "neigh", "replace", kept, "lladdr", "02:00:00:00:00:99", "dev", "eth1"]
    assert net.nodes["r"].run([*set_by_hand, "nud", "permanent"]).returncode == 0
    results = net.prober.probe(
        [
            Probe(source="h1", target=own, protocol="icmp"),
            *(to_nobody(version, "icmp", target=address) for address in [*addresses, kept]),
        ]
    )
    assert sum(result.delivered for result in results) >= len(addresses)
    known = net.nodes["r"].run(["ip", family, "neigh", "show", "dev", "eth1"]).stdout
    listed = {line.split()[0] for line in known.splitlines()}
    assert {own, kept} <= listed
    assert not listed & set(addresses)
    net.nodes["r"].run(["ip", family, "neigh", "del", kept, "dev", "eth1"])


@VERSIONS
def test_an_address_is_found_at_once_though_it_was_asked_for_in_vain(net: Any, version: int) -> None:
    target = FREE[version].replace("77", "90")
    in_vain = Probe(source="h1", target=target, arrives_at=("h2",), timeout_s=0.1, repetitions=0)
    taken = to_nobody(version, "icmp", target=target, timeout_s=0.2, repetitions=0)
    assert [net.prober.probe([one])[0].arrived for one in (in_vain, taken)] == [False, True]
