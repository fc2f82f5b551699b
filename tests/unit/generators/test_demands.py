"""Drawn traffic: who sends to whom, and that filters and translations let it pass."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from pytest_netbench.families.diagnose.telemetry import PROOF_S
from pytest_netbench.generators.demands import BURST_PACKETS, MOST_DEMANDS, RATE_BPS, draw_demands
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network


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


@pytest.mark.parametrize("kind", ["uniform", "gravity", "bursts"])
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
