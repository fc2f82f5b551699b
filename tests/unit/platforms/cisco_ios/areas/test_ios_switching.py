"""VLANs, ports, spanning tree and its guards: the config and the desired state that typed lines give."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_netbench.platforms.cisco_ios.compile.compiler import compile_state
from pytest_netbench.platforms.cisco_ios.services.programs.common import packets
from pytest_netbench.platforms.cisco_ios.services.programs.switching import cdp
from tests.support.ios import PaperDevice, Session, paper

PORTS = ("Gi0/1", "Gi0/2", "Fa0/3", "Te1/1")


def switch(*lines: str) -> PaperDevice:
    return paper(*lines, interfaces=PORTS, role="switch")


def section(device: PaperDevice, name: str) -> list[str]:
    entry = device.config.get("interface", name=name)
    assert entry is not None
    return [line.text for line in entry.body]


def plan(device: PaperDevice) -> Any:
    return compile_state(device.grammar, device.config, device.facts)


def service(device: PaperDevice) -> dict[str, Any]:
    return dict(plan(device).services["switch"])


def refusal(device: PaperDevice, *lines: str) -> str:
    session = Session(device)
    session.enter("configure terminal")
    for line in lines[:-1]:
        assert session.enter(line) == ""
    return session.enter(lines[-1])


def globals_of(device: PaperDevice, word: str) -> list[str]:
    return [entry.text for entry in device.config if word in entry.text and entry.name != "interface"]


# ---- VLANs and ports ----


def test_a_list_of_vlans_makes_each_of_them():
    device = switch("vlan 10,20-22", "exit", "no vlan 21", "vlan 20", "name LAB")
    assert [line for line in device.running_config().splitlines() if "vlan" in line] == [
        "vlan 10",
        "vlan 20",
        "vlan 22",
    ]
    assert service(device)["vlans"] == [1, 10, 20, 22]


def test_ports_of_a_switch_that_speaks_cdp_announce_their_names():
    device = switch("hostname SW", "ip domain name example.com", "interface Gi0/1", "no cdp enable")
    assert service(device)["cdp"] == {"device": "SW.example.com", "every": 60}
    assert {name: port["cdp"] for name, port in service(device)["ports"].items()} == {
        "fa0-3": "FastEthernet0/3",
        "gi0-1": "",
        "gi0-2": "GigabitEthernet0/2",
        "te1-1": "TenGigabitEthernet1/1",
    }
    assert service(switch("no cdp run"))["cdp"] is None


def test_an_announcement_of_cdp_can_be_read_and_has_its_checksum():
    made = cdp.frame(bytes(6), [(1, b"SW"), (0x0A, b"\0\x0a")])
    payload = made[14 : 14 + int.from_bytes(made[12:14], "big")]
    assert cdp.fields(payload[12:]) == {1: b"SW", 0x0A: b"\0\x0a"}
    assert packets.checksum(payload[8:]) == 0


def test_an_access_vlan_that_does_not_exist_is_made():
    device = switch("interface Gi0/1", "switchport access vlan 30")
    assert globals_of(device, "vlan") == ["vlan 30"]
    assert service(device)["ports"]["gi0-1"]["vlans"] == {"30": 0}


def test_a_suspended_vlan_carries_nothing():
    device = switch("vlan 10", "state suspend", "vlan 20", "shutdown", "interface Gi0/1", "switchport mode trunk")
    assert service(device)["vlans"] == [1]
    assert service(device)["ports"]["gi0-1"]["tagged"] == {"1": 0}


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("10,20",), "10,20"),
        (("10,20", "add 30-32"), "10,20,30-32"),
        (("10,20,30", "remove 20"), "10,30"),
        (("except 2-4094",), "1"),
        (("10", "remove 10"), "none"),
        (("none",), "none"),
        (("10", "all"), None),
        (("10", "1-4094"), None),
        (("add 30",), None),
    ],
)
def test_the_allowed_list_adds_up_to_one_line(lines, kept):
    device = switch("interface Gi0/1", *(f"switchport trunk allowed vlan {words}" for words in lines))
    expected = [] if kept is None else [f"switchport trunk allowed vlan {kept}"]
    assert section(device, "GigabitEthernet0/1") == expected


def test_a_trunk_tags_what_is_not_native_and_allowed():
    device = switch(
        "vlan 10,20,30",
        "interface Gi0/2",
        "switchport mode trunk",
        "switchport trunk native vlan 20",
        "switchport trunk allowed vlan 10,20",
    )
    port = service(device)["ports"]["gi0-2"]
    assert port["tagged"] == {"10": 10, "20": 0}
    assert (port["mode"], port["native"]) == ("trunk", 20)


@pytest.mark.parametrize(
    ("lines", "mode", "negotiates"),
    [
        ((), "auto", True),
        (("switchport mode dynamic desirable",), "desirable", True),
        (("switchport mode trunk",), "trunk", True),
        (("switchport mode trunk", "switchport nonegotiate"), "trunk", False),
        (("switchport mode access",), "access", False),
    ],
)
def test_a_mode_says_whether_the_neighbor_is_asked(lines, mode, negotiates):
    port = service(switch("interface Gi0/1", *lines))["ports"]["gi0-1"]
    assert (port["mode"], port["negotiates"]) == (mode, negotiates)


def test_bundles_of_links_are_refused():
    assert "% Invalid input" in refusal(switch(), "interface Gi0/1", "channel-group 1 mode active")


def test_a_voice_vlan_is_tagged_on_an_access_port():
    device = switch("interface Gi0/1", "switchport access vlan 10", "switchport voice vlan 110")
    assert service(device)["ports"]["gi0-1"]["vlans"] == {"10": 0, "110": 110}


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Gi0/1 - 2", ("GigabitEthernet0/1", "GigabitEthernet0/2")),
        ("gi0/1-2 , fa0/3", ("GigabitEthernet0/1", "GigabitEthernet0/2", "FastEthernet0/3")),
        ("GigabitEthernet 0/1 - GigabitEthernet 0/2", ("GigabitEthernet0/1", "GigabitEthernet0/2")),
        ("vlan 10 - 11", ("Vlan10", "Vlan11")),
    ],
)
def test_a_range_edits_each_of_its_interfaces(words, names):
    device = switch(f"interface range {words}", "description together")
    assert all(section(device, name)[0] == "description together" for name in names)


@pytest.mark.parametrize("words", ["Gi0/1 - 9", "Gi0/2 - 1", "nonsense", "Gi0/1 -"])
def test_a_range_of_what_is_not_there_is_invalid(words):
    assert "% Invalid input" in refusal(switch(), f"interface range {words}")


def test_a_routed_port_is_no_switchport():
    device = switch("interface Gi0/1", "no switchport", "ip address 10.0.0.1 255.255.255.0")
    assert "gi0-1" not in service(device)["ports"]
    assert plan(device).links["gi0-1"].addresses == ("10.0.0.1/24",)


def test_an_svi_is_a_link_into_its_vlan_and_ports_leave_nothing_to_the_stack():
    device = switch("interface Vlan10", "ip address 10.0.10.1 255.255.255.0", "no shutdown")
    compiled = plan(device)
    assert compiled.services["switch"]["inner"] == {"vl10_": 10}
    assert (compiled.links["vl10"].kind, compiled.links["vl10"].addresses) == ("loopback", ("10.0.10.1/24",))
    sinks = {chain.device for chain in compiled.nft.chains.values() if chain.family == "netdev"}
    assert sinks == {"gi0-1", "gi0-2", "fa0-3", "te1-1", "vl10_"}


def test_routers_know_no_switchport_but_subinterfaces():
    router = paper(
        "interface Gi0/0",
        "no shutdown",
        "interface Gi0/0.10",
        "encapsulation dot1q 10",
        "ip address 10.0.10.1 255.255.255.0",
        "interface Gi0/0.99",
        "encapsulation dot1Q 99 native",
        "interface Gi0/0.5",
        "ip address 10.5.0.1 255.255.255.0",
    )
    assert "% Invalid input" in refusal(router, "interface Gi0/1", "switchport mode access")
    compiled = plan(router)
    assert compiled.services["switch"]["subinterfaces"] == {
        "gi0-0.10_": {"parent": "gi0-0", "tag": 10},
        "gi0-0.99_": {"parent": "gi0-0", "tag": 0},
    }
    assert "gi0-0.5" not in compiled.links, "no VLAN, no link"
    assert compiled.services["switch"]["trees"] == {}


def test_a_vlan_serves_one_subinterface_of_a_port():
    router = paper("interface Gi0/0.10", "encapsulation dot1Q 10")
    words = refusal(router, "interface Gi0/0.11", "encapsulation dot1Q 10")
    assert "This VID is already configured on GigabitEthernet0/0.10" in words
    assert refusal(router, "interface Gi0/1.10", "encapsulation dot1Q 10") == ""
    assert "% Invalid input" in refusal(router, "interface Gi0/0", "encapsulation dot1Q 10")


def test_a_router_without_subinterfaces_runs_no_switch():
    assert "switch" not in plan(paper("interface Gi0/0", "no shutdown")).services


# ---- spanning tree ----


def test_vlans_of_one_priority_share_a_line():
    device = switch(
        "spanning-tree vlan 1-20 priority 4096",
        "spanning-tree vlan 10 priority 8192",
        "spanning-tree vlan 20 root primary",
        "no spanning-tree vlan 5 priority",
        "spanning-tree vlan 6 priority 32768",
    )
    assert globals_of(device, "spanning-tree") == [
        "spanning-tree vlan 1-4,7-9,11-19 priority 4096",
        "spanning-tree vlan 10 priority 8192",
        "spanning-tree vlan 20 priority 24576",
    ]


def test_a_priority_that_is_no_multiple_is_explained():
    assert refusal(switch(), "spanning-tree vlan 1 priority 100").startswith(
        "% Bridge Priority must be in increments of 4096.\n% Allowed values are:"
    )


def test_a_vlan_without_spanning_tree_says_so():
    device = switch("vlan 10,20", "exit", "no spanning-tree vlan 10,20", "spanning-tree vlan 20")
    assert globals_of(device, "spanning-tree") == ["no spanning-tree vlan 10"]
    assert sorted(service(device)["trees"]) == ["1", "20"]


def test_settings_of_trees_and_ports_reach_the_service():
    device = switch(
        "vlan 10",
        "exit",
        "spanning-tree mode rapid-pvst",
        "spanning-tree vlan 10 priority 4096",
        "spanning-tree vlan 10 hello-time 1",
        "spanning-tree portfast default",
        "spanning-tree portfast bpduguard default",
        "interface Gi0/1",
        "switchport mode access",
        "interface Gi0/2",
        "switchport mode trunk",
        "spanning-tree cost 50",
        "spanning-tree vlan 10 cost 7",
        "spanning-tree guard root",
        "spanning-tree vlan 10 port-priority 64",
    )
    wanted = service(device)
    assert wanted["trees"]["10"] == {
        "mode": "rapid-pvst",
        "priority": 4096,
        "hello": 1,
        "forward_delay": 15,
        "max_age": 20,
    }
    ports = wanted["ports"]
    assert (ports["gi0-1"]["edge"], ports["gi0-1"]["bpduguard"]) == (True, True)
    assert (ports["gi0-2"]["trunk_edge"], ports["gi0-2"]["bpduguard"]) == (False, False), (
        "a trunk is no edge by default"
    )
    assert (ports["gi0-2"]["costs"], ports["gi0-2"]["priorities"]) == ({"": 50, "10": 7}, {"10": 64})
    assert ports["gi0-2"]["guard"] == "root"
    assert [ports[name]["cost"] for name in ("gi0-1", "fa0-3", "te1-1")] == [4, 19, 2]


def test_bridges_have_addresses_of_their_names():
    one, other = switch(), switch()
    assert service(one)["address"] == service(other)["address"]
    assert service(one)["address"].startswith("aa:bb:cc:")


# ---- guards ----


def test_port_security_reaches_the_service():
    device = switch(
        "interface Gi0/1",
        "switchport mode access",
        "switchport port-security",
        "switchport port-security maximum 3",
        "switchport port-security violation restrict",
        "switchport port-security mac-address sticky",
        "switchport port-security mac-address 0011.2233.4455",
        "switchport port-security mac-address sticky 00aa.bbcc.ddee",
        "switchport port-security aging time 5",
    )
    assert service(device)["ports"]["gi0-1"]["security"] == {
        "maximum": 3,
        "violation": "restrict",
        "sticky": True,
        "static": ["00:11:22:33:44:55"],
        "kept": ["00:aa:bb:cc:dd:ee"],
        "ageing": 300,
        "inactivity": False,
        "trunk": False,
    }


def test_port_security_wants_a_port_whose_mode_is_set_and_room_for_addresses():
    device = switch("interface Gi0/2", "switchport mode access", "switchport port-security mac-address 0000.0000.0001")
    words = refusal(device, "interface Gi0/1", "switchport port-security")
    assert words == "Command rejected: GigabitEthernet0/1 is a dynamic port.\n"
    words = refusal(device, "interface Gi0/2", "switchport port-security mac-address 0000.0000.0002")
    assert words == "Total secure mac-addresses on interface has reached maximum limit.\n"


def test_snooping_and_inspection_reach_the_service():
    device = switch(
        "vlan 10,20",
        "exit",
        "ip dhcp snooping",
        "ip dhcp snooping vlan 10",
        "ip dhcp snooping vlan 20",
        "ip arp inspection vlan 10",
        "ip arp inspection validate src-mac ip",
        "ip source binding 0011.2233.4455 vlan 10 10.0.0.5 interface Gi0/1",
        "interface Gi0/1",
        "ip dhcp snooping trust",
        "ip arp inspection trust",
    )
    wanted = service(device)
    assert globals_of(device, "snooping vlan") == ["ip dhcp snooping vlan 10,20"]
    assert wanted["snooping"] == {"vlans": [10, 20], "verify": True}
    assert wanted["inspection"] == {"vlans": [10], "validate": ["src-mac", "ip"], "filters": {}}
    assert wanted["bindings"] == [{"mac": "00:11:22:33:44:55", "address": "10.0.0.5", "vlan": 10, "port": "gi0-1"}]
    assert wanted["ports"]["gi0-1"]["trusted"] == ["arp", "dhcp"]


def test_an_arp_access_list_reaches_the_service():
    device = switch(
        "arp access-list FIXED",
        "permit ip host 10.0.0.5 mac host 0011.2233.4455",
        "deny ip any mac any",
        "exit",
        "ip arp inspection vlan 10",
        "ip arp inspection filter FIXED vlan 10 static",
    )
    rules = [[True, "10.0.0.5", "00:11:22:33:44:55"], [False, None, None]]
    assert service(device)["inspection"]["filters"] == {"10": {"rules": rules, "static": True}}


def test_a_default_gateway_is_a_route_of_a_switch_without_one():
    lines = [line.path[-1] for line in plan(switch("ip default-gateway 10.0.0.1")).frr.of("staticd")]
    assert lines == ["ip route 0.0.0.0/0 10.0.0.1"]
    routed = switch("ip default-gateway 10.0.0.1", "ip route 0.0.0.0 0.0.0.0 10.0.0.2")
    assert [line.path[-1] for line in plan(routed).frr.of("staticd")] == ["ip route 0.0.0.0/0 10.0.0.2"]
    assert plan(paper("ip default-gateway 10.0.0.1")).frr.of("staticd") == []


def test_a_host_port_is_an_access_port_with_portfast():
    device = switch("interface Gi0/1", "switchport host")
    assert section(device, "GigabitEthernet0/1") == ["switchport mode access", "spanning-tree portfast"]


def test_fixed_addresses_and_steady_svis_reach_the_service():
    device = switch(
        "vlan 10", "mac address-table static 0011.2233.4455 vlan 10 interface Gi0/1", "interface Vlan10", "no autostate"
    )
    assert service(device)["statics"] == [["gi0-1", 10, "00:11:22:33:44:55"]]
    assert service(device)["steady"] == ["vl10_"]
    assert "% Invalid input" in refusal(switch(), "interface Gi0/1", "no autostate")


def test_what_is_accepted_without_effect_says_so():
    device = switch("vtp mode transparent", "interface Gi0/1", "storm-control broadcast level 10", "ip verify source")
    assert {line for line, _ in plan(device).unsupported} >= {
        "vtp mode transparent",
        "storm-control broadcast level 10",
        "ip verify source",
    }


def test_a_saved_config_is_what_was_typed():
    device = switch(
        "vlan 10",
        "name SALES",
        "exit",
        "spanning-tree mode rapid-pvst",
        "no spanning-tree vlan 10",
        "interface range Gi0/1 - 2",
        "switchport mode trunk",
        "switchport trunk allowed vlan 10,20",
        "interface Fa0/3",
        "no switchport",
        "ip address 10.0.0.1 255.255.255.0",
        "shutdown",
        "interface Vlan10",
        "ip address 10.0.10.1 255.255.255.0",
    )
    text = device.running_config()
    again = paper(interfaces=PORTS, role="switch", startup=text)
    assert again.running_config() == text
