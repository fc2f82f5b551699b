"""An IPv6 interface has one link-local address: the configured one, else a modified EUI-64 (RFC 4291, appendix A).

Captures of IOS XE show that loopbacks have the identifier of a port of the router (genieparser, ``ShowIpv6Interface``),
that an interface that is shut keeps its addresses, and in which words addresses of the wrong kind are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from ipaddress import IPv6Address
from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.driver import device_of
from tests.support.ios import eventually, ios_task, settle, show, type_lines

R1 = """
vrf definition A
 address-family ipv6
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:100::1/128
interface Tunnel7
 ipv6 enable
interface Gi0/0
 ipv6 address 2001:DB8:12::1/64
 ipv6 address FE80::1 link-local
 no shutdown
interface Gi0/1
 no shutdown
interface Gi0/1.10
 encapsulation dot1Q 10
 ipv6 address 2001:DB8:10::/64 eui-64
interface Gi0/2
 vrf forwarding A
 ipv6 address FE80::1 link-local
 no shutdown
interface Gi0/3
 mac-address 0200.1122.3344
 ipv6 enable
 no shutdown
interface Gi0/4
 ipv6 address 2001:DB8:4::1/64
 shutdown
interface Gi0/5
 ip address 10.5.0.1 255.255.255.0
 no shutdown
router bgp 65001
 bgp router-id 1.1.1.1
 neighbor 2001:DB8:12::2 remote-as 65002
 address-family ipv6
  neighbor 2001:DB8:12::2 activate
  network 2001:DB8:100::1/128
"""
R2 = """
ipv6 unicast-routing
interface Loopback0
 ipv6 address 2001:DB8:200::1/128
interface Loopback1
 ipv6 address 2001:DB8:201::1/128
 ipv6 ospf 1 area 0
 ipv6 rip X enable
interface Gi0/0
 ipv6 address 2001:DB8:12::2/64
 no shutdown
interface Gi0/1
 no shutdown
interface Gi0/1.10
 encapsulation dot1Q 10
 ipv6 address 2001:DB8:10::2/64
interface Gi0/2
 ipv6 address FE80::2 link-local
 no shutdown
interface Gi0/3
 ipv6 enable
 no shutdown
ipv6 router ospf 1
 router-id 2.2.2.2
ipv6 router rip X
router bgp 65002
 bgp router-id 2.2.2.2
 neighbor 2001:DB8:12::1 remote-as 65001
 address-family ipv6
  neighbor 2001:DB8:12::1 activate
  network 2001:DB8:200::1/128
