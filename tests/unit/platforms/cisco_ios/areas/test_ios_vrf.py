"""VRFs without a lab: their interfaces and routes."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from tests.support.ios import Session, paper

RED = ("ip vrf RED", "rd 65000:1", "exit")
PORT = ("interface gi0/0", "ip address 10.0.0.1 255.255.255.0")


def plan_of(device):
    return compile_state(device.grammar, device.config, device.facts)


def typed(device, *lines):
    session = Session(device)
    session.enter("configure terminal")
    return "".join(session.enter(line) for line in lines)


def test_an_interface_leaves_its_addresses_when_it_enters_a_vrf():
    device = paper(*RED, *PORT)
    said = typed(device, "interface gi0/0", "ip vrf forwarding RED")
    assert said == "% Interface GigabitEthernet0/0 IPv4 disabled and address(es) removed due to enabling VRF RED\n"
    assert "interface GigabitEthernet0/0\n ip vrf forwarding RED\n no ip address\n" in device.running_config()
    assert plan_of(device).links["gi0-0"].vrf == "RED"


def test_an_interface_enters_only_a_vrf_that_is_there():
    assert typed(paper(), "interface gi0/0", "vrf forwarding RED") == "% VRF RED does not exist or is not configured\n"


def test_two_vrfs_may_have_the_same_addresses():
    device = paper(
        *RED,
        "ip vrf BLUE",
        "exit",
        "interface gi0/0",
        "ip vrf forwarding RED",
        *PORT[1:],
        "interface gi0/1",
        "ip vrf forwarding BLUE",
        *PORT[1:],
    )
    assert {link.vrf: link.addresses for link in plan_of(device).links.values()} == {
        "RED": ("10.0.0.1/24",),
        "BLUE": ("10.0.0.1/24",),
    }
    assert plan_of(device).vrfs == ("BLUE", "RED")


def test_a_static_route_of_a_vrf_stays_in_it():
    device = paper(*RED, "ip route vrf RED 0.0.0.0 0.0.0.0 10.0.0.2 5")
    assert [line.path[-1] for line in plan_of(device).frr.of("staticd")] == ["ip route 0.0.0.0/0 10.0.0.2 5 vrf RED"]


def test_a_vrf_that_goes_takes_addresses_routes_and_processes_along():
    device = paper(
        *RED,
        "interface gi0/0",
        "ip vrf forwarding RED",
        "ip address 10.0.0.1 255.255.255.0",
        "ip route vrf RED 0.0.0.0 0.0.0.0 10.0.0.2",
        "router ospf 5 vrf RED",
        "router bgp 1",
        "address-family ipv4 vrf RED",
    )
    assert typed(device, "no ip vrf RED") == "% IPv4 addresses from all interfaces in VRF RED have been removed\n"
    assert "RED" not in device.running_config()
    assert "10.0.0.1" not in device.running_config()


def test_a_vrf_has_one_style():
    assert typed(paper(*RED), "vrf definition RED") == "% VRF RED already defined using 'ip vrf' command\n"


def test_route_targets_are_marked_as_without_effect():
    device = paper("ip vrf RED", "route-target both 1:1")
    assert ("route-target both 1:1", "routes are not exchanged between VRFs") in plan_of(device).unsupported


def test_a_tracked_route_of_a_vrf_is_left_to_what_tracks():
    device = paper(*RED, "track 1 interface gi0/1 line-protocol", "ip route vrf RED 0.0.0.0 0.0.0.0 10.0.0.2 track 1")
    assert plan_of(device).frr.of("staticd") == []
    assert "vrf RED" in str(plan_of(device).services)
