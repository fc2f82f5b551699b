"""Mistakes of tasks that load: interfaces and addresses of configurations, protocols, missing testcases."""

from __future__ import annotations

import pytest

from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.places import Places
from pytest_netbench.taskfile.review import review

TESTCASES = "testcases:\n  - {name: t, kind: reachability, from: A, to: B}\n"


@pytest.fixture
def findings(write):
    """What is found in a task of two nodes, A and B, of which A is configured."""

    def _findings(platform, config="", *, port="eth0", truth=(), other="", testcases=TESTCASES):
        text = "task_name: T\nintents: [x]\ntopology:\n"
        text += f"  nodes: [{{name: A, platform: {platform}}}, {{name: B, platform: linux}}]\n"
        text += f"  links: ['A {port} <-> B eth0']\nstartup_configs:\n  A: |\n"
        text += "".join(f"    {line}\n" for line in ("!" if platform != "linux" else "#", *config.split("\n")))
        text += f"  B: |\n    #\n    {other}\nground_truth_configs:\n  A:\n    - '!'\n"
        text += "".join(f"    - '{line}'\n" for line in truth) + testcases
        path = write(text)
        return [str(one) for one in review(load_task(path), Places(path))]

    return _findings


GIGABIT = "GigabitEthernet0/0"


@pytest.mark.parametrize(
    ("platform", "port", "line", "said"),
    [
        ("frr", "eth0", "interface eth7", "9:15: A: unknown interface with a link 'eth7' (known: 'eth0')."),
        ("frr", "eth0", " ip address 10.0.0.1/33", "9:17: A: '10.0.0.1/33': the prefix length of an IPv4 address is 0"),
        ("frr", "eth0", " ip address 10.0.0.1", "9:17: A: '10.0.0.1' has no prefix length; write it like 10.0.0.1/24"),
        ("frr", "eth0", " ipv6 address 2001:db8::1/129", "9:19: A: '2001:db8::1/129': the prefix length of an IPv6"),
        ("frr", "eth0", " ipv6 address 2001:dg8::1/64", "9:19: A: '2001:dg8::1' is no IP address"),
        ("frr", "eth0", " ip address 10.0.0.256/24", "9:17: A: '10.0.0.256' is no IP address"),
        ("frr", "eth0", " network 10.0.0.0/40 area 0", "9:14: A: '10.0.0.0/40': the prefix length of an IPv4 address"),
        ("frr", "eth0", " passive-interface eth9", "9:24: A: unknown interface with a link 'eth9'"),
        ("linux", "eth0", "ip address add 10.0.0.1/33 dev eth0", "9:20: A: '10.0.0.1/33': the prefix length"),
        ("linux", "eth0", "ip a add 10.0.1/24 dev eth0", "9:14: A: '10.0.1' is no IP address"),
        ("linux", "eth0", "ip addr add 10.0.0.1/24 dev eth7", "9:33: A: unknown interface with a link 'eth7'"),
        ("linux", "eth0", "ip link set eth1 up", "9:17: A: unknown interface with a link 'eth1' (known: 'eth0')."),
        ("linux", "eth0", "ip -6 addr add 2001:db8::1/200 dev eth0", "9:20: A: '2001:db8::1/200': the prefix length"),
        ("linux", "eth0", "ip route add 10.1.0.1/24 dev eth0", "9:18: A: '10.1.0.1/24' is no network, as it has host"),
        ("linux", "eth0", "ip route add default via 10.0.0.300", "9:30: A: '10.0.0.300' is no IP address"),
        ("openvswitch", "eth0", "ovs-vsctl add-port br0 eth5", "9:28: A: unknown interface with a link 'eth5'"),
        (
            "cisco_ios",
            GIGABIT,
            "interface GigabitEthernet0/7\n ip address 10.0.0.1 255.0.0.0",
            "9:15: A: unknown interf",
        ),
        ("cisco_ios", GIGABIT, "interface Gi0/7\n ip address 10.0.0.1 255.0.0.0", "9:15: A: unknown interface with a"),
        ("cisco_ios", GIGABIT, "interface GigabitEthernet0/7.10\n ip address 10.0.0.1 255.0.0.0", "9:15: A: unknown"),
        ("cisco_ios", GIGABIT, " ip address 10.0.0.1 255.255.255.253", "9:26: A: '255.255.255.253' is no subnet mask"),
        ("cisco_ios", GIGABIT, " ip address 10.0.0.1 255.255.255.256", "9:26: A: '255.255.255.256' is no subnet mask"),
        ("cisco_ios", GIGABIT, " ip address 10.0.300.1 255.255.255.0", "9:17: A: '10.0.300.1' is no IP address"),
        ("cisco_ios", GIGABIT, " ipv6 address 2001:DB8::1/129", "9:19: A: '2001:DB8::1/129': the prefix length"),
        ("cisco_ios", GIGABIT, " passive-interface GigabitEthernet0/3", "9:24: A: unknown interface with a link"),
        (
            "cisco_ios",
            "Gig0/0",
            "interface GigabitEthernet0/0",
            "5:11: link 'A Gig0/0 <-> B eth0': the configuration of A",
        ),
        (
            "cisco_ios",
            "eth0",
            "interface GigabitEthernet0/0",
            "5:11: link 'A eth0 <-> B eth0': 'eth0' is interface 'Eth",
        ),
    ],
)
def test_a_mistake_of_a_startup_config_is_told_with_its_place(findings, platform, port, line, said):
    found = findings(platform, line, port=port)
    assert len(found) == 1
    assert found[0].startswith(said)


