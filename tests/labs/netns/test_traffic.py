"""Traffic and the quality of links, measured."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

from pytest_netbench.lab.probing import Probe
from pytest_netbench.model.testcase import Flow
from tests.labs.netns.conftest import Deploy
from tests.support.netns_networks import network, pair


def flow(rate_bps: int, protocol: str = "udp", **fields: Any) -> Flow:
    return Flow.model_validate(
        {"source": "a", "target": "b", "rate_bps": rate_bps, "protocol": protocol, "port": 5001, **fields}
    )


def run(
    lab: Any, *flows: Flow, duration_s: float = 1.0, warmup_s: float | None = None, target: str = "10.0.0.2"
) -> Any:
    return lab.prober.traffic(flows, [target] * len(flows), duration_s=duration_s, warmup_s=warmup_s)


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
@pytest.mark.parametrize("rate_bps", [1_000_000, 5_000_000])
def test_what_is_offered_arrives(lab: Any, protocol: str, rate_bps: int) -> None:
    near = pytest.approx(rate_bps, rel=0.05)
    # the tests beside this one may take the core that the sender runs on
    reports = (run(lab, flow(rate_bps, protocol))[0] for _ in range(5))
    assert any(report.offered_bps == near and report.received_bps == near for report in reports)


def test_traffic_over_ipv6_arrives(lab: Any) -> None:
    (report,) = run(lab, flow(2_000_000), target="2001:db8::2", duration_s=0.6)
    assert report.received_bps == pytest.approx(2_000_000, rel=0.05)


def test_several_flows_are_counted_apart(lab: Any) -> None:
    reports = run(lab, *(flow(rate, port=5001 + rate % 7919) for rate in (1_000_000, 2_000_000, 3_000_000)))
    assert [report.received_bps for report in reports] == [
        pytest.approx(rate, rel=0.05) for rate in (1_000_000, 2_000_000, 3_000_000)
    ]


def test_a_link_of_a_rate_carries_that_rate(deploy: Deploy) -> None:
    slow = deploy(pair({"rate_bps": 2_000_000}))
    (report,) = run(slow, flow(5_000_000), duration_s=1.5)
    assert report.offered_bps == pytest.approx(5_000_000, rel=0.05)
    assert report.received_bps == pytest.approx(2_000_000, rel=0.07)


POLICER = """
table ip police {
  chain arriving {
    type filter hook prerouting priority 0;
    udp dport 5001 limit rate over 125 kbytes/second burst 400000 bytes drop
  }
}
"""


@pytest.mark.parametrize(("warmup_s", "least", "most"), [(None, 3_500_000, 5_000_000), (1.5, 900_000, 1_150_000)])
def test_a_warm_up_uses_up_the_burst_of_a_policer(
    deploy: Deploy, warmup_s: float | None, least: float, most: float
) -> None:
    policed = deploy(pair({}))
    policed.nodes["b"].write_file("/run/police.nft", POLICER)
    assert policed.nodes["b"].run(["nft", "-f", "/run/police.nft"]).returncode == 0
    (report,) = run(policed, flow(4_000_000), duration_s=0.6, warmup_s=warmup_s)
    assert report.offered_bps == pytest.approx(4_000_000, rel=0.1)
    assert least < report.received_bps < most


LATE = """
import socket, struct, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
old = time.monotonic() - 5
for number in range(200):
    sender.sendto(struct.pack("!Qd", number, old).ljust(972, b"x"), ("10.0.0.2", 5001))
    time.sleep(0.01)
"""


def test_packets_of_an_earlier_run_that_come_late_do_not_count(lab: Any) -> None:
    lab.nodes["a"].start(["python3", "-c", LATE], lab_time=False)
    (report,) = run(lab, flow(400_000), duration_s=0.8)
    assert 0 < report.received_packets <= report.sent_packets + 1


def test_a_link_with_delay_delays_each_way(deploy: Deploy) -> None:
    long = deploy(pair({"delay_ms": 20}))
    (report,) = run(long, flow(1_000_000))
    assert report.mean_delay_ms == pytest.approx(20, abs=3)
    assert report.received_bps == pytest.approx(1_000_000, rel=0.05)
    answered = [long.prober.probe([Probe(source="a", target="10.0.0.2")])[0].detail for _ in range(5)]
    times = [float(detail.split()[-2]) for detail in answered]
    assert statistics.median(times) == pytest.approx(40, abs=6)


def test_a_link_with_loss_loses_its_share(deploy: Deploy) -> None:
    lossy = deploy(pair({"loss": 0.2}))
    for name, other in (("a", "10.0.0.2"), ("b", "10.0.0.1")):
        # the loss of a first ARP request would cost a second
        assert lossy.nodes[name].run(["ping", "-c", "1", "-w", "10", other]).returncode == 0
    (report,) = run(lossy, flow(5_000_000, packet_bytes=400), duration_s=1.5)
    # more than a thousand packets: four standard deviations are five points
    assert report.sent_packets > 1000
    assert 1 - report.received_packets / report.sent_packets == pytest.approx(0.2, abs=0.05)


def test_a_segment_with_delay_delays_once_between_any_two(deploy: Deploy) -> None:
    names = ("a", "b", "c")
    configs = {name: f"ip address add 10.0.0.{n}/24 dev eth0\n" for n, name in enumerate(names, start=1)}
    lan = deploy(network(dict.fromkeys(names, "linux"), [("a eth0 - b eth0 - c eth0", {"delay_ms": 20})], configs))
    reports = lan.prober.traffic(
        [flow(500_000), flow(500_000, source="b", target="c", port=5002)], ["10.0.0.2", "10.0.0.3"], duration_s=0.8
    )
    assert [report.mean_delay_ms for report in reports] == [pytest.approx(20, abs=4)] * 2


def test_flows_that_meet_one_full_queue_get_what_they_offer_in_proportion(deploy: Deploy) -> None:
    slow = deploy(pair({"rate_bps": 2_000_000}))
    flows = [flow(rate, port=port) for port, rate in enumerate((1_900_000, 2_300_000, 2_900_000), start=5001)]
    shares = []
    for _ in range(3):
        reports = run(slow, *flows)
        shares.append(reports[0].received_bps / sum(report.received_bps for report in reports))
    # the flow that is offered first has no advantage
    assert statistics.median(shares) == pytest.approx(1.9 / 7.1, rel=0.25)
