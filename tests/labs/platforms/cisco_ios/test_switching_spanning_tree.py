"""Spanning tree with packets: rings of switches without broadcast storms, failover in lab time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_netbench.platforms.cisco_ios.areas.switching.state import TreeSettings
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.switches import Switch, SwitchState, access, hosts_and_switches, reaches, tapped, trunk

VLANS = {1: "default", 10: "SALES", 20: "LAB"}
NAMES = ("s1", "s2", "s3")
SCALE = 20


def until(condition: Callable[[], bool], *, lab_s: float) -> float | None:
    """Return the lab seconds until a condition holds, or ``None`` if it does not hold within about ``lab_s``."""
    started = time.monotonic()
    while not condition():
        if (time.monotonic() - started) * SCALE > lab_s + 10:
            return None
        time.sleep(0.02)
    return (time.monotonic() - started) * SCALE


@pytest.fixture(scope="module")
def lab(deploy_task):
    """Three switches in a ring (eth1 clockwise, eth2 the other way), a host in VLAN 10 at each."""
    hosts = {f"h{n}": f"10.0.10.{n}/24" for n in (1, 2, 3)}
    links = [
        *(f"s{n} eth0 - h{n} eth0" for n in (1, 2, 3)),
        "s1 eth1 - s2 eth2",
        "s2 eth1 - s3 eth2",
        "s3 eth1 - s1 eth2",
    ]
    return deploy_task(hosts_and_switches(hosts, NAMES, links), time_scale=SCALE)


@pytest.fixture
def ring(lab):
    """The switches by name, without configuration."""
    switches = {name: Switch(lab.nodes[name]) for name in NAMES}
    yield switches
    for switch in switches.values():
        switch.configure(SwitchState())
    for name in NAMES:
        for port in ("eth0", "eth1", "eth2"):
            lab.nodes[name].run(["ip", "link", "set", port, "up"])


def logged(switch):
    """The messages of a switch's service."""
    (found,) = runner.messages(switch.node, ["switch"]).values()
    return [f"%{m['facility']}-{m['severity']}-{m['mnemonic']}: {m['text']}" for m in found]


def state_of(name, *, mode="pvst", priority=32768, ports=(), edge=True):
    number = int(name[1])
    trees = {vlan: TreeSettings(mode=mode, priority=priority) for vlan in VLANS}
    own = ports or (access("eth0", 10, edge=edge), trunk("eth1"), trunk("eth2"))
    return SwitchState(address=f"02:00:00:00:00:{number:02x}", vlans=VLANS, ports=own, trees=trees)


def settled(ring):
    return lambda: not any(switch.state()["waiting"] for switch in ring.values())


def configure(ring, **states):
    for name, switch in ring.items():
        switch.configure(states.get(name) or state_of(name))


def roles(ring, vlan=10):
    """Return by switch the roles of its two ring ports, ``None`` while their link is down."""
    return {name: tuple(switch.ports(vlan).get(port) for port in ("eth1", "eth2")) for name, switch in ring.items()}


FWD_DESG, FWD_ROOT, BLK = ("designated", "forwarding"), ("root", "forwarding"), ("alternate", "blocking")


@pytest.mark.parametrize("mode", ["pvst", "rapid-pvst"])
def test_the_lowest_address_is_root_and_one_port_of_the_ring_blocks(lab, ring, mode):
    configure(ring, **{name: state_of(name, mode=mode) for name in NAMES})
    with tapped(lab.nodes["h3"], "eth0") as caught:
        lab.nodes["h1"].run(["ping", "-n", "-c", "3", "-i", "0.1", "-W", "0.1", "10.0.10.99"])
        took = until(settled(ring), lab_s=40)
    assert took is not None
    assert roles(ring) == {"s1": (FWD_DESG, FWD_DESG), "s2": (FWD_DESG, FWD_ROOT), "s3": (FWD_ROOT, BLK)}
    if mode == "pvst":
        assert 20 <= took <= 45, "listening and learning take the forward delay each"
    else:
        assert took < 10, "neighbors agree at once"
    questions = [frame for _, frame in caught if frame[12:14] == b"\x08\x06"]
    assert len(questions) <= 6, "no frame went round"
    assert reaches(lab.nodes["h1"], "10.0.10.2")
    assert reaches(lab.nodes["h2"], "10.0.10.3")


@pytest.mark.parametrize(("mode", "within_s"), [("pvst", 35), ("rapid-pvst", 6)])
def test_the_blocked_port_takes_over_when_a_link_of_the_tree_fails(lab, ring, mode, within_s):
    configure(ring, **{name: state_of(name, mode=mode) for name in NAMES})
    assert until(settled(ring), lab_s=40) is not None
    lab.nodes["s3"].run(["ip", "link", "set", "eth1", "down"])
    assert until(lambda: ring["s3"].ports(10).get("eth2") == FWD_ROOT, lab_s=within_s) is not None
    assert reaches(lab.nodes["h3"], "10.0.10.1")
    lab.nodes["s3"].run(["ip", "link", "set", "eth1", "up"])
    assert until(lambda: roles(ring)["s3"] == (FWD_ROOT, BLK), lab_s=45) is not None
    assert reaches(lab.nodes["h3"], "10.0.10.1")


