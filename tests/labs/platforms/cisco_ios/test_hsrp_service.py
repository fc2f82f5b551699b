"""First-hop redundancy with packets: two routers, a host behind each side, without an IOS command line."""

from __future__ import annotations

import re
import time

import pytest

from pytest_netbench.platforms.cisco_ios.services import runner
from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import Arp
from tests.support.netns_networks import network
from tests.support.wiretap import decoded, frames

VIRTUAL = "10.0.0.254"
V1_MAC = "00:00:0c:07:ac:01"


def redundant(**fields):
    """A host and two routers on one switch; a server behind both routers."""
    configs = {
        "sw": (
            "ip link add br0 type bridge\nip link set br0 up\n"
            + "".join(f"ip link set eth{n} master br0\n" for n in range(3))
        ),
        "h": f"ip address add 10.0.0.10/24 dev eth0\nip route add default via {VIRTUAL}\n",
        "s": (
            "ip link add br0 type bridge\nip link set br0 up\nip link set eth0 master br0\nip link set eth1 master"
            " br0\nip address add 10.9.0.10/24 dev br0\n"
        ),
        **{
            f"r{n}": (
                f"sysctl -w net.ipv4.ip_forward=1\nip address add 10.0.0.{n}/24 dev eth0\n"
                f"ip address add 10.9.0.{n}/24 dev eth1\n"
                # the return path is the same as the forward path
                "nft add table ip nat\nnft 'add chain ip nat out { type nat hook postrouting priority 100; }'\n"
                "nft add rule ip nat out oifname eth1 masquerade\n"
            )
            for n in (1, 2)
        },
    }
    links = ["sw eth0 - h eth0", "sw eth1 - r1 eth0", "sw eth2 - r2 eth0", "r1 eth1 - s eth0", "r2 eth1 - s eth1"]
    return network(dict.fromkeys(configs, "linux"), links, configs, **fields)


def hsrp(**fields):
    return {"fhrp": {"hsrp": [{"interface": "eth0", "group": 1, "address": VIRTUAL, **fields}]}}


def state(node):
    [report] = runner.state(node, "fhrp")["hsrp"]
    return report


def await_states(lab, *, timeout_s=5.0, **wanted):
    """Wait until the groups of nodes reach the given states; lab time runs faster than wall time."""
    deadline = time.monotonic() + timeout_s
    while True:
        seen = {name: state(lab.nodes[name])["state"] for name in wanted}
        if seen == wanted:
            return
        assert time.monotonic() < deadline, f"{seen}, expected {wanted}"
        time.sleep(0.02)


def pinged(node, target, *, count=1):
    done = node.run(["ping", "-c", str(count), "-i", "0.05", "-W", "1", target])
    return done.returncode == 0


@pytest.fixture(scope="module")
def lab(deploy_task):
    lab = deploy_task(redundant())
    configs = {"r1": hsrp(priority=110, preempt=True), "r2": hsrp()}
    for name, config in configs.items():
        runner.apply(lab.nodes[name], {}, config)
    await_states(lab, r1="Active", r2="Standby")
    return lab


def test_the_router_of_the_higher_priority_is_active_and_the_other_is_standby(lab):
    one, other = state(lab.nodes["r1"]), state(lab.nodes["r2"])
    assert (one["active"], one["standby"]["address"]) == ("local", "10.0.0.2")
    assert (other["standby"], other["active"]["address"], other["active"]["priority"]) == ("local", "10.0.0.1", 110)
    assert (one["mac"], one["hello_ms"], one["hold_ms"]) == (V1_MAC, 3000, 10000)


def test_a_host_reaches_the_other_side_through_the_virtual_mac_address(lab):
    host = lab.nodes["h"]
    assert pinged(host, VIRTUAL)
    assert pinged(host, "10.9.0.10")
    assert V1_MAC in host.run(["ip", "neigh", "show", VIRTUAL]).stdout


def test_the_active_router_alone_answers_for_the_virtual_address_and_only_with_the_virtual_mac(lab):
    asker = bytes.fromhex("020000000099")
    question = Arp(packets.ARP_REQUEST, asker, "10.0.0.10", bytes(6), VIRTUAL)
    frame = packets.ethernet(packets.BROADCAST, asker, packets.ETH_ARP, question.pack())
    answers = frames(lab.nodes["h"], "eth0", "0x0806", count=3, seconds=0.3, send=[frame])
    assert [(answer[6:12].hex(":"), Arp.parse(answer[14:]).sender_mac.hex(":")) for answer in answers] == [
        (V1_MAC, V1_MAC)
    ]


def test_tcpdump_reads_the_hellos_as_hsrp(lab):
    hello = next(frame for frame in frames(lab.nodes["h"], "eth0", "ip17", count=2) if frame[6:12].hex(":") == V1_MAC)
    seen = decoded([hello])
    assert re.search(rf"{V1_MAC} > 01:00:5e:00:00:02", seen), seen
    assert "[udp sum ok]" in seen
    assert 'hello 20: state=active group=1 addr=10.0.0.254 hellotime=3s holdtime=10s priority=110 auth="cisco' in seen


