"""HSRP and VRRP on IOS routers, tested with packets of a host and with ntc-templates."""

from __future__ import annotations

import time
from contextlib import contextmanager

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios import CiscoIosDriver
from pytest_netbench.platforms.cisco_ios.session import startup
from tests.support.ios import apply_lines, await_that, ios_task

IOS = CiscoIosDriver()
BRIDGE = "ip link add br0 type bridge\nip link set br0 up\n" + "".join(
    f"ip link set eth{n} master br0\n" for n in range(3)
)
LINKS = (
    "sw eth0 - h eth0",
    "sw eth1 - R1 Gi0/0",
    "sw eth2 - R2 Gi0/0",
    "core eth0 - s eth0",
    "core eth1 - R1 Gi0/1",
    "core eth2 - R2 Gi0/1",
)
HOSTS = {
    "sw": BRIDGE,
    "core": BRIDGE,
    "h": "ip address add 10.0.0.10/24 dev eth0\nip route add default via 10.0.0.254\n",
    "s": "ip address add 10.9.0.10/24 dev eth0\nip route add default via 10.9.0.254\n",
}


def router(number, *lan, core=()):
    lines = [
        "interface GigabitEthernet0/0",
        f" ip address 10.0.0.{number} 255.255.255.0",
        *(f" {line}" for line in lan),
        " no shutdown",
        "interface GigabitEthernet0/1",
        f" ip address 10.9.0.{number} 255.255.255.0",
        *(f" {line}" for line in core),
        " no shutdown",
    ]
    return "\n".join([*lines, ""])


def show(lab, name, command):
    return IOS.execute(lab.nodes[name], command)


def parsed(lab, name, command):
    text = show(lab, name, command)
    return parse_output(platform="cisco_ios", command=command, data=text) if text.strip() else []


def reaches(lab, target="10.9.0.10"):
    return lab.nodes["h"].run(["ping", "-n", "-c", "1", "-W", "1", target]).returncode == 0


def await_states(lab, command, **wanted):
    def seen():
        return {name: {entry["state"] for entry in parsed(lab, name, command)} for name in wanted}

    await_that(
        lambda: seen() == {name: {state} for name, state in wanted.items()}, lambda: f"{seen()}, expected {wanted}"
    )


@contextmanager
def unplugged(lab, router):
    """A router whose links are cut at the switches on both sides, so that its own links stay up."""
    port = {"R1": "eth1", "R2": "eth2"}[router]
    for switch in ("sw", "core"):
        lab.nodes[switch].run(["ip", "link", "set", port, "nomaster"])
    try:
        yield
    finally:
        for switch in ("sw", "core"):
            lab.nodes[switch].run(["ip", "link", "set", port, "master", "br0"])


def outage_of(lab, router):
    """Return the lab seconds of the host's outage after a router is lost."""
    with unplugged(lab, router):
        started = time.monotonic()
        await_that(
            lambda: lab.nodes["h"].run(["ping", "-n", "-c", "1", "-W", "0.1", "10.9.0.10"]).returncode == 0,
            lambda: "no failover",
        )
        return (time.monotonic() - started) * lab.time_scale


@pytest.fixture(scope="module")
def hsrp(deploy_task):
    both = ("standby {n} preempt",)
    sides = {side: [line.format(n=side + 1) for line in both] for side in (0, 1)}
    configs = {
        "R1": router(
            1,
            "standby 1 ip 10.0.0.254",
            "standby 1 priority 110",
            "standby 1 track GigabitEthernet0/1 20",
            *sides[0],
            core=("standby 2 ip 10.9.0.254", "standby 2 priority 110", *sides[1]),
        ),
        "R2": router(2, "standby 1 ip 10.0.0.254", *sides[0], core=("standby 2 ip 10.9.0.254", *sides[1])),
    }
    return deploy_task(ios_task(configs, LINKS, hosts=HOSTS))


def test_a_lab_is_ready_when_hsrp_has_elected(hsrp):
    assert [entry["state"] for entry in parsed(hsrp, "R1", "show standby brief")] == ["Active", "Active"]
    assert [entry["state"] for entry in parsed(hsrp, "R2", "show standby brief")] == ["Standby", "Standby"]
    assert reaches(hsrp)


def test_show_standby_says_all_that_ntc_templates_reads(hsrp):
    [entry, _] = parsed(hsrp, "R1", "show standby")
    assert entry["interface"] == "GigabitEthernet0/0"
    assert (entry["group"], entry["state"], entry["virtual_ip"]) == ("1", "Active", "10.0.0.254")
    assert (entry["active_virtual_mac"], entry["local_virtual_mac"]) == ("0000.0c07.ac01", "0000.0c07.ac01")
    assert (entry["hello_time"], entry["hold_time"], entry["preemption"]) == ("3", "10", "enabled")
    assert (entry["active_router"], entry["standby_router"], entry["priority"]) == ("local", "10.0.0.2", "110")
    assert (entry["track_type"], entry["track_item"], entry["track_state"]) == ("interface", "GigabitEthernet0/1", "Up")
    assert entry["track_decrement_time"] == "20"
    assert entry["group_name"] == "hsrp-Gi0/0-1"