@pytest.mark.parametrize(("mode", "within_s"), [("pvst", 60), ("rapid-pvst", 12)])
def test_a_root_that_falls_silent_is_missed(lab, ring, mode, within_s):
    """Its links stay up, so only timers detect it: 20 s of lab time and twice the forward delay, or three hellos."""
    configure(ring, **{name: state_of(name, mode=mode) for name in NAMES})
    assert until(settled(ring), lab_s=40) is not None
    quiet = tuple(replace(port, silent=True) for port in state_of("s1").ports)
    ring["s1"].configure(state_of("s1", mode=mode, ports=quiet))
    took = until(lambda: ring["s3"].tree(10)["root"]["address"] == "02:00:00:00:00:02", lab_s=within_s)
    assert took is not None
    assert took > (15 if mode == "pvst" else 2)


def test_each_vlan_has_a_tree_of_its_own(ring):
    def state(name, *roots):
        base = state_of(name, mode="rapid-pvst")
        trees = {vlan: replace(tree, priority=4096 if vlan in roots else 32768) for vlan, tree in base.trees.items()}
        return replace(base, trees=trees)

    configure(ring, s1=state("s1"), s2=state("s2", 10), s3=state("s3", 20))
    assert until(settled(ring), lab_s=40) is not None
    assert ring["s2"].tree(10)["root"] == ring["s1"].tree(10)["root"] | {"cost": 0, "port": ""}
    assert ring["s1"].tree(10)["root"]["priority"] == 4106
    assert ring["s1"].tree(20)["root"]["address"] == "02:00:00:00:00:03"
    assert roles(ring, 10)["s2"] == (FWD_DESG, FWD_DESG)
    assert roles(ring, 20)["s3"] == (FWD_DESG, FWD_DESG)


def test_cost_decides_which_port_is_root(ring):
    dear = replace(trunk("eth1"), costs={0: 100})
    ports = (access("eth0", 10, edge=True), dear, trunk("eth2"))
    configure(
        ring,
        s1=state_of("s1", mode="rapid-pvst"),
        s2=state_of("s2", mode="rapid-pvst"),
        s3=state_of("s3", mode="rapid-pvst", ports=ports),
    )
    assert until(lambda: settled(ring)() and roles(ring)["s3"] == (BLK, FWD_ROOT), lab_s=40) is not None
    assert ring["s3"].tree(10)["root"]["cost"] == 8


def test_a_new_root_takes_over_when_its_priority_is_lowered(lab, ring):
    states = {name: state_of(name, mode="rapid-pvst") for name in NAMES}
    configure(ring, **states)
    assert until(settled(ring), lab_s=40) is not None
    ring["s3"].configure(state_of("s3", mode="rapid-pvst", priority=4096))
    took = until(lambda: roles(ring)["s3"] == (FWD_DESG, FWD_DESG) and settled(ring)(), lab_s=10)
    assert took is not None
    assert all(switch.tree(10)["root"]["address"] == "02:00:00:00:00:03" for switch in ring.values())
    assert reaches(lab.nodes["h1"], "10.0.10.2")


def test_classic_and_rapid_switches_agree_on_one_tree(lab, ring):
    configure(ring, s1=state_of("s1"), s2=state_of("s2", mode="rapid-pvst"), s3=state_of("s3", mode="rapid-pvst"))
    assert until(settled(ring), lab_s=60) is not None
    assert roles(ring) == {"s1": (FWD_DESG, FWD_DESG), "s2": (FWD_DESG, FWD_ROOT), "s3": (FWD_ROOT, BLK)}
    assert ring["s2"].tree(10)["ports"]["eth2"]["legacy"]
    assert reaches(lab.nodes["h1"], "10.0.10.3")


def test_a_port_with_bpdu_guard_is_shut_when_it_hears_a_bridge(lab, ring):
    guarded = replace(trunk("eth1"), bpduguard=True)
    ports = (access("eth0", 10, edge=True), guarded, trunk("eth2"))
    configure(ring, s1=state_of("s1"), s2=state_of("s2"), s3=state_of("s3", ports=ports))
    assert until(lambda: ring["s3"].state()["ports"]["eth1"]["disabled"] == "bpduguard", lab_s=10) is not None
    assert until(lambda: "eth2" not in ring["s1"].tree(10)["ports"], lab_s=10) is not None, (
        "its neighbor's link is down"
    )
    assert until(settled(ring), lab_s=40) is not None
    assert reaches(lab.nodes["h3"], "10.0.10.1")
    # shutdown, no shutdown
    ring["s3"].configure(state_of("s3", ports=(ports[0], replace(guarded, up=False, bpduguard=False), ports[2])))
    lab.nodes["s3"].run(["ip", "link", "set", "eth1", "up"])
    ring["s3"].configure(state_of("s3"))
    assert until(
        lambda: ring["s3"].state()["ports"]["eth1"]["disabled"] == "" and "eth1" in ring["s3"].ports(10), lab_s=10
    )


