"""The monitor with real packets: a star of Linux nodes, faults and repairs by an agent's commands."""

from __future__ import annotations

import itertools

import pytest

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.evaluation.monitor.monitor import Monitor
from pytest_netbench.model.task import Budget
from pytest_netbench.model.watch import WatchedFlow
from tests.support.netns_networks import network

HOSTS = ("h1", "h2", "h3")
ADDRESSES = {name: f"10.0.{number}.10" for number, name in enumerate(HOSTS, start=1)} | {"r": "10.0.1.1"}
PINGS = [
    WatchedFlow(source=one, target=other, address=ADDRESSES[other])
    for one, other in itertools.permutations(ADDRESSES, 2)
]
WEB = WatchedFlow(source="h1", target="h2", address=ADDRESSES["h2"], protocol="tcp", port=80)
DNS = WatchedFlow(source="h1", target="h3", address=ADDRESSES["h3"], protocol="udp", port=53)
CLOSED = WatchedFlow(source="h1", target="h3", address=ADDRESSES["h3"], protocol="tcp", port=23, allowed=False)
FLOWS = (*PINGS, WEB, DNS, CLOSED)
BLOCKS = ("nft add table ip f", "nft add chain ip f c '{ type filter hook forward priority 0; }'")


def star(**more: str):
    nodes = {"r": "linux", **dict.fromkeys(HOSTS, "linux")}
    links = [f"r eth{number} - {name} eth0" for number, name in enumerate(HOSTS, start=1)]
    router = ["sysctl -w net.ipv4.ip_forward=1", *BLOCKS, "nft add rule ip f c tcp dport 23 drop"]
    router += [f"ip address add 10.0.{number}.1/24 dev eth{number}" for number in (1, 2, 3)]
    configs = {
        name: f"ip address add {ADDRESSES[name]}/24 dev eth0\nip route add default via 10.0.{number}.1\n"
        for number, name in enumerate(HOSTS, start=1)
    }
    return network(nodes, links, {"r": "\n".join(router) + "\n", **configs}, **more)


@pytest.fixture(scope="module")
def lab(deploy_task):
    return deploy_task(star())


def watched(lab, *batches):
    """What a monitor saw of an agent that sends these batches to the router, and which flows were wrong before."""
    monitor = Monitor(lab, FLOWS)
    wrong = monitor.begin()
    ani = AgentInterface(lab, policy=Policy(), budget=Budget())
    ani.watch(monitor)
    for batch in batches:
        results = ani.update_cfg("r", batch)["results"]
        assert [one for one in results if one["status"] != "success"] == []
    ani.close()
    return wrong, monitor.end()


def flows_of(numbers):
    return {FLOWS[number] for number in numbers}


def test_repairs_are_seen_step_by_step_also_the_last(lab):
    lab.nodes["r"].run(["ip", "link", "set", "eth1", "down"])
    lab.nodes["r"].run(["ip", "address", "del", "10.0.2.1/24", "dev", "eth2"])
    wrong, watch = watched(lab, ["ip link set eth1 up"], ["ip address add 10.0.2.1/24 dev eth2"])
    broken = {flow for flow in (*PINGS, WEB, DNS) if {"h1", "h2"} & {flow.source, flow.target}}
    assert flows_of(wrong) >= broken - {PINGS[0]}
    assert [step.number for step in watch.steps] == [1, 2]
    first, second = (flows_of(step.mended) for step in watch.steps)
    assert all("h2" not in (flow.source, flow.target) for flow in first)
    assert all("h2" in (flow.source, flow.target) for flow in second)
    assert (watch.wrong_after, [step.broke for step in watch.steps]) == ((), [(), ()])


def test_blocking_ports_opening_isolation_and_breaking_another_path_are_steps(lab):
    wrong, watch = watched(
        lab,
        ["nft add rule ip f c tcp dport 80 drop"],
        ["nft flush chain ip f c"],
        ["nft add rule ip f c tcp dport 23 drop", "ip link set eth3 down"],
        ["ip link set eth3 up"],
    )
    assert wrong == frozenset()
    blocked, opened, swapped, back = watch.steps
    assert flows_of(blocked.broke) == {WEB}
    assert (flows_of(opened.broke), flows_of(opened.mended)) == ({CLOSED}, {WEB})
    assert flows_of(swapped.broke) == {flow for flow in (*PINGS, DNS) if "h3" in (flow.source, flow.target)}
    assert flows_of(swapped.mended) == {CLOSED}
    assert back.mended == swapped.broke
    assert watch.wrong_after == ()
    assert {flow.source for flow in flows_of(outage.flow for outage in watch.outages)} >= {"h1", "h2", "h3"}


def test_an_interruption_within_one_batch_is_an_outage_but_no_step(lab):
    _, watch = watched(lab, ["ip link set eth1 down", "sleep 0.6", "ip link set eth1 up"])
    assert watch.steps == ()
    worst = max(watch.outages, key=lambda outage: outage.lab_s)
    assert "h1" in (FLOWS[worst.flow].source, FLOWS[worst.flow].target)
    wall_s = worst.lab_s / lab.time_scale
    assert 0.1 < wall_s < 5


def test_a_filter_that_lets_only_known_connections_pass_breaks_flows_that_were_probed_before(lab):
    """Probes must not be taken for packets of earlier ones: otherwise they would change what is measured."""
    _, watch = watched(
        lab,
        ["nft insert rule ip f c ct state established,related accept"],
        ["nft add rule ip f c drop"],
        ["nft flush chain ip f c", "nft add rule ip f c tcp dport 23 drop"],
    )
    routed = {flow for flow in (*PINGS, WEB, DNS) if "r" not in (flow.source, flow.target)}
    assert [step.number for step in watch.steps] == [2, 3]
    assert flows_of(watch.steps[0].broke) >= routed
    assert watch.wrong_after == ()


def test_a_path_that_was_dead_while_it_was_probed_carries_packets_as_soon_as_it_is_repaired(lab):
    """Neighbors that were asked for in vain must not hide a repair: the probes of both directions find them anew."""
    lab.nodes["r"].run(["ip", "address", "del", "10.0.2.1/24", "dev", "eth2"])
    lab.nodes["h2"].run(["ip", "neighbor", "flush", "all"])
    wrong, watch = watched(lab, ["ip address add 10.0.2.1/24 dev eth2"])
    assert wrong
    assert [(step.late, step.mended) for step in watch.steps] == [(False, tuple(sorted(wrong)))]