@pytest.mark.parametrize(
    ("platform", "port", "config"),
    [
        ("frr", "eth0", "interface lo\n ip address 10.0.0.1/32\ninterface eth0\n ip address 10.0.0.5/31"),
        ("frr", "eth0", "interface eth0\n description to 10.0.0.999/44 at eth7\nip route 10.0.0.0/8 Null0"),
        ("frr", "eth0", "vrf red\ninterface red\n ip address 10.0.0.1/24\ninterface eth0.10"),
        ("frr", "eth0", "router ospf\n passive-interface default\n no passive-interface eth0\nfrr version 8.4.4.1"),
        (
            "linux",
            "eth0",
            "ip link add name br0 type bridge\nip link set eth0 master br0\nip addr add 10.0.0.1/24 dev br0",
        ),
        ("linux", "eth0", "ip link add link eth0 name eth0.10 type vlan id 10\nip link set eth0.10 up"),
        ("linux", "eth0", "for i in 1 2; do ip addr add 10.0.$i.1/24 dev eth$i; done\nip link set eth2 up"),
        ("linux", "eth0", "ip addr add 10.0.0.1/24 dev eth0\nip route add default via 10.9.9.9 dev eth0 onlink"),
        (
            "linux",
            "eth0",
            "ip addr add 10.0.0.1/32 dev eth0\nip route add 10.0.0.9 dev eth0\nip route add default via 10.0.0.9",
        ),
        (
            "linux",
            "eth0",
            "ip route add 10.0.0.0/24 dev eth0\nip route add blackhole 10.3.0.0/16\nip addr add 10.0.0.1/8 dev lo",
        ),
        (
            "openvswitch",
            "eth0",
            "ovs-vsctl add-port br0 eth0\novs-vsctl add-port br0 vx -- set interface vx type=vxlan",
        ),
        ("cisco_ios", GIGABIT, "interface Loopback0\n ip address 10.0.0.1 255.255.255.255\ninterface Tunnel0"),
        (
            "cisco_ios",
            GIGABIT,
            "interface GigabitEthernet0/0.10\n encapsulation dot1Q 10\ninterface Vlan10\ninterface BVI1",
        ),
        (
            "cisco_ios",
            GIGABIT,
            "interface GigabitEthernet0/1\n shutdown\ninterface GigabitEthernet0/2\n description spare",
        ),
        ("cisco_ios", GIGABIT, "interface Port-channel1\n ip address 10.0.0.1 255.0.0.0"),
        ("cisco_ios", GIGABIT, "interface gi0/0\n description to GigabitEthernet9/9 at 300.1.1.1"),
        (
            "cisco_ios",
            GIGABIT,
            "access-list 1 permit 10.0.0.0 0.255.0.255\nrouter ospf 1\n network 10.0.0.0 0.0.0.3 area 0",
        ),
        ("cisco_ios", GIGABIT, "interface GigabitEthernet0/0\n ip address dhcp"),
        ("cisco_ios", "Gig0/0", "interface Gig0/0\n ip address 10.0.0.1 255.0.0.0"),
        ("cisco_ios", "s0/0", ""),
    ],
)
def test_what_a_device_takes_is_no_mistake(findings, platform, port, config):
    assert [one for one in findings(platform, config, port=port) if "calls this interface" not in one] == []


def test_mistakes_of_the_ground_truth_are_told_with_their_places(findings):
    found = findings("frr", truth=("interface eth4", "ip address 10.0.0.1/60"))
    assert [one.partition(" A:")[0] for one in found] == ["16:18:", "17:19:"]


def test_interfaces_that_the_startup_config_makes_are_known_to_the_ground_truth(findings):
    config = "ip link add name br0 type bridge"
    assert findings("linux", config, truth=("ip link set br0 up", "ip addr add 10.0.0.1/24 dev br0")) == []


def test_a_gateway_outside_of_all_networks_of_a_host_is_refused_by_its_kernel(findings):
    found = findings("linux", "ip addr add 10.0.0.1/24 dev eth0\nip route add default via 10.0.1.1")
    assert found == [
        "10:30: A: gateway 10.0.1.1 is in no network of the node (10.0.0.0/24), so its kernel refuses the route"
    ]


def test_networks_that_differ_at_the_ends_of_a_link_are_a_warning(findings):
    found = findings("frr", "interface eth0\n ip address 10.0.0.1/24", other="ip addr add 10.0.0.2/30 dev eth0")
    assert found == ["5:11: warning: link 'A eth0 <-> B eth0': A is in 10.0.0.0/24 there, and B in 10.0.0.0/30"]


def test_an_address_that_two_ends_of_a_link_have_is_a_warning(findings):
    found = findings("frr", "interface eth0\n ip address 10.0.0.1/24", other="ip addr add 10.0.0.1/24 dev eth0")
    assert found == ["5:11: warning: link 'A eth0 <-> B eth0': A and B both have the address 10.0.0.1"]


@pytest.mark.parametrize(("testcases", "place"), [("", "1:1"), ("testcases: []\n", "16:1")])
def test_a_task_without_testcases_would_be_passed_by_every_answer(findings, testcases, place):
    assert findings("frr", testcases=testcases) == [
        f"{place}: the task has no testcase, so every answer would pass; add at least one below 'testcases'"
    ]


def test_an_unknown_routing_protocol_is_refused(bent):
    message = bent("    prefix:", "    protocol: osfp\n    prefix:")
    assert message.startswith(
        "static.task.yaml:20: testcase 'route': unknown routing protocol of platform 'frr' 'osfp'"
    )
    assert message.endswith("Did you mean 'ospf'?")


@pytest.mark.parametrize("protocol", ["ospf", "OSPF", "connected", "eigrp", "babel", "ripng"])
def test_a_routing_protocol_of_the_device_is_accepted(load, good, protocol):
    load(good.replace("    prefix:", f"    protocol: {protocol}\n    prefix:"))
