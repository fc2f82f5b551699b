"""VLANs, trunks, SVIs and subinterfaces with packets, without an IOS command line."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.platforms.capabilities import LOGS
from tests.support.ios import eventually
from tests.support.switches import Subinterface, Switch, SwitchState, access, hosts_and_switches, reaches, tapped, trunk

VLANS = {1: "default", 10: "SALES", 20: "LAB"}
SVIS = {"vl10": "10.0.10.1/24", "vl20": "10.0.20.1/24"}


def is_ping(frame: bytes) -> bool:
    return frame[12:14] == b"\x08\x00" and frame[23] == 1


@pytest.fixture(scope="module")
def lab(deploy_task):
    """Hosts a and b in VLAN 10, c and d in VLAN 20, a and c on switch s1, b and d on s2, a trunk between them."""
    hosts = {"a": "10.0.10.11/24", "b": "10.0.10.12/24", "c": "10.0.20.11/24", "d": "10.0.20.12/24"}
    links = ["s1 eth0 - a eth0", "s1 eth1 - c eth0", "s2 eth0 - b eth0", "s2 eth1 - d eth0", "s1 eth2 - s2 eth2"]
    return deploy_task(hosts_and_switches(hosts, ["s1", "s2"], links), time_scale=20)


@pytest.fixture(scope="module")
def switches(lab):
    return Switch(lab.nodes["s1"]), Switch(lab.nodes["s2"])


def two_vlans(*, allowed=(), native=1, **more):
    ports = (access("eth0", 10), access("eth1", 20), trunk("eth2", *allowed, native=native))
    return SwitchState(vlans=VLANS, ports=ports, **more)


def set_up(switches, state, other=None, addresses=({}, {})):
    for switch, wanted, own in zip(switches, (state, other or state), addresses, strict=True):
        switch.configure(wanted, own)


def test_a_vlan_reaches_over_the_trunk_and_no_other_does(lab, switches):
    set_up(switches, two_vlans())
    a, c = lab.nodes["a"], lab.nodes["c"]
    assert reaches(a, "10.0.10.12")
    assert reaches(c, "10.0.20.12")
    # were the VLANs one, these would be neighbors
    a.run(["ip", "address", "add", "10.0.20.99/24", "dev", "eth0"])
    assert not reaches(a, "10.0.20.12")
    a.run(["ip", "address", "del", "10.0.20.99/24", "dev", "eth0"])


def test_tags_are_on_the_wire_but_for_the_native_vlan(lab, switches):
    set_up(switches, two_vlans(native=20))
    for host, address, tag in (("a", "10.0.10.12", 10), ("c", "10.0.20.12", 0)):
        with tapped(lab.nodes["s2"], "eth2") as caught:
            assert reaches(lab.nodes[host], address)
        assert {seen for seen, frame in caught if is_ping(frame)} == {tag}


def test_a_vlan_that_is_not_allowed_stays_off_the_trunk(lab, switches):
    set_up(switches, two_vlans(allowed=(20,)))
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    assert reaches(lab.nodes["c"], "10.0.20.12")
    set_up(switches, two_vlans(allowed=(10, 20)))
    assert reaches(lab.nodes["a"], "10.0.10.12")


def test_different_native_vlans_join_two_vlans(lab, switches):
    """Without spanning tree nothing prevents it, as on a real switch."""
    set_up(switches, two_vlans(native=10), two_vlans(native=20))
    lab.nodes["d"].run(["ip", "address", "add", "10.0.10.99/24", "dev", "eth0"])
    assert reaches(lab.nodes["a"], "10.0.10.99")
    lab.nodes["d"].run(["ip", "address", "del", "10.0.10.99/24", "dev", "eth0"])


def test_a_vlan_that_does_not_exist_carries_nothing(lab, switches):
    state = SwitchState(vlans={1: "default", 20: "LAB"}, ports=two_vlans().ports)
    set_up(switches, state)
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    set_up(switches, two_vlans())
    assert reaches(lab.nodes["a"], "10.0.10.12")


def test_changing_one_vlan_does_not_interrupt_another(lab, switches):
    set_up(switches, two_vlans())
    assert reaches(lab.nodes["c"], "10.0.20.12")
    lab.nodes["c"].start(["ping", "-n", "-c", "60", "-i", "0.02", "-W", "1", "10.0.20.12"], lab_time=False)
    for allowed in ((20,), (10, 20), (20,), (10, 20)):
        set_up(switches, two_vlans(allowed=allowed))
    logs = lab.nodes["c"].capability(LOGS)
    assert eventually(lambda: "packets transmitted" in logs.log("ping"))
    assert " 0% packet loss" in logs.log("ping")


def test_addresses_are_learned_where_they_are(lab, switches):
    set_up(switches, two_vlans())
    assert reaches(lab.nodes["a"], "10.0.10.12")
    learned = {(entry["vlan"], entry["port"]) for entry in switches[0].addresses() if not entry["static"]}
    assert {(10, "eth0"), (10, "eth2")} <= learned
    switches[0].node.vty([("ios-switch", "switch clear addresses")])
    assert [entry for entry in switches[0].addresses() if entry["vlan"] == 10] == []


def test_unicast_does_not_reach_bystanders(lab, switches):
    ports = (access("eth0", 10), access("eth1", 10), trunk("eth2"))
    state = SwitchState(vlans=VLANS, ports=ports)
    set_up(switches, state)
    assert reaches(lab.nodes["a"], "10.0.10.12")
    with tapped(lab.nodes["c"], "eth0") as caught:
        assert reaches(lab.nodes["a"], "10.0.10.12", count=5)
    assert [frame for _, frame in caught if is_ping(frame)] == []


def test_svis_route_between_vlans_and_only_they_answer_for_their_addresses(lab, switches):
    state = two_vlans(svis={"vl10": 10, "vl20": 20})
    set_up(switches, state, two_vlans(), (SVIS, {}))
    s1 = lab.nodes["s1"]
    s1.run(["sysctl", "-w", "net.ipv4.ip_forward=1"])
    for host, gateway in (("a", "10.0.10.1"), ("d", "10.0.20.1")):
        lab.nodes[host].run(["ip", "route", "replace", "default", "via", gateway])
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.1"))
    assert reaches(lab.nodes["a"], "10.0.20.12")
    vl10 = json.loads(s1.run(["ip", "-j", "link", "show", "dev", "vl10"]).stdout)[0]["address"]
    lab.nodes["a"].run(["ip", "neigh", "flush", "all"])
    with tapped(lab.nodes["a"], "eth0") as caught:
        assert reaches(lab.nodes["a"], "10.0.10.1")
    replies = [frame for _, frame in caught if frame[12:14] == b"\x08\x06" and frame[21] == 2]
    assert {frame[22:28].hex(":") for frame in replies} == {vl10}


def test_an_svi_is_up_only_while_a_port_of_its_vlan_is(lab, switches):
    set_up(switches, two_vlans(allowed=(20,), svis={"vl10": 10, "vl20": 20}), two_vlans(), (SVIS, {}))
    s1 = lab.nodes["s1"]

    def carrier(name: str) -> bool:
        return "LOWER_UP" in s1.run(["ip", "link", "show", "dev", name]).stdout

    assert eventually(lambda: carrier("vl10") and carrier("vl20"))
    s1.run(["ip", "link", "set", "eth0", "down"])
    assert eventually(lambda: not carrier("vl10"))
    assert carrier("vl20")
    s1.run(["ip", "link", "set", "eth0", "up"])
    assert eventually(lambda: carrier("vl10"))


def test_a_router_on_a_stick_routes_between_vlans_and_keeps_what_is_untagged(deploy_task):
    hosts = {"a": "10.0.10.11/24", "c": "10.0.20.11/24", "m": "10.0.1.11/24"}
    links = ["s eth0 - a eth0", "s eth1 - c eth0", "s eth2 - m eth0", "s eth3 - r eth0"]
    lab = deploy_task(hosts_and_switches(hosts, ["s", "r"], links), time_scale=20)
    ports = (access("eth0", 10), access("eth1", 20), access("eth2", 1), trunk("eth3"))
    Switch(lab.nodes["s"]).configure(SwitchState(vlans=VLANS, ports=ports))
    r = lab.nodes["r"]
    r.run(["sysctl", "-w", "net.ipv4.ip_forward=1"])
    r.run(["ip", "address", "add", "10.0.1.1/24", "dev", "eth0"])
    subs = tuple(Subinterface(name=f"eth0.{vlan}", parent="eth0", tag=vlan) for vlan in (10, 20))
    router = Switch(r)
    router.configure(SwitchState(subinterfaces=subs), {"eth0.10": "10.0.10.1/24", "eth0.20": "10.0.20.1/24"})
    for name, gateway in (("a", "10.0.10.1"), ("c", "10.0.20.1"), ("m", "10.0.1.1")):
        lab.nodes[name].run(["ip", "route", "replace", "default", "via", gateway])
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.20.11"))
    assert reaches(lab.nodes["m"], "10.0.10.11"), "untagged traffic reaches the parent's own stack"
    # the parent goes down, and its subinterfaces with it
    r.run(["ip", "link", "set", "eth0", "down"])
    assert eventually(lambda: "LOWER_UP" not in r.run(["ip", "link", "show", "dev", "eth0.10"]).stdout)
    r.run(["ip", "link", "set", "eth0", "up"])
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.20.11"))
    # one subinterface goes, the other stays
    router.configure(SwitchState(subinterfaces=subs[:1]), {"eth0.10": "10.0.10.1/24"})
    assert not reaches(lab.nodes["a"], "10.0.20.11")
    assert reaches(lab.nodes["a"], "10.0.10.1")


def test_a_native_subinterface_has_what_is_untagged_to_itself(deploy_task):
    links = ["s eth0 - a eth0", "s eth1 - r eth0"]
    lab = deploy_task(hosts_and_switches({"a": "10.0.10.11/24"}, ["s", "r"], links), time_scale=20)
    ports = (access("eth0", 10), trunk("eth1", native=10))
    Switch(lab.nodes["s"]).configure(SwitchState(vlans=VLANS, ports=ports))
    sub = Subinterface(name="eth0.10", parent="eth0", tag=0)
    Switch(lab.nodes["r"]).configure(SwitchState(subinterfaces=(sub,)), {"eth0.10": "10.0.10.1/24"})
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.1"))
    done = lab.nodes["a"].run(["ping", "-n", "-c", "3", "-i", "0.05", "10.0.10.1"])
    assert "DUP" not in done.stdout
    assert "3 received" in done.stdout


def test_whole_segments_and_large_transfers_pass_a_trunk(lab, switches):
    set_up(switches, two_vlans())
    lab.nodes["b"].start(["iperf3", "-s", "-1"], lab_time=False)
    done = None

    def measured() -> bool:
        nonlocal done
        done = lab.nodes["a"].run(["iperf3", "-c", "10.0.10.12", "-t", "1", "-f", "m"])
        return done.returncode == 0

    assert eventually(measured), done
    assert done is not None
    megabits = float(done.stdout.split("receiver")[0].rsplit("MBytes", 1)[1].split()[0])
    assert megabits > 100, done.stdout
