"""What an agent may make a lab hold, forward, write and show: each has a bound, and the lab goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.trial import TrialRecord
from tests.labs.isolation.conftest import small_network
from tests.support.ios import eventually
from tests.support.netns_networks import network

FLOOD = (
    "for a in $(seq 0 39); do (for b in $(seq 0 255); do for c in 0 32 64 96 128 160 192 224; do "
    'echo "route add 20.$a.$b.$c/27 dev eth0"; done; done) | ip -batch - || exit 1; done'
)
SETS = (
    "(echo 'table ip t { set s { type ipv4_addr; elements = {'; "
    'for a in $(seq 0 255); do for b in $(seq 0 255); do echo "20.$a.$b.1, 20.$a.$b.2, 20.$a.$b.3,"; done; done; '
    "echo '9.9.9.9 }'; echo '}'; echo '}') | nft -f -"
)

Verdict = Callable[..., TrialRecord]


@pytest.fixture(scope="module")
def lab() -> Iterator[Any]:
    backend = parts.load("backends", "netns")()
    lack = backend.lacks(request_of(small_network()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    made = backend.deploy(request_of(small_network()))
    yield made
    made.destroy()


# ---- files that root decides by ----


@pytest.mark.parametrize(
    "path",
    ["/etc/ld.so.preload", "/etc/frr/vtysh.conf", "/etc/pam.d/frr", "/etc/passwd", "/usr/bin/x", "/opt/netbench/lib/x"],
)
@pytest.mark.parametrize("line", ["log file {}", "dump bgp all {}", "dump bgp routes-mrt {}"])
def test_a_daemon_cannot_write_what_root_decides_by(lab: Any, path: str, line: str) -> None:
    node = lab.nodes["f1"]
    before = node.run(["cat", path])
    driver = lab.driver("f1") if hasattr(lab, "driver") else parts.load("drivers", "frr")()
    driver.apply(node, ["router bgp 65000", "exit", line.format(path), "interface lo", "description x", "exit"])
    eventually(lambda: node.run(["cat", path]) != before, within_s=0.3)
    assert node.run(["cat", path]) == before
    driver.apply(node, [f"no {line.format(path)}", "no router bgp 65000"])
    assert node.run(["true"]).returncode == 0


def test_a_daemon_keeps_its_own_places(lab: Any) -> None:
    node = lab.nodes["f1"]
    driver = parts.load("drivers", "frr")()
    driver.apply(node, ["log file /var/log/mine.log", "log commands", "interface lo", "description y", "exit"])
    assert eventually(lambda: node.run(["cat", "/var/log/mine.log"]).returncode == 0)
    driver.apply(node, ["no log file"])


# ---- what a node holds ----


def test_a_flood_of_routes_ends_its_command_and_can_be_removed(lab: Any) -> None:
    node = lab.nodes["h1"]
    done = node.shell(FLOOD, writable=True)
    assert "killed: the node holds" in done.stderr
    assert "routes, at most 20000 are permitted" in done.stderr
    # a second of the wall: the shell's own sleep is one of the lab
    again = node.shell("ip route add 30.0.0.0/24 dev eth0; /bin/sleep 1; echo alive", writable=True)
    assert "killed: the node holds" in again.stderr
    assert (
        node.shell(
            "ip route flush root 20.0.0.0/8; ip route flush root 30.0.0.0/8; /bin/sleep 0.5; echo gone", writable=True
        ).stdout
        == "gone\n"
    )


def test_a_flood_of_routes_leaves_a_verdict_in_time(verdict_on: Verdict) -> None:
    verdict_on(lambda ani, brief: ani.update_cfg("h1", [FLOOD]), within_s=60.0)


def test_a_flood_of_sets_leaves_a_verdict_in_time(verdict_on: Verdict) -> None:
    def attack(ani: Any, _brief: Any) -> None:
        for number in range(3):
            ani.update_cfg("h1", [SETS.replace("set s", f"set s{number}")])

    verdict_on(attack, within_s=90.0)


# ---- what a network forwards ----


@pytest.mark.alone
def test_a_bridge_loop_is_cut(lab: Any) -> None:
    node = lab.nodes["h1"]
    loop = (
        "ip link add br0 type bridge; ip link set br0 up; "
        "for n in 1 2; do ip link add v$n type veth peer name w$n; "
        "for e in v$n w$n; do ip link set $e master br0 up; done; done; "
        "ip address add 192.0.2.1/24 dev br0; ping -c 2 -i 0.2 -W 1 -b 192.0.2.255"
    )
    node.shell(loop, writable=True)

    def received() -> int:
        return int(json.loads(node.run(["ip", "-s", "-j", "link", "show", "v1"]).stdout)[0]["stats64"]["rx"]["packets"])

    def has_stopped() -> bool:
        before = received()
        time.sleep(0.2)
        return received() - before < 2

    assert eventually(has_stopped, within_s=15)
    assert received() > 10_000
    node.shell("ip link delete br0; ip link delete v1; ip link delete v2", writable=True)


# ---- what can be seen of the host ----


@pytest.mark.parametrize("writable", [False, True])
def test_the_hosts_command_line_and_disks_cannot_be_seen(lab: Any, writable: bool) -> None:
    for name in ("cmdline", "partitions", "diskstats", "modules"):
        assert lab.nodes["h1"].shell(f"cat /proc/{name}", writable=writable).stdout == "", name
    seen = lab.nodes["h1"].shell("cat /proc/mounts; ls /dev", writable=writable).stdout
    assert "loop" not in seen
    assert lab.nodes["h1"].shell("umount /proc/cmdline", writable=writable).returncode != 0


# ---- prompts ----


@pytest.mark.parametrize("name", ["evil#", "evil>", "a b", "x" * 80, "e\u00e9"])
def test_a_host_name_that_hides_the_prompt_is_refused_at_once(lab: Any, name: str) -> None:
    driver = parts.load("drivers", "frr")()
    began = time.monotonic()
    status = driver.apply(lab.nodes["f1"], [f"hostname {name}"])[0]
    assert status.status == "error"
    assert "% A host name has" in status.message or "printable" in status.message
    assert driver.apply(lab.nodes["f1"], ["hostname good-1"])[0].status == "success"
    assert "% A host name" in driver.apply(lab.nodes["f1"], ["no hostname"])[0].message
    assert time.monotonic() - began < 5


def test_an_expression_behind_a_pipe_ends_in_its_time() -> None:
    from pytest_netbench.platforms.cisco_ios.session.pipes import filtered

    text = "".join(f"{'a' * 40}{n}\n" for n in range(2000))
    began = time.process_time()
    assert "too long" in filtered(text, "include (a+)+(a+)+(a|aa)+$x")
    assert filtered(text, "include " + "(a{99}){99}") == "% Failed to compile regular expression\n"
    assert filtered(text, "include " + "a" * 5000) == "% Failed to compile regular expression\n"
    assert time.process_time() - began < 1


def test_a_network_of_many_kinds_of_links_still_deploys() -> None:
    """Daemons of a node with VRFs see namespaces that were made after them."""
    lab = parts.load("backends", "netns")().deploy(
        request_of(
            network(
                {"R1": "cisco_ios", "h": "linux"},
                ["R1 Gi0/0 - h eth0"],
                {
                    "R1": (
                        "vrf definition A\n address-family ipv4\ninterface Gi0/0\n vrf forwarding A\n ip address"
                        " 10.0.0.1 255.255.255.0\n no shutdown\nip route vrf A 192.0.2.0 255.255.255.0 10.0.0.2\n"
                    ),
                    "h": "ip address add 10.0.0.2/24 dev eth0\n",
                },
            )
        )
    )
    try:
        driver = parts.load("drivers", "cisco_ios")()
        assert "192.0.2.0" in driver.execute(lab.nodes["R1"], "show ip route vrf A")
    finally:
        lab.destroy()
