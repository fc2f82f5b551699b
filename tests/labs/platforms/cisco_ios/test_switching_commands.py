"""Switching by IOS commands in real labs: forwarding, and show commands parsed by ntc-templates."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import CiscoIosDriver, device_of
from tests.support.ios import apply_lines, eventually
from tests.support.switches import reaches, switched_task

ACCESS = """
vlan 10
 name SALES
vlan 20
 name LAB
spanning-tree mode rapid-pvst
{extra}
interface range Gi0/0 - 1
 spanning-tree portfast
interface Gi0/0
 description to a host
 switchport mode access
 switchport access vlan 10
interface Gi0/1
 switchport access vlan 20
 switchport mode access
interface Gi0/2
 switchport trunk encapsulation dot1q
 switchport mode trunk
{ports}
"""
STICK = """
ip routing
interface Gi0/0
 no shutdown
interface Gi0/0.10
 encapsulation dot1Q 10
 ip address 10.0.10.1 255.255.255.0
interface Gi0/0.20
 encapsulation dot1q 20
 ip address 10.0.20.1 255.255.255.0
"""
HOSTS = {
    "a": "10.0.10.11/24 10.0.10.1",
    "b": "10.0.10.12/24 10.0.10.1",
    "c": "10.0.20.11/24 10.0.20.1",
    "d": "10.0.20.12/24 10.0.20.1",
}


@pytest.fixture(scope="module")
def lab(deploy_task):
    """Two switches with a trunk, hosts in two VLANs at each, a router on a stick at the first."""
    configs = {
        "SW1": ACCESS.format(
            extra="spanning-tree vlan 1-20 priority 4096",
            ports="interface Gi0/3\n switchport mode trunk\n spanning-tree portfast trunk",
        ),
        "SW2": ACCESS.format(extra="", ports=""),
        "R1": STICK,
    }
    links = [
        "SW1 Gi0/0 - a eth0",
        "SW1 Gi0/1 - c eth0",
        "SW2 Gi0/0 - b eth0",
        "SW2 Gi0/1 - d eth0",
        "SW1 Gi0/2 - SW2 Gi0/2",
        "SW1 Gi0/3 - R1 Gi0/0",
    ]
    return deploy_task(switched_task(configs, links, switches=["SW1", "SW2"], hosts=HOSTS), time_scale=20)


@pytest.fixture
def configure(lab):
    def configure(node: str, *lines: str) -> None:
        apply_lines(lab.nodes[node], *lines)

    return configure


@pytest.fixture
def show(lab, platform):
    def show(node: str, command: str, template: str | None = None) -> list[dict[str, Any]]:
        text = platform.execute(lab.nodes[node], command)
        return parse_output(platform="cisco_ios", command=template or command, data=text)

    return show


def test_the_lab_is_up_when_it_is_deployed(lab):
    assert reaches(lab.nodes["a"], "10.0.10.12")
    assert reaches(lab.nodes["a"], "10.0.20.12"), "over the router on a stick"
    assert reaches(lab.nodes["d"], "10.0.10.1")


def test_show_vlan_lists_access_ports_only(show):
    table = {row["vlan_id"]: row for row in show("SW1", "show vlan")}
    assert table["10"]["vlan_name"] == "SALES"
    assert table["10"]["interfaces"] == ["Gi0/0"]
    assert table["20"]["interfaces"] == ["Gi0/1"]
    assert table["1"]["interfaces"] == []
    assert table["1002"]["status"] == "act/unsup"
    assert show("SW1", "show vlan brief", "show vlan") == list(table.values())


def test_show_interfaces_status_says_what_each_port_is(show):
    table = {row["port"]: row for row in show("SW1", "show interfaces status")}
    assert (table["Gi0/0"]["status"], table["Gi0/0"]["vlan_id"], table["Gi0/0"]["name"]) == (
        "connected",
        "10",
        "to a host",
    )
    assert table["Gi0/2"]["vlan_id"] == "trunk"


def test_show_interfaces_switchport_tells_the_modes(show):
    table = {row["interface"]: row for row in show("SW1", "show interfaces switchport")}
    assert table["Gi0/0"]["mode"] == "static access"
    assert table["Gi0/0"]["access_vlan"] == "10"
    assert table["Gi0/2"]["admin_mode"] == "trunk"
    assert table["Gi0/2"]["trunking_vlans"] == ["ALL"]


def test_show_interfaces_trunk_tells_what_is_allowed_active_and_forwarded(lab, platform):
    text = platform.execute(lab.nodes["SW1"], "show interfaces trunk")
    assert "Gi0/2       on               802.1q         trunking      1" in text
    blocks = [block for block in text.split("\n\n") if "Gi0/2" in block]
    assert [block.split("Gi0/2")[1].split()[0] for block in blocks[1:]] == ["1-4094", "1,10,20", "1,10,20"]


def test_show_mac_address_table_tells_where_hosts_are(lab, show):
    assert reaches(lab.nodes["a"], "10.0.10.12")
    rows = {(row["vlan_id"], row["destination_port"][0]) for row in show("SW1", "show mac address-table")}
    assert {("10", "Gi0/0"), ("10", "Gi0/2")} <= rows


def test_show_spanning_tree_tells_root_and_roles(lab, platform, show):
    rows = {(row["vlan_id"], row["interface"]): row for row in show("SW2", "show spanning-tree")}
    assert (rows["10", "Gi0/2"]["role"], rows["10", "Gi0/2"]["status"]) == ("Root", "FWD")
    assert rows["20", "Gi0/1"]["type"].strip() == "P2p Edge"
    text = platform.execute(lab.nodes["SW1"], "show spanning-tree vlan 10")
    assert "This bridge is the root" in text
    assert "Bridge ID  Priority    4106  (priority 4096 sys-id-ext 10)" in text
    assert "does not exist" in platform.execute(lab.nodes["SW1"], "show spanning-tree vlan 99")
    assert "Gi0/2" in show("SW2", "show spanning-tree root")[0]["root_port"]


def test_a_vlan_taken_off_the_trunk_is_cut_off(lab, configure):
    configure("SW1", "interface Gi0/2", "switchport trunk allowed vlan remove 10", "end")
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    assert reaches(lab.nodes["c"], "10.0.20.12")
    configure("SW1", "interface Gi0/2", "switchport trunk allowed vlan add 10", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))


def test_svis_route_where_the_router_is_not_asked(lab, configure):
    configure(
        "SW2",
        "interface Vlan10",
        "ip address 10.0.10.2 255.255.255.0",
        "interface Vlan20",
        "ip address 10.0.20.2 255.255.255.0",
        "end",
    )
    b = lab.nodes["b"]
    assert eventually(lambda: reaches(b, "10.0.10.2"))
    b.run(["ip", "route", "replace", "default", "via", "10.0.10.2"])
    assert reaches(b, "10.0.20.2")
    assert reaches(b, "10.0.20.12")
    configure("SW2", "no interface Vlan20", "end")
    assert not reaches(b, "10.0.20.2")
    b.run(["ip", "route", "replace", "default", "via", "10.0.10.1"])
    configure("SW2", "no interface Vlan10", "end")


def test_a_port_moved_to_another_vlan_changes_its_neighbors(lab, configure):
    configure("SW2", "int g0/0", "sw acc vl 20", "end")
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    configure("SW2", "int g0/0", "sw acc vl 10", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))


def test_a_routed_port_has_addresses_and_no_vlan(lab, configure, show):
    configure("SW2", "interface Gi0/1", "no switchport", "ip address 10.0.20.20 255.255.255.0", "end")
    assert {row["port"]: row for row in show("SW2", "show interfaces status")}["Gi0/1"]["vlan_id"] == "routed"
    assert eventually(lambda: reaches(lab.nodes["d"], "10.0.20.20"))
    assert not reaches(lab.nodes["c"], "10.0.20.20"), "it is in no VLAN"
    configure(
        "SW2",
        "interface Gi0/1",
        "no ip address",
        "switchport",
        "switchport mode access",
        "switchport access vlan 20",
        "end",
    )
    assert eventually(lambda: reaches(lab.nodes["c"], "10.0.20.12"))


def test_a_subinterface_without_its_vlan_is_refused_by_no_one_and_carries_nothing(lab, configure):
    configure("R1", "interface Gi0/0.30", "ip address 10.0.30.1 255.255.255.0", "end")
    configure("R1", "no interface Gi0/0.30", "end")
    assert reaches(lab.nodes["a"], "10.0.10.1")


def test_shutting_the_trunk_down_takes_the_remote_hosts_away(lab, configure, show):
    configure("SW1", "interface Gi0/2", "shutdown", "end")
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    assert {row["port"]: row for row in show("SW1", "show interfaces status")}["Gi0/2"]["status"] == "disabled"
    configure("SW1", "interface Gi0/2", "no shutdown", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))


@pytest.mark.parametrize(
    ("here", "there", "trunks"),
    [
        ("switchport mode trunk", "switchport mode dynamic auto", True),
        ("switchport mode dynamic desirable", "switchport mode dynamic auto", True),
        ("switchport mode dynamic auto", "switchport mode dynamic auto", False),
        ("switchport mode access", "switchport mode dynamic desirable", False),
    ],
)
def test_neighbors_agree_on_a_trunk(lab, configure, here, there, trunks):
    configure("SW1", "interface Gi0/2", here, "end")
    configure("SW2", "interface Gi0/2", there, "end")
    within_s = 5.0 if trunks else 1.0
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"), within_s=within_s) == trunks
    text = CiscoIosDriver().execute(lab.nodes["SW2"], "show interfaces trunk")
    assert ("n-802.1q" in text) == trunks
    assert reaches(lab.nodes["a"], "10.0.10.12") == trunks
    for node in ("SW1", "SW2"):
        configure(node, "interface Gi0/2", "switchport mode trunk", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))


def test_cdp_discovers_different_native_vlans(lab, configure, platform):
    configure("SW1", "interface Gi0/2", "switchport trunk native vlan 10")
    words = "%CDP-4-NATIVE_VLAN_MISMATCH: Native VLAN mismatch discovered on GigabitEthernet0/2 ({}), with {}"
    expected = {
        "SW1": words.format(10, "SW2 GigabitEthernet0/2 (1)."),
        "SW2": words.format(1, "SW1 GigabitEthernet0/2 (10)."),
    }

    def is_logged(name, line):
        return line in platform.execute(lab.nodes[name], "show logging")

    try:
        for name, line in expected.items():
            assert eventually(partial(is_logged, name, line), within_s=15)
        configure("SW2", "interface Gi0/2", "no cdp enable")
    finally:
        configure("SW1", "interface Gi0/2", "no switchport trunk native vlan")
        configure("SW2", "interface Gi0/2", "cdp enable")


def test_no_part_of_the_node_refused_anything(lab, platform):
    for name in ("SW1", "SW2", "R1"):
        assert device_of(lab.nodes[name]).problems == []


def test_a_fixed_address_is_at_its_port_and_nowhere_else(lab, configure, show):
    b = lab.nodes["b"]
    digits = b.run(["ip", "-br", "link", "show", "dev", "eth0"]).stdout.split()[2].replace(":", "")
    mac = f"{digits[:4]}.{digits[4:8]}.{digits[8:]}"
    configure("SW1", f"mac address-table static {mac} vlan 10 interface Gi0/0", "end")
    rows = [row for row in show("SW1", "show mac address-table") if row["destination_address"] == mac]
    assert [(row["type"], row["destination_port"]) for row in rows] == [("STATIC", ["Gi0/0"])]
    assert not reaches(lab.nodes["a"], "10.0.10.12"), "frames to b do not leave by the trunk"
    configure("SW1", f"no mac address-table static {mac} vlan 10 interface Gi0/0", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))


def test_an_svi_without_autostate_is_up_with_no_port(lab, configure):
    configure("SW2", "vlan 77", "interface Vlan77", "ip address 10.0.77.1 255.255.255.0", "end")
    node = lab.nodes["SW2"]

    def carrier() -> bool:
        return "LOWER_UP" in node.run(["ip", "-br", "link", "show", "dev", "vl77"]).stdout

    # the trunk carries it, so it must be taken off there
    configure("SW2", "interface Gi0/2", "switchport trunk allowed vlan 1,10,20", "end")
    assert eventually(lambda: not carrier())
    configure("SW2", "interface Vlan77", "no autostate", "end")
    assert eventually(carrier)
    configure("SW2", "no interface Vlan77", "no vlan 77", "interface Gi0/2", "switchport trunk allowed vlan all", "end")