def test_a_dead_active_router_is_replaced_after_the_hold_time_of_lab_time(lab):
    host, factor = lab.nodes["h"], lab.time_scale
    lab.nodes["sw"].run(["ip", "link", "set", "eth1", "nomaster"])
    started = time.monotonic()
    await_states(lab, r2="Active")
    passed = (time.monotonic() - started) * factor
    # the last hello was up to three seconds ago; polling and load add to it
    assert 6.5 <= passed <= 10 + 0.25 * factor, passed
    assert pinged(host, "10.9.0.10")
    lab.nodes["sw"].run(["ip", "link", "set", "eth1", "master", "br0"])
    await_states(lab, r1="Active", r2="Standby")


def test_a_router_whose_link_fails_resigns_or_is_missed_and_preempts_when_it_is_back(lab):
    r1 = lab.nodes["r1"]
    r1.run(["ip", "link", "set", "eth0", "down"])
    await_states(lab, r1="Init", r2="Active")
    r1.run(["ip", "link", "set", "eth0", "up"])
    await_states(lab, r1="Active", r2="Standby")
    assert pinged(lab.nodes["h"], "10.9.0.10")


def test_a_lost_tracked_link_lowers_the_priority_and_the_other_preempts(lab):
    r1, r2 = lab.nodes["r1"], lab.nodes["r2"]
    tracking = hsrp(priority=110, preempt=True, tracks=[{"link": "eth1", "decrement": 20}])
    runner.apply(r1, hsrp(priority=110, preempt=True), tracking)
    runner.apply(r2, hsrp(), hsrp(preempt=True))
    r1.run(["ip", "link", "set", "eth1", "down"])
    await_states(lab, r1="Standby", r2="Active")
    assert state(r1)["priority"] == 90
    r1.run(["ip", "link", "set", "eth1", "up"])
    await_states(lab, r1="Active", r2="Standby")
    runner.apply(r1, tracking, hsrp(priority=110, preempt=True))
    runner.apply(r2, hsrp(preempt=True), hsrp())


def test_a_group_that_is_removed_hands_over_at_once_and_leaves_nothing_in_the_kernel(lab):
    r1, former = lab.nodes["r1"], hsrp(priority=110, preempt=True)
    runner.apply(r1, former, {})
    started = time.monotonic()
    await_states(lab, r2="Active")
    assert (time.monotonic() - started) * lab.time_scale < 3 + 0.1 * lab.time_scale
    assert VIRTUAL not in r1.run(["ip", "route", "show", "table", "local"]).stdout
    assert "ios_fhrp" not in r1.run(["nft", "list", "ruleset"]).stdout
    runner.apply(r1, {}, former)
    await_states(lab, r1="Active", r2="Standby")


def test_routers_of_another_password_do_not_hear_each_other(lab):
    r1, former, other = (
        lab.nodes["r1"],
        hsrp(priority=110, preempt=True),
        hsrp(priority=110, preempt=True, text="secret"),
    )
    runner.apply(r1, former, other)
    await_states(lab, r1="Active", r2="Active")
    runner.apply(r1, other, former)
    await_states(lab, r1="Active", r2="Standby")


def test_timers_in_milliseconds_hold_though_packets_of_version_1_cannot_say_them(lab):
    factor = 4.0
    lab.set_pace(factor)
    quick = {"hello_ms": 250, "hold_ms": 800}
    former = {"r1": hsrp(priority=110, preempt=True), "r2": hsrp()}
    fast = {"r1": hsrp(priority=110, preempt=True, **quick), "r2": hsrp(**quick)}
    for name, config in fast.items():
        runner.apply(lab.nodes[name], former[name], config)
    await_states(lab, r1="Active", r2="Standby")
    changes = state(lab.nodes["r2"])["changes"]
    lab.nodes["h"].run(["ping", "-c", "10", "-i", "0.1", VIRTUAL])
    assert state(lab.nodes["r2"])["changes"] == changes
    assert (state(lab.nodes["r2"])["hello_ms"], state(lab.nodes["r2"])["hold_ms"]) == (250, 800)
    for name, config in former.items():
        runner.apply(lab.nodes[name], fast[name], config)
    lab.set_pace(lab.time_scale)
    await_states(lab, r1="Active", r2="Standby")


def test_version_2_has_its_own_groups_addresses_and_digests(lab):
    wanted = {"interface": "eth0", "version": 2, "group": 300, "md5": "k3y", "address": VIRTUAL}
    former = {"r1": hsrp(priority=110, preempt=True), "r2": hsrp()}
    signed = {name: {"fhrp": {"hsrp": [{**wanted, "priority": p}]}} for name, p in (("r1", 110), ("r2", 100))}
    for name, config in signed.items():
        runner.apply(lab.nodes[name], former[name], config)
    await_states(lab, r1="Active", r2="Standby")
    assert state(lab.nodes["r1"])["mac"] == "00:00:0c:9f:f1:2c"
    lab.nodes["h"].run(["ip", "neigh", "flush", "all"])
    assert pinged(lab.nodes["h"], "10.9.0.10")
    for name, config in former.items():
        runner.apply(lab.nodes[name], signed[name], config)
    await_states(lab, r1="Active", r2="Standby")