"""
CABLES = [f"R1 Gi0/{port} - R2 Gi0/{port}" for port in (0, 1, 2, 3)]


@pytest.fixture(scope="module")
def lab(deploy_task: Any) -> Any:
    return deploy_task(ios_task({"R1": R1, "R2": R2}, CABLES))


@pytest.fixture
def changed(lab: Any) -> Iterator[Any]:
    """Type lines at R1 or R2; the test undoes them."""
    yield lambda name, *lines: type_lines(lab.nodes[name], *lines)
    settle(lab)


def identifier(mac: str) -> str:
    """The link-local address of a MAC address as IOS shows it."""
    digits = mac.replace(":", "").replace(".", "")
    value = int(digits[:6] + "fffe" + digits[6:], 16) ^ (1 << 57)
    return str(IPv6Address((0xFE80 << 112) | value)).upper()


def mac(lab: Any, kernel: str, node: str = "R1", vrf: str = "") -> str:
    prefix = ["nsenter", f"--net=/run/netns/{vrf}"] if vrf else []
    done = lab.nodes[node].run([*prefix, "ip", "-j", "link", "show", "dev", kernel])
    return str(json.loads(done.stdout)[0]["address"])


def brief(lab: Any, interface: str, node: str = "R1") -> list[str]:
    return [line.strip() for line in show(lab.nodes[node], f"show ipv6 interface brief {interface}").splitlines()[1:]]


def in_kernel(lab: Any, kernel: str, node: str = "R1") -> list[str]:
    done = lab.nodes[node].run(["ip", "-j", "-6", "addr", "show", "dev", kernel])
    return [a["local"].upper() for link in json.loads(done.stdout) for a in link.get("addr_info", ())]


def test_each_interface_has_the_one_address_that_its_lines_explain(lab: Any) -> None:
    port = identifier(mac(lab, "gi0-0"))
    parent = identifier(mac(lab, "gi0-1"))
    assert {
        name: brief(lab, name)
        for name in ("Loopback0", "Tunnel7", "Gi0/0", "Gi0/1.10", "Gi0/2", "Gi0/3", "Gi0/4", "Gi0/1", "Gi0/5")
    } == {
        "Loopback0": [port, "2001:DB8:100::1"],
        "Tunnel7": [port],
        "Gi0/0": ["FE80::1", "2001:DB8:12::1"],
        "Gi0/1.10": [parent, parent.replace("FE80::", "2001:DB8:10:0:")],
        "Gi0/2": ["FE80::1"],
        "Gi0/3": [identifier("0200.1122.3344")],
        "Gi0/4": [identifier(mac(lab, "gi0-4")), "2001:DB8:4::1"],
        "Gi0/1": ["unassigned"],
        "Gi0/5": ["unassigned"],
    }


def test_interfaces_without_ipv6_have_no_address_of_the_kernel_either(lab: Any) -> None:
    for kernel in ("gi0-1", "gi0-5"):
        assert in_kernel(lab, kernel) == []


def test_an_eui_64_address_has_a_local_route_and_answers(lab: Any) -> None:
    own = brief(lab, "Gi0/1.10")[1]
    assert f"L   {own}/128 [0/0]\n     via GigabitEthernet0/1.10, receive\n" in show(lab.nodes["R1"], "show ipv6 route")
    assert "!!!!!" in show(lab.nodes["R2"], f"ping {own}")
    neighbors = show(lab.nodes["R2"], "show ipv6 neighbors")
    assert f"{own:<39} " in neighbors


def test_neighbors_send_to_the_configured_address(lab: Any) -> None:
    bgp = show(lab.nodes["R2"], "show ipv6 route bgp")
    assert "B   2001:DB8:100::1/128 [20/0]\n     via FE80::1, GigabitEthernet0/0\n" in bgp
    assert "!!!!!" in show(lab.nodes["R1"], "ping 2001:DB8:200::1")
    assert "FE80::1 " in show(lab.nodes["R2"], "show ipv6 neighbors")


@pytest.mark.parametrize(
    ("process", "line", "command"),
    [
        ("ipv6 router ospf 1\nrouter-id 1.1.1.1", "ipv6 ospf 1 area 0", "show ipv6 route ospf"),
        ("ipv6 router rip X", "ipv6 rip X enable", "show ipv6 route rip"),
    ],
)
def test_an_address_that_is_entered_and_removed_leads_routes_of_igps(
    lab: Any, changed: Any, process: str, line: str, command: str
) -> None:
    r1 = lab.nodes["R1"]
    changed("R1", *process.splitlines(), "interface Gi0/3", line)
    changed("R2", "interface Gi0/3", line, "ipv6 address FE80::77 link-local")
    try:
        assert eventually(lambda: "via FE80::77, GigabitEthernet0/3" in show(r1, command)), show(r1, command)
        if "rip" in process:
            return  # RIPng prefers no other router at the same distance while the route of the first lives
        changed("R2", "interface Gi0/3", "ipv6 address FE80::78 link-local")
        assert brief(lab, "Gi0/3", "R2") == ["FE80::78"]
        assert eventually(lambda: "via FE80::78, GigabitEthernet0/3" in show(r1, command)), show(r1, command)
        changed("R2", "interface Gi0/3", "no ipv6 address FE80::78 link-local")
        own = identifier(mac(lab, "gi0-3", "R2"))
        assert brief(lab, "Gi0/3", "R2") == [own]
        assert eventually(lambda: f"via {own}, GigabitEthernet0/3" in show(r1, command)), show(r1, command)
    finally:
        changed("R2", "interface Gi0/3", f"no {line}", "no ipv6 address FE80::77 link-local")
        changed("R1", f"no {process.splitlines()[0]}", "interface Gi0/3", f"no {line}")


def test_bgp_routes_follow_an_address_that_changes(lab: Any, changed: Any) -> None:
    changed("R2", "interface Gi0/0", "ipv6 address FE80::22 link-local")
    try:
        assert brief(lab, "Gi0/0", "R2") == ["FE80::22", "2001:DB8:12::2"]
        settle(lab)
        led = "B   2001:DB8:200::1/128 [20/0]\n     via FE80::22, GigabitEthernet0/0\n"
        assert eventually(lambda: led in show(lab.nodes["R1"], "show ipv6 route bgp"))
        assert "!!!!!" in show(lab.nodes["R1"], "ping 2001:DB8:200::1")
    finally:
        changed("R2", "interface Gi0/0", "no ipv6 address FE80::22 link-local")


def test_addresses_outlast_a_shutdown(lab: Any, changed: Any) -> None:
    before = brief(lab, "Gi0/3")
    changed("R1", "interface Gi0/3", "shutdown")
    assert brief(lab, "Gi0/3") == before
    changed("R1", "interface Gi0/3", "no shutdown")
    assert brief(lab, "Gi0/3") == before == in_kernel(lab, "gi0-3")


def test_the_address_follows_the_mac_address_and_ends_with_ipv6(lab: Any, changed: Any) -> None:
    changed("R1", "interface Gi0/3", "mac-address 0200.1122.5566")
    assert in_kernel(lab, "gi0-3") == [identifier("0200.1122.5566")]
    changed("R1", "interface Gi0/3", "no ipv6 enable")
    assert brief(lab, "Gi0/3") == ["unassigned"]
    assert in_kernel(lab, "gi0-3") == []
    changed("R1", "interface Gi0/3", "ipv6 enable", "mac-address 0200.1122.3344")
    assert in_kernel(lab, "gi0-3") == [identifier("0200.1122.3344")]


def test_the_address_is_back_after_a_small_mtu(lab: Any, changed: Any) -> None:
    before = in_kernel(lab, "gi0-3")
    changed("R1", "interface Gi0/3", "ip mtu 1000")
    changed("R1", "interface Gi0/3", "no ip mtu")
    assert in_kernel(lab, "gi0-3") == before


def test_addresses_of_the_wrong_kind_are_refused(lab: Any) -> None:
    answers = lab.driver("R1").apply(
        lab.nodes["R1"],
        ["interface Gi0/3", "ipv6 address FE80::B/64", "ipv6 address 2001:DB8::1 link-local"],
    )
    assert [answer.message for answer in answers[1:]] == [
        "%GigabitEthernet0/3: Error: FE80::B/64 is invalid",
        "% Invalid link-local address",
    ]


def test_a_reload_keeps_the_addresses(lab: Any) -> None:
    before = [brief(lab, name) for name in ("Gi0/0", "Gi0/1.10", "Gi0/2", "Gi0/3", "Loopback0")]
    node = lab.nodes["R1"]
    lab.driver("R1").reboot(node, R1)
    settle(lab)
    after = [brief(lab, name) for name in ("Gi0/0", "Gi0/1.10", "Gi0/2", "Gi0/3", "Loopback0")]
    assert after == before
    assert len(in_kernel(lab, "gi0-0")) == 2
    assert device_of(node).problems == []