def test_root_guard_keeps_a_better_bridge_from_becoming_root(ring):
    guarded = (access("eth0", 10, edge=True), trunk("eth1"), replace(trunk("eth2"), guard="root"))
    configure(
        ring,
        s1=state_of("s1", mode="rapid-pvst", ports=guarded, priority=8192),
        s2=state_of("s2", mode="rapid-pvst"),
        s3=state_of("s3", mode="rapid-pvst", priority=0, ports=(access("eth0", 10), trunk("eth1"))),
    )
    assert until(lambda: ring["s1"].tree(10)["ports"]["eth2"]["inconsistent"] == "root", lab_s=10) is not None
    assert ring["s1"].tree(10)["root"]["address"] == "02:00:00:00:00:01"
    assert ring["s1"].ports(10)["eth2"] == ("designated", "blocking")


def test_different_native_vlans_are_noticed_and_blocked(ring):
    other = (access("eth0", 10, edge=True), trunk("eth1", native=20), trunk("eth2"))
    configure(ring, s1=state_of("s1"), s2=state_of("s2"), s3=state_of("s3", ports=other))
    assert until(lambda: ring["s3"].tree(20)["ports"]["eth1"]["inconsistent"] == "pvid", lab_s=10) is not None
    assert ring["s3"].tree(1)["ports"]["eth1"]["inconsistent"] == "pvid"
    assert until(settled(ring), lab_s=40) is not None
    assert ring["s3"].tree(20)["ports"]["eth1"]["state"] == "blocking"
    assert ring["s3"].ports(10)["eth1"] == FWD_ROOT, "a VLAN that both ends tag is left alone"


def test_what_trees_block_is_logged_in_the_words_of_captures(ring):
    """The messages of IOS for a native VLAN that differs, and for root guard, in public captures of IOSvL2 and IOL."""
    guarded = (access("eth0", 10, edge=True), trunk("eth1"), replace(trunk("eth2"), guard="root"))
    other = (access("eth0", 10, edge=True), trunk("eth1", native=20), trunk("eth2"))
    configure(
        ring,
        s1=state_of("s1", priority=8192),
        s2=state_of("s2", ports=guarded),
        s3=state_of("s3", ports=other),
    )
    wanted = [
        "%SPANTREE-2-RECV_PVID_ERR: Received BPDU with inconsistent peer vlan id 1 on eth1 VLAN20.",
        "%SPANTREE-2-BLOCK_PVID_PEER: Blocking eth1 on VLAN0001. Inconsistent peer vlan.",
        "%SPANTREE-2-BLOCK_PVID_LOCAL: Blocking eth1 on VLAN0020. Inconsistent local vlan.",
    ]
    assert until(lambda: set(wanted) <= set(logged(ring["s3"])), lab_s=20) is not None, logged(ring["s3"])
    assert [line for line in logged(ring["s3"]) if line in wanted][:3] == wanted
    guard = "%SPANTREE-2-ROOTGUARD_BLOCK: Root guard blocking port eth2 on VLAN0010."
    assert until(lambda: guard in logged(ring["s2"]), lab_s=20) is not None, logged(ring["s2"])
    blocked = "%SPANTREE-2-BLOCK_PVID_LOCAL: Blocking eth2 on VLAN0001. Inconsistent local vlan."
    assert until(lambda: blocked in logged(ring["s1"]), lab_s=20) is not None, logged(ring["s1"])
    configure(ring, s3=state_of("s3"))
    restored = {
        f"%SPANTREE-2-UNBLOCK_CONSIST_PORT: Unblocking eth2 on VLAN{vlan:04d}. Port consistency restored."
        for vlan in (1, 20)
    }
    assert until(lambda: restored <= set(logged(ring["s1"])), lab_s=90) is not None, logged(ring["s1"])


def test_without_spanning_tree_a_ring_storms(lab, ring):
    """The other tests rely on it: the ring is a real one."""
    bare = {name: replace(state_of(name), trees={}) for name in NAMES}
    configure(ring, **bare)
    with tapped(lab.nodes["h3"], "eth0") as caught:
        lab.nodes["h1"].run(["ping", "-n", "-c", "1", "-W", "0.2", "10.0.10.99"])
        for name in NAMES:
            lab.nodes[name].run(["ip", "link", "set", "eth1", "down"])
    assert len([frame for _, frame in caught if frame[12:14] == b"\x08\x06"]) > 20
