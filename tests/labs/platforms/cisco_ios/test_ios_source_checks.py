"""Checks of a packet's source on an IOS router: reverse path, and permission to open a session."""

from __future__ import annotations

from functools import partial

import pytest

from pytest_netbench.platforms.cisco_ios.apply import nft
from tests.support.ios import ios_task, type_lines
from tests.support.probes import answered, ask, pings, serve

ROUTER = """
ipv6 unicast-routing
interface Gi0/0
 ip address 10.0.1.1 255.255.255.0
 ipv6 address 2001:db8:1::1/64
 no shutdown
interface Gi0/1
 ip address 10.0.2.1 255.255.255.0
 ipv6 address 2001:db8:2::1/64
 no shutdown
ip route 10.0.5.0 255.255.255.0 10.0.1.10
ip route 10.0.6.0 255.255.255.0 10.0.2.10
line vty 0 4
 login local
 transport input all
"""
OWN, ELSEWHERE, NOWHERE = "10.0.5.5", "10.0.6.6", "10.0.7.7"
# its ARP requests name its address on the line: a router ignores those from other subnets
SENDER = (
    "sysctl -w net.ipv4.conf.all.arp_announce=2\n"
    "ip -6 address add 2001:db8:1::10/64 dev eth0 nodad\nip -6 address add 2001:db8:7::7/128 dev lo\nip -6 route add"
    " default via 2001:db8:1::1 metric 10\nip address add 10.0.1.10/24 dev eth0\nip route add default via 10.0.1.1\n"
    + "".join(f"ip address add {address}/32 dev lo\n" for address in (OWN, ELSEWHERE, NOWHERE))
)
TARGET = (
    "ip -6 address add 2001:db8:2::10/64 dev eth0 nodad\nip -6 route add default via 2001:db8:2::1 metric 10\nip"
    " address add 10.0.2.10/24 dev eth0\nip route add default via 10.0.2.1\n"
)


@pytest.fixture(scope="module")
def lab(deploy_task):
    task = ios_task({"R1": ROUTER}, ["R1 Gi0/0 - h1 eth0", "R1 Gi0/1 - h2 eth0"], hosts={"h1": SENDER, "h2": TARGET})
    lab = deploy_task(task)
    serve(lab.nodes["R1"], (22, 23, 80))
    return lab


@pytest.fixture
def configure(lab):
    typed = partial(type_lines, lab.nodes["R1"])
    yield typed
    typed(
        "default interface gi0/0",
        "interface gi0/0",
        "ip address 10.0.1.1 255.255.255.0",
        "ipv6 address 2001:db8:1::1/64",
        "no shutdown",
        "no ip route 0.0.0.0 0.0.0.0 10.0.1.10",
    )
    typed("line vty 0 4", "no access-class 10 in", "transport input all", "no access-list 10", "no line vty 5 15")


@pytest.fixture
def arrives(lab):
    """Whether echo requests from a source reach the far side; answers are not required."""

    def sent(source):
        before = received(lab)
        lab.nodes["h1"].run(["ping", "-n", "-c", "1", "-W", "0.2", "-I", source, "10.0.2.10"])
        return received(lab) > before

    return sent


def received(lab):
    rows = [
        line.split()
        for line in lab.nodes["h2"].run(["cat", "/proc/net/snmp"]).stdout.splitlines()
        if line.startswith("Icmp:")
    ]
    return int(dict(zip(*rows, strict=True))["InEchos"])


def test_without_a_check_any_source_passes(arrives):
    assert [arrives(source) for source in (OWN, ELSEWHERE, NOWHERE)] == [True, True, True]


def test_a_strict_check_wants_the_way_back_by_the_same_interface(configure, arrives, lab):
    configure("interface gi0/0", "ip verify unicast source reachable-via rx")
    assert [arrives(source) for source in ("10.0.1.10", OWN, ELSEWHERE, NOWHERE)] == [True, True, False, False]
    counted = [
        packets for (_, name), (packets, _) in nft.counters(lab.nodes["R1"]).items() if name.startswith("urpf4_")
    ]
    assert counted == [2]


def test_a_loose_check_wants_any_way_back(configure, arrives):
    configure("interface gi0/0", "ip verify unicast source reachable-via any")
    assert [arrives(source) for source in (OWN, ELSEWHERE, NOWHERE)] == [True, True, False]


def test_a_default_route_is_no_way_back_unless_it_is_allowed_to_be(configure, arrives):
    configure("ip route 0.0.0.0 0.0.0.0 10.0.1.10", "interface gi0/0", "ip verify unicast source reachable-via rx")
    assert [arrives(source) for source in (OWN, NOWHERE)] == [True, False]
    configure("interface gi0/0", "ip verify unicast source reachable-via rx allow-default")
    assert [arrives(source) for source in (OWN, NOWHERE, ELSEWHERE)] == [True, True, False]


