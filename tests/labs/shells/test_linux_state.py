"""The network of a real Linux host: cleared for a task, changed by whoever works on it, and put back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.linux_state import LinuxState
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Endpoint, Link, Node, Topology
from pytest_netbench.platforms.linux.driver import LinuxDriver

BEFORE = """
ip link set mgmt0 up; ip address add 192.0.2.9/24 dev mgmt0; ip route add default via 192.0.2.1
ip link set eth1 mtu 1400 up; ip link set eth2 up; ip link add br0 type bridge; ip link set eth2 master br0
ip link set br0 up
ip address add 10.0.0.5/24 dev eth1; ip address add 10.0.0.1/24 dev eth1
ip address add 10.9.0.1 peer 10.9.0.2/32 dev eth1
ip address add 10.8.0.1/24 broadcast 10.8.0.255 dev br0; ip address add 10.7.7.7/32 dev lo
ip -6 address add 2001:db8::1/64 dev eth1 nodad; ip -6 address add 2001:db8::2/64 dev eth1 nodad
ip route add 10.5.0.0/16 nexthop via 10.0.0.2 nexthop via 10.0.0.3 weight 2
ip route add 10.55.0.0/16 via 10.0.0.7 metric 50; ip route add blackhole 10.6.0.0/16
ip route add 10.66.0.0/16 via 10.8.0.9
ip -6 route add 2001:db8:5::/48 via 2001:db8::9
ip route add default via 10.0.0.2 table 100; ip rule add pref 1000 from 10.0.0.0/8 lookup 100
ip neighbor replace 10.0.0.9 dev eth1 lladdr 02:00:00:00:00:01 nud permanent
sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.eth1.rp_filter=2 net.ipv4.conf.eth2.proxy_arp=1
nft -f - <<'N'
table inet f {
  set seen { type ipv4_addr; flags dynamic,timeout; timeout 1m; }
  chain c { type filter hook input priority 0; policy accept; tcp dport { 80, 443 } counter accept comment "a b"; }
}
N
"""
TASK = "ip address add 10.0.0.1/30 dev eth1\nip route add 10.20.0.0/16 via 10.0.0.2\nsysctl -w net.ipv4.ip_forward=1\n"
CHANGES = {
    "nothing more": "true",
    "addresses": "ip address flush dev eth1; ip -6 address add fe80::7/64 dev eth1; ip address add 10.1.1.1/8 dev lo",
    "the kernel's own addresses": "ip -6 address flush dev eth1 scope link; ip address flush dev lo",
    "links": "ip link add v0 type veth peer name v1; ip link add d0 type bridge;"
    " ip link delete br0; ip link set eth1 down",
    "the other interface": "ip address delete 10.8.0.1/24 dev br0; ip link set eth2 nomaster down",
    "hardware": "ip link set eth1 down; ip link set eth1 address 02:00:00:00:77:01 mtu 1300 up",
    "rules and routes": "ip rule flush; ip rule add pref 5 from all lookup main; ip route flush table main proto boot",
    "neighbors": "ip neighbor flush nud permanent dev eth1; ip neighbor add 10.0.0.3 lladdr 02:00:00:00:00:09 dev eth1",
    "settings": "sysctl -qw net.ipv4.ip_forward=0 net.ipv6.conf.all.forwarding=1 net.ipv4.conf.all.rp_filter=1",
    "filters": "nft flush ruleset; nft add table ip x; nft add chain ip x y { type filter hook output priority 0 \\; }",
    "shaping": "tc qdisc add dev eth1 root tbf rate 1mbit burst 10k latency 50ms; tc qdisc add dev eth2 ingress",
}


class Machine(NamedTuple):
    run: Any
    node: ShellNode
    state: LinuxState


@pytest.fixture
def machine(new_host: Any, cable: Any) -> Iterator[Machine]:
    host, other = new_host(), new_host()
    for name in ("mgmt0", "eth1", "eth2"):
        cable(host, name, other, name)
        other.run("ip", "link", "set", name, "up")
    host.run("bash", "-ec", BEFORE)
    assert eventually(lambda: "state UP" in host.run("ip", "link", "show", "br0"))
    topology = Topology(
        nodes=(Node(name="h"), Node(name="o")),
        links=(Link(endpoints=(Endpoint(node="h", interface="eth1"), Endpoint(node="o", interface="eth1"))),),
    )
    node = ShellNode(name="h", platform="linux", topology=topology, connect=host.line)
    yield Machine(host.run, node, LinuxState(node, ("eth1",), "mgmt0"))
    node.close()


def seen(machine: Machine) -> list[str]:
    """What a person would look at, from outside of the code that is tested."""
    shown = machine.run(
        "bash",
        "-c",
        "ip -br -4 address; ip -br link; ip -6 -o address show scope global; ip route show table all proto boot"
        "; ip -6 route show table all proto boot; ip rule; ip neigh show nud permanent; nft list ruleset"
        "; sysctl net.ipv4.ip_forward net.ipv4.conf.mgmt0.forwarding net.ipv4.conf.eth1.rp_filter; tc qdisc",
    )
    return sorted(line for line in str(shown).splitlines() if "counter packets" not in line)


def seen_after(machine: Machine, before: list[str]) -> list[str]:
    """What is seen once the kernel has announced carrier, which it does from a work queue: late on a busy machine."""
    return poll(lambda: seen(machine), until=before.__eq__, within_s=20, pause_s=0.1)


def eventually(condition: Callable[[], bool]) -> bool:
    return bool(poll(condition, until=bool, within_s=20, pause_s=0.1))


def firm(facts: str) -> list[str]:
    """Without the addresses that the kernel gives interfaces some time after they are up."""
    return [line for line in facts.splitlines() if not line.endswith(" generated")]


@pytest.mark.parametrize("change", CHANGES)
def test_a_host_is_put_back_whatever_was_changed(machine: Machine, change: str) -> None:
    before, saved = seen(machine), machine.state.running()
    machine.state.clear()
    assert LinuxDriver().boot(machine.node, TASK) == []
    assert machine.run("ip", "-br", "-4", "address", "show", "eth1").split()[2:] == ["10.0.0.1/30"]
    machine.run("bash", "-c", CHANGES[change])
    machine.state.restore(saved)
    assert firm(machine.state.running()) == firm(saved)
    assert seen_after(machine, before) == before


def test_routes_outlive_an_address_of_the_kernel_that_is_given_back(machine: Machine) -> None:
    assert eventually(lambda: "address eth1 generated" in machine.state.running().splitlines())
    before, saved = seen(machine), machine.state.running()
    machine.run("ip", "-6", "address", "flush", "dev", "eth1", "scope", "link")
    machine.state.restore(saved)
    assert seen_after(machine, before) == before
    assert eventually(lambda: machine.state.running() == saved)


def test_a_cleared_host_keeps_its_management_and_what_the_task_does_not_use(machine: Machine) -> None:
    machine.state.clear()
    assert "192.0.2.9/24" in machine.run("ip", "address", "show", "mgmt0")
    assert machine.run("ip", "route", "show").splitlines() == [
        "default via 192.0.2.1 dev mgmt0 ",
        "10.8.0.0/24 dev br0 proto kernel scope link src 10.8.0.1 ",
        "10.66.0.0/16 via 10.8.0.9 dev br0 ",
        "192.0.2.0/24 dev mgmt0 proto kernel scope link src 192.0.2.9 ",
    ]
    assert machine.run("nft", "list", "ruleset") == ""
    assert machine.run("sysctl", "-n", "net.ipv4.ip_forward", "net.ipv4.conf.eth2.proxy_arp") == "0\n1\n"
    config = LinuxDriver().running_config(machine.node)
    assert "eth1" not in config


def test_what_could_not_be_put_back_is_refused_before_anything_is_changed(machine: Machine) -> None:
    machine.run("tc", "qdisc", "add", "dev", "eth1", "root", "tbf", "rate", "1mbit", "burst", "10k", "latency", "50ms")
    before = machine.state.running()
    with pytest.raises(LabError, match="h: eth1 has queueing disciplines, which could not be put back"):
        machine.state.clear()
    machine.run("tc", "qdisc", "delete", "dev", "eth1", "root")
    machine.run("ip", "address", "add", "10.3.0.1/24", "dev", "eth1", "valid_lft", "100", "preferred_lft", "100")
    with pytest.raises(LabError, match="h: eth1 has an address of a DHCP server"):
        machine.state.clear()
    assert [line for line in before.splitlines() if "qdisc" not in line] == machine.state.running().splitlines()


def test_what_cannot_be_put_back_is_named(machine: Machine) -> None:
    saved = machine.state.running()
    machine.run("ip", "link", "delete", "eth2")
    with pytest.raises(LabError, match=r"h: facts differ from what was saved:\n(?s:.*)\+ link eth2 up"):
        machine.state.restore(saved)
