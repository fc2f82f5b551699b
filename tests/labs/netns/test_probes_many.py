"""Many probes in one call: every verdict is true, whatever else the machine does."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.prober import broken, busy, matrix, star
from pytest_netbench.lab.probing import Probe
from tests.labs.netns.conftest import Deploy

HOSTS = 32
LOOPS = 4
RUNS = 3


@pytest.fixture(scope="module")
def star_lab(deploy: Deploy) -> Any:
    return deploy(star(HOSTS))


@pytest.fixture
def lab(star_lab: Any) -> Iterator[Any]:
    yield star_lab
    star_lab.nodes["r"].run(["sysctl", "-w", "net.ipv4.ip_forward=1"])
    star_lab.nodes["r"].run(["nft", "flush", "ruleset"])


def wrong(probes: list[Probe], results: list[Any], *, dead: bool) -> list[str]:
    return [
        f"{probe.source} to {probe.target}: {result.detail}"
        for probe, result in zip(probes, results, strict=True)
        if result.delivered == (dead and broken(probe))
    ]


def test_a_healthy_matrix_beside_busy_loops_is_healthy(lab: Any) -> None:
    probes = matrix(HOSTS)
    assert len(probes) == 1056
    with busy(LOOPS):
        for _ in range(RUNS):
            assert wrong(probes, lab.prober.probe(probes), dead=False) == []


def test_a_matrix_that_is_mostly_dead_beside_busy_loops_is_told_exactly(lab: Any) -> None:
    probes = matrix(HOSTS)
    lab.nodes["r"].run(["sysctl", "-w", "net.ipv4.ip_forward=0"])
    with busy(LOOPS):
        for _ in range(RUNS):
            assert wrong(probes, lab.prober.probe(probes), dead=True) == []


@pytest.mark.parametrize("protocol", ["tcp", "udp"])
def test_listeners_serve_a_whole_matrix_beside_busy_loops(lab: Any, protocol: Any) -> None:
    hosts = [f"h{number}" for number in range(1, HOSTS + 1)]
    probes = [
        Probe(
            source=source,
            target=f"10.{target.removeprefix('h')}.0.10",
            protocol=protocol,
            port=port,
            listen_on=target,
            timeout_s=0.1,
        )
        for port, (source, target) in zip(
            itertools.cycle((80, 443, 5353)), itertools.permutations(hosts, 2), strict=False
        )
    ]
    rules = "add table ip f; add chain ip f c { type filter hook forward priority 0; }; "
    lab.nodes["r"].run(["nft", f"{rules} add rule ip f c {protocol} dport 443 drop"])
    with busy(LOOPS):
        results = lab.prober.probe(probes)
    mistaken = [
        (probe, result)
        for probe, result in zip(probes, results, strict=True)
        if result.delivered == (probe.port == 443) or result.arrived == (probe.port == 443)
    ]
    assert mistaken == []


def test_ten_thousand_probes_are_one_call(lab: Any) -> None:
    probes = matrix(HOSTS, 10_000)
    results = lab.prober.probe(probes)
    assert len(results) == 10_000
    assert wrong(probes, results, dead=False) == []


FLOOD = """
import socket, time
flood = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + {seconds}
while time.monotonic() < end:
    for _ in range(20):
        flood.sendto(bytes(100), ("10.2.0.10", 9))
    time.sleep(0.001)
"""


def test_a_flood_at_the_target_makes_no_probe_fail(lab: Any) -> None:
    probes = [
        Probe(
            source=source,
            target="10.2.0.10",
            protocol=protocol,
            port=port,
            arrives_at=("h2",),
            timeout_s=0.3,
            listen_on=None if protocol == "icmp" else "h2",
        )
        for source in ("h3", "h4", "h5", "h6")
        for protocol, port in (("icmp", None), ("udp", 53), ("tcp", 80))
    ]
    before = received(lab)
    lab.nodes["h1"].start(["/usr/bin/python3", "-c", FLOOD.format(seconds=3)], lab_time=False)
    assert any(received(lab) > before + 100 for _ in range(1000))
    for _ in range(100):
        # more repetitions than by default: the kernel's own queues may really lose packets of a flooded path
        results = lab.prober.probe(probes, repetitions=3)
        assert [result.detail for result in results if not result.delivered] == []
        if received(lab) > before + 5000:
            return
    raise AssertionError("the flood did not come")


def received(lab: Any) -> int:
    """Packets that came to h2's interface."""
    return int(lab.nodes["h2"].run(["cat", "/proc/net/dev"]).stdout.split("eth0:")[1].split()[1])
