"""Drawn traffic: who sends to whom, and that filters and translations let it pass."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from pytest_netbench.errors import UsageError
from pytest_netbench.families.diagnose.telemetry import PROOF_S
from pytest_netbench.generators.demands import BURST_PACKETS, MOST_DEMANDS, RATE_BPS, draw_demands
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.generators.networks.draft import Draft
from pytest_netbench.generators.networks.graphs import read_sndlib, shipped
from pytest_netbench.generators.networks.shapes.isp import build_graph
from pytest_netbench.generators.series import read_series


def network(**given: Any) -> DrawnNetwork:
    chosen = {"shape": "ring", "platform": "frr", "routing": "ospf", "services": (), **given}
    return draw_network(NetworkParameters.model_validate(chosen))


def test_uniform_traffic_leaves_each_host_once_for_another_lan() -> None:
    ring = network()
    demands = draw_demands(ring, "uniform", random.Random(1))
    assert Counter(one.source for one in demands) == Counter(ring.hosts[:MOST_DEMANDS])
    for one in demands:
        assert ring.lan_of(one.source) != ring.lan_of(one.target)
        assert one.address == ring.addresses[one.target]
        assert one.rate_bps == RATE_BPS
    assert len({one.port for one in demands}) == len(demands)


def test_gravity_traffic_has_the_largest_pairs_and_the_same_mean() -> None:
    demands = draw_demands(network(), "gravity", random.Random(1))
    rates = [one.rate_bps for one in demands]
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) > 1
    assert sum(rates) / len(rates) == pytest.approx(RATE_BPS, rel=0.001)


@pytest.mark.parametrize("routers", [12, 22, 50])
@pytest.mark.parametrize("names", ["plain", "drawn"])
def test_matrix_traffic_has_the_largest_demands_of_the_graph_between_hosts_of_their_cities(
    routers: int, names: str
) -> None:
    graph, backbone = shipped(routers), network(shape="isp", names=names, sizes={"routers": routers, "hosts": 2})
    # routers are in the order of the graph's nodes, whatever they are called
    city = dict(zip(backbone.routers, (node.name for node in graph.nodes), strict=True))
    router_of = {host: next(end.node for end in backbone.lan_of(host).attachments) for host in backbone.hosts}
    demands = draw_demands(backbone, "matrix", random.Random(1))
    largest = sorted(graph.demands, key=lambda one: one.value, reverse=True)[:MOST_DEMANDS]
    found = [(city[router_of[one.source]], city[router_of[one.target]]) for one in demands]
    assert Counter(found) == Counter((one.source, one.target) for one in largest)
    values = {(one.source, one.target): one.value for one in largest}
    shares = {round(one.rate_bps / values[pair], -2) for one, pair in zip(demands, found, strict=True)}
    assert max(shares) - min(shares) <= 0.001 * max(shares), "in proportion"
    assert sum(one.rate_bps for one in demands) / len(demands) == pytest.approx(RATE_BPS, rel=0.001)
    others = draw_demands(backbone, "matrix", random.Random(2))
    assert {one.source for one in others} != {one.source for one in demands}, "hosts of a city are drawn"


def test_a_graph_of_sndlib_brings_its_demands() -> None:
    text = """?SNDlib native format; type: network; version: 1.0
NODES ( A ( 0.0 0.0 ) B ( 1.0 0.0 ) C ( 0.0 1.0 ) )
LINKS ( L1 ( A B ) 0.0 0.0 0.0 1.0 ( 40.0 1.0 ) L2 ( B C ) 0.0 0.0 0.0 1.0 ( 40.0 1.0 ) )
DEMANDS ( D1 ( A C ) 1 3.0 UNLIMITED D2 ( C B ) 1 1.0 UNLIMITED )
"""
    draft = Draft("frr")
    build_graph(draft, read_sndlib(text, origin="three"), hosts=1, by_capacity=False)
    assert [(one.name, other.name, value) for one, other, value in draft.matrix] == [("a", "c", 3.0), ("c", "b", 1.0)]


def test_other_shapes_have_no_matrix() -> None:
    assert draw_demands(network(), "matrix", random.Random(1)) == ()
    with pytest.raises(UsageError, match="traffic=matrix needs shapes=isp"):
        read_series("diagnose:traffic=matrix,n=1")
    with pytest.raises(UsageError, match="traffic=matrix needs shapes=isp"):
        read_series("diagnose:traffic=matrix,shapes=isp+ring,n=1")
    assert read_series("diagnose:traffic=matrix,shapes=isp,n=1").parameters.traffic == "matrix"


@pytest.mark.parametrize("hosts", [1, 2, 4])
def test_bursts_of_all_hosts_meet_at_one(hosts: int) -> None:
    ring = network(sizes={"hosts": hosts})
    demands = draw_demands(ring, "bursts", random.Random(1))
    (target,) = {one.target for one in demands}
    assert len(demands) == min(MOST_DEMANDS, sum(ring.lan_of(one) != ring.lan_of(target) for one in ring.hosts)) > 1
    assert sum(one.rate_bps for one in demands) <= RATE_BPS
    assert {one.flow.burst_packets for one in demands} == {max(2, BURST_PACKETS // len(demands))}
    assert f"in bursts of {demands[0].burst_packets} packets" in str(demands[0])
    # the telemetry has no shorter samples, and does not measure the first quarter of each
    pauses_s = {one.burst_packets * one.packet_bytes * 8 / one.rate_bps for one in demands}
    assert max(pauses_s) < PROOF_S


def test_no_traffic() -> None:
    assert draw_demands(network(), "none", random.Random(1)) == ()


def test_seeds_draw_other_targets_and_the_same_seed_the_same() -> None:
    ring = network()
    drawn = {tuple(map(str, draw_demands(ring, "uniform", random.Random(seed)))) for seed in (1, 1, 2, 3, 4, 5)}
    assert 1 < len(drawn) <= 5


@pytest.mark.parametrize("kind", ["uniform", "gravity", "matrix", "bursts"])
@pytest.mark.parametrize("service", ["filter", "nat"])
def test_what_a_network_denies_is_not_sent(kind: Any, service: str) -> None:
    shape = {
        "filter": {"shape": "campus", "platform": "cisco_ios"},
        "nat": {"shape": "dual-homed-isp", "platform": "cisco_ios", "routing": "bgp"},
    }
    filtered = network(**shape[service], services=(service,))
    demands = draw_demands(filtered, kind, random.Random(1))
    for one in demands:
        assert filtered.reaches(one.source, one.target)
        ends = {"source": filtered.addresses[one.source], "target": one.address}
        assert all(access.permits(**ends, protocol="udp", port=one.port) for access in filtered.access_lists)