def test_hsrp_fails_over_within_the_hold_time_of_lab_time_and_goes_back(hsrp):
    outage = outage_of(hsrp, "R1")
    # between hold time minus hello time, and hold time; two cores and pings of 0.1 s add to it
    assert 6.5 <= outage <= 10 + 0.35 * hsrp.time_scale, outage
    await_states(hsrp, "show standby brief", R1="Active", R2="Standby")
    assert reaches(hsrp)


def test_a_tracked_interface_that_goes_down_hands_over(hsrp):
    apply_lines(hsrp.nodes["R1"], "interface gi0/1", "shutdown")
    await_that(
        lambda: parsed(hsrp, "R2", "show standby brief")[0]["state"] == "Active",
        lambda: show(hsrp, "R2", "show standby"),
    )
    assert parsed(hsrp, "R1", "show standby")[0]["priority"] == "90"
    # the core side gets no hello about the change: its hold time must pass
    await_that(lambda: reaches(hsrp), lambda: "the host reaches nothing")
    apply_lines(hsrp.nodes["R1"], "interface gi0/1", "no shutdown")
    await_states(hsrp, "show standby brief", R1="Active", R2="Standby")


def test_an_inbound_access_list_of_the_interface_judges_what_comes_to_the_virtual_router(hsrp):
    apply_lines(hsrp.nodes["R1"], "access-list 150 deny icmp any host 10.9.0.10", "access-list 150 permit ip any any")
    apply_lines(hsrp.nodes["R1"], "interface gi0/0", "ip access-group 150 in")
    assert not reaches(hsrp)
    assert reaches(hsrp, "10.9.0.2")
    apply_lines(hsrp.nodes["R1"], "interface gi0/0", "no ip access-group 150 in")
    assert reaches(hsrp)


def test_a_group_that_is_removed_is_gone_and_the_config_is_as_before(hsrp):
    before = IOS.running_config(hsrp.nodes["R2"])
    apply_lines(hsrp.nodes["R2"], "interface gi0/0", "no standby 1")
    assert [entry["group"] for entry in parsed(hsrp, "R2", "show standby brief")] == ["2"]
    apply_lines(hsrp.nodes["R2"], "interface gi0/0", "standby 1 ip 10.0.0.254", "standby 1 preempt")
    assert IOS.running_config(hsrp.nodes["R2"]) == before
    await_states(hsrp, "show standby brief", R1="Active", R2="Standby")


def test_version_2_and_md5_run_between_routers(hsrp):
    for name in ("R1", "R2"):
        apply_lines(
            hsrp.nodes[name],
            "interface gi0/0",
            "no standby 1",
            "standby version 2",
            "standby 400 ip 10.0.0.254",
            "standby 400 timers 1 3",
            "standby 400 authentication md5 key-string s3cret",
        )
    await_that(
        lambda: {parsed(hsrp, n, "show standby")[0]["state"] for n in ("R1", "R2")} == {"Active", "Standby"},
        lambda: "no election",
    )
    entry = parsed(hsrp, "R1", "show standby")[0]
    assert (entry["version"], entry["authentication"], entry["local_virtual_mac"]) == ("2", "MD5", "0000.0c9f.f190")
    await_that(lambda: reaches(hsrp), lambda: "the host reaches nothing")


def test_a_reload_keeps_the_group(hsrp):
    node = hsrp.nodes["R2"]
    IOS.apply(node, ["do write memory"])
    startup.reload(node.memory["cisco_ios"])
    assert node.memory["cisco_ios"].problems == []
    await_that(
        lambda: {parsed(hsrp, n, "show standby")[0]["state"] for n in ("R1", "R2")} == {"Active", "Standby"},
        lambda: "no election",
    )


@pytest.fixture(scope="module")
def vrrp(deploy_task):
    configs = {
        "R1": router(
            1, "vrrp 1 ip 10.0.0.254", "vrrp 1 priority 120", core=("vrrp 2 ip 10.9.0.254", "vrrp 2 priority 120")
        ),
        "R2": router(2, "vrrp 1 ip 10.0.0.254", core=("vrrp 2 ip 10.9.0.254",)),
    }
    return deploy_task(ios_task(configs, LINKS, hosts=HOSTS))


def test_vrrp_elects_and_says_so_as_ntc_templates_reads(vrrp):
    assert [entry["state"] for entry in parsed(vrrp, "R1", "show vrrp brief")] == ["Master", "Master"]
    entry = parsed(vrrp, "R2", "show vrrp all")[0]
    assert (entry["state"], entry["master_ip_address"], entry["master_priority"]) == ("Backup", "10.0.0.1", "120")
    assert (entry["virtual_mac_address"], entry["adv_interval"]) == ("0000.5e00.0101", "1.000")
    assert entry["master_down_interval"] == "3.609"
    assert reaches(vrrp)


def test_vrrp_fails_over_within_the_master_down_interval_of_lab_time(vrrp):
    outage = outage_of(vrrp, "R1")
    assert 2.0 <= outage <= 3.7 + 0.35 * vrrp.time_scale, outage
    await_states(vrrp, "show vrrp brief", R1="Master", R2="Backup")


def test_empty_shows_parse(vrrp):
    assert parsed(vrrp, "R1", "show standby") == []
    assert show(vrrp, "R1", "show standby brief").endswith("Virtual IP\n")