def test_a_source_routed_to_null_fails_a_loose_check(configure, arrives):
    configure(
        "interface gi0/0",
        "ip verify unicast source reachable-via any",
        "ip route 10.0.6.0 255.255.255.0 Null0",
        "no ip route 10.0.6.0 255.255.255.0 10.0.2.10",
    )
    assert not arrives(ELSEWHERE)
    configure("no ip route 10.0.6.0 255.255.255.0 Null0", "ip route 10.0.6.0 255.255.255.0 10.0.2.10")


def test_an_access_list_spares_sources_from_the_check(configure, arrives):
    configure(f"access-list 10 permit {NOWHERE}", "interface gi0/0", "ip verify unicast source reachable-via rx 10")
    assert [arrives(source) for source in (OWN, ELSEWHERE, NOWHERE)] == [True, False, True]


def test_an_access_class_guards_sessions_to_the_router_by_source(configure, lab):
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]
    assert answered(ask(h1, "10.0.1.1", 22))
    configure("access-list 10 permit 10.0.2.0 0.0.0.255", "line vty 0 4", "access-class 10 in")
    assert ask(h1, "10.0.1.1", 22) == "refused"
    assert ask(h1, "10.0.2.1", 23) == "refused"
    assert answered(ask(h2, "10.0.1.1", 22))
    assert answered(ask(h1, "10.0.1.1", 80))
    assert pings(h1, "10.0.1.1") == "answered"


def test_a_session_that_the_first_lines_refuse_uses_a_later_line(configure, lab):
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]
    configure("access-list 10 permit 10.0.2.0 0.0.0.255", "line vty 0 15", "access-class 10 in", "transport input all")
    assert ask(h1, "10.0.1.1", 22) == "refused"
    configure("line vty 5 15", "no access-class 10 in", "transport input ssh")
    assert answered(ask(h1, "10.0.1.1", 22))
    assert ask(h1, "10.0.1.1", 23) == "refused"
    assert answered(ask(h2, "10.0.2.1", 23))
    configure("line vty 5 15", "transport input all")
    assert answered(ask(h1, "10.0.1.1", 23))
    configure("default line vty 5 15")
    assert ask(h1, "10.0.1.1", 22) == "refused"


def test_lines_take_the_protocols_that_they_name(configure, lab):
    configure("line vty 0 4", "transport input ssh")
    assert answered(ask(lab.nodes["h1"], "10.0.1.1", 22))
    assert ask(lab.nodes["h1"], "10.0.1.1", 23) == "refused"
    configure("line vty 0 4", "transport input none")
    assert ask(lab.nodes["h1"], "10.0.1.1", 22) == "refused"


def test_a_protected_control_plane_drops_what_its_policy_drops(configure, lab):
    configure(
        "access-list 10 permit 10.0.1.0 0.0.0.255",
        "class-map match-all NOISE",
        "match access-group 10",
        "policy-map GUARD",
        "class NOISE",
        "drop",
    )
    configure("control-plane", "service-policy input GUARD")
    assert pings(lab.nodes["h1"], "10.0.1.1") == "silence"
    assert pings(lab.nodes["h2"], "10.0.2.1") == "answered"
    assert pings(lab.nodes["h1"], "10.0.2.10") == "answered"
    configure("control-plane", "no service-policy input GUARD")


def test_the_host_part_of_the_control_plane_polices_what_is_sent_to_the_router_s_addresses(configure, lab):
    """Sources are in docs/explanation/ios.md: TTL 1 and multicast are not of the host's part."""
    h1 = lab.nodes["h1"]
    configure("policy-map GUARD", "class class-default", "drop", "control-plane host", "service-policy input GUARD")
    assert pings(h1, "10.0.1.1") == "silence"
    assert h1.run(["ping", "-c", "1", "-t", "1", "-W", "10", "10.0.1.1"]).returncode == 0
    assert h1.run(["ping", "-6", "-c", "1", "-W", "10", "2001:db8:1::1"]).returncode == 0
    assert pings(h1, "10.0.2.10") == "answered"
    configure("policy-map ALL", "class class-default", "police 8000000", "control-plane", "service-policy input ALL")
    assert pings(h1, "10.0.1.1") == "answered"
    configure("control-plane", "no service-policy input ALL")
    assert pings(h1, "10.0.1.1") == "silence"
    configure("control-plane host", "no service-policy input GUARD")
    assert pings(h1, "10.0.1.1") == "answered"


def test_a_strict_check_of_ipv6_wants_the_way_back_too(configure, lab):
    h1, h2 = lab.nodes["h1"], lab.nodes["h2"]

    def arrives(source):
        before = h2.run(["cat", "/proc/net/snmp6"]).stdout
        h1.run(["ping", "-n", "-c", "1", "-W", "0.2", "-I", source, "2001:db8:2::10"])
        after = h2.run(["cat", "/proc/net/snmp6"]).stdout
        counts = [int(dict(line.split() for line in text.splitlines())["Icmp6InEchos"]) for text in (before, after)]
        return counts[1] > counts[0]

    assert arrives("2001:db8:7::7")
    configure("interface gi0/0", "ipv6 verify unicast source reachable-via rx")
    assert arrives("2001:db8:1::10")
    assert not arrives("2001:db8:7::7")
