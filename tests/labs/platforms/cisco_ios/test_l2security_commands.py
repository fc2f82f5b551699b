"""Port security, DHCP snooping and ARP inspection by IOS commands, with valid and offending hosts."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.services import runner
from tests.support.ios import apply_lines, eventually
from tests.support.ios import show as said
from tests.support.switches import reaches, switched_task

SWITCH = """
vlan 10
interface range Gi0/0 - 3
 switchport mode access
 switchport access vlan 10
 spanning-tree portfast
"""
HOSTS = {"a": "10.0.10.11/24", "b": "10.0.10.12/24", "rogue": "10.0.10.66/24", "server": "10.0.10.1/24"}
SERVER = {
    "dhcp": {
        "pools": [{"name": "LAN", "network": "10.0.10.0/24", "lease_s": 600, "options": {}}],
        "excluded": [["10.0.10.1", "10.0.10.99"]],
    }
}
FALSE = {
    "dhcp": {
        "pools": [{"name": "BAD", "network": "10.0.10.0/24", "lease_s": 600, "options": {}}],
        "excluded": [["10.0.10.1", "10.0.10.199"]],
    }
}
CLIENT = {"dhcp_client": {"interfaces": [{"interface": "eth0"}]}}


@pytest.fixture(scope="module")
def lab(deploy_task):
    links = [f"SW Gi0/{n} - {host} eth0" for n, host in enumerate(HOSTS)]
    return deploy_task(switched_task({"SW": SWITCH}, links, switches=["SW"], hosts=HOSTS), time_scale=20)


@pytest.fixture
def configure(lab):
    return partial(apply_lines, lab.nodes["SW"])


@pytest.fixture
def show(lab, platform):
    def show(command: str, template: str | None = None) -> list[dict[str, Any]]:
        text = platform.execute(lab.nodes["SW"], command)
        return parse_output(platform="cisco_ios", command=template or command, data=text)

    return show


def set_mac(node, mac: str) -> None:
    node.run(["ip", "link", "set", "eth0", "address", mac])
    node.run(["ip", "neigh", "flush", "all"])


def mac_of(node) -> str:
    return node.run(["ip", "-br", "link", "show", "dev", "eth0"]).stdout.split()[2]


def security(show, port="Gi0/0"):
    [row] = show(f"show port-security interface {port}")
    return row


def test_a_second_address_on_a_secure_port_shuts_it_until_it_is_bounced(lab, configure, show):
    a = lab.nodes["a"]
    own = mac_of(a)
    configure("interface Gi0/0", "switchport port-security", "end")
    assert reaches(a, "10.0.10.12")
    assert security(show)["port_status"] == "Secure-up"
    assert security(show)["total_mac_addrs"] == "1"
    set_mac(a, "02:00:00:00:0a:0a")
    assert not reaches(a, "10.0.10.12")
    row = security(show)
    assert (row["port_status"], row["violation_count"]) == ("Secure-shutdown", "1")
    assert row["last_src_mac_addr_vlan"] == "0200.0000.0a0a:10"
    status = {row["port"]: row["status"] for row in show("show interfaces status")}
    assert status["Gi0/0"] == "err-disabled"
    set_mac(a, own)
    configure("interface Gi0/0", "shutdown", "end")
    configure("interface Gi0/0", "no shutdown", "end")
    assert eventually(lambda: reaches(a, "10.0.10.12"))
    configure("interface Gi0/0", "no switchport port-security", "end")


@pytest.mark.parametrize(("mode", "violations"), [("restrict", True), ("protect", False)])
def test_a_stranger_is_dropped_and_the_known_host_goes_on(lab, configure, show, mode, violations):
    a = lab.nodes["a"]
    own = mac_of(a)
    configure("interface Gi0/0", "switchport port-security", f"switchport port-security violation {mode}", "end")
    assert reaches(a, "10.0.10.12")
    said(lab.nodes["SW"], "clear logging")
    set_mac(a, "02:00:00:00:0a:0b")
    assert not reaches(a, "10.0.10.12")
    row = security(show)
    assert row["port_status"] == "Secure-up"
    assert (int(row["violation_count"]) > 0) == violations
    assert ("on port GigabitEthernet0/0." in said(lab.nodes["SW"], "show logging")) == violations
    set_mac(a, own)
    assert reaches(a, "10.0.10.12")
    configure("interface Gi0/0", "no switchport port-security violation", "no switchport port-security", "end")


def test_a_configured_address_leaves_no_room_for_another(lab, configure, show):
    configure(
        "interface Gi0/0",
        "switchport port-security",
        "switchport port-security violation restrict",
        "switchport port-security mac-address 0000.1111.2222",
        "end",
    )
    assert not reaches(lab.nodes["a"], "10.0.10.12")
    assert security(show)["config_mac_addrs"] == "1"
    configure("interface Gi0/0", "switchport port-security maximum 2", "end")
    assert eventually(lambda: reaches(lab.nodes["a"], "10.0.10.12"))
    configure(
        "interface Gi0/0",
        "no switchport port-security mac-address 0000.1111.2222",
        "no switchport port-security maximum",
        "no switchport port-security violation",
        "no switchport port-security",
        "end",
    )


def test_sticky_addresses_survive_the_link(lab, configure, show, platform):
    configure("interface Gi0/0", "switchport port-security", "switchport port-security mac-address sticky", "end")
    assert reaches(lab.nodes["a"], "10.0.10.12")
    assert security(show)["sticky_mac_addrs"] == "1"
    configure("interface Gi0/0", "shutdown", "end")
    configure("interface Gi0/0", "no shutdown", "end")
    assert security(show)["sticky_mac_addrs"] == "1"
    assert "SecureSticky" in platform.execute(lab.nodes["SW"], "show port-security address")
    digits = mac_of(lab.nodes["a"]).replace(":", "")
    line = f" switchport port-security mac-address sticky {digits[:4]}.{digits[4:8]}.{digits[8:]}\n"
    assert line in platform.running_config(lab.nodes["SW"])
    configure("interface Gi0/0", "no switchport port-security mac-address sticky", "no switchport port-security", "end")
    assert line not in platform.running_config(lab.nodes["SW"])


@pytest.fixture(scope="module")
def snooping(lab):
    """Two servers, of which one is trusted, and a client that has got its address."""
    runner.apply(lab.nodes["server"], {}, SERVER)
    runner.apply(lab.nodes["rogue"], {}, FALSE)
    lines = ("ip dhcp snooping", "ip dhcp snooping vlan 10", "interface Gi0/3", "ip dhcp snooping trust", "end")
    apply_lines(lab.nodes["SW"], *lines)
    b = lab.nodes["b"]
    b.run(["ip", "address", "flush", "dev", "eth0"])
    runner.apply(b, {}, CLIENT)
    assert eventually(lambda: runner.state(b, "dhcp_client")["interfaces"]["eth0"]["state"] == "Bound")


@pytest.mark.usefixtures("snooping")
def test_a_server_behind_an_untrusted_port_gives_no_address_and_bindings_are_seen(lab, show):
    b = lab.nodes["b"]
    assert runner.state(b, "dhcp_client")["interfaces"]["eth0"]["server"] == "10.0.10.1"
    [row] = show("show ip dhcp snooping binding")
    assert (row["ip_address"], row["vlan_id"], row["interface"]) == ("10.0.10.100", "10", "GigabitEthernet0/1")
    assert row["mac_address"].lower() == mac_of(b)


@pytest.mark.usefixtures("snooping")
def test_arp_inspection_lets_only_bound_hosts_speak_for_addresses(lab, configure, show, platform):
    configure("ip arp inspection vlan 10", "interface Gi0/3", "ip arp inspection trust", "end")
    b, server, rogue = (lab.nodes[name] for name in ("b", "server", "rogue"))
    for node in (b, server, rogue):
        node.run(["ip", "neigh", "flush", "all"])
    assert reaches(b, "10.0.10.1"), "has a binding"
    assert not reaches(rogue, "10.0.10.1"), "has none"
    mac = mac_of(rogue)
    digits = mac.replace(":", "")
    dotted = ".".join(digits[at : at + 4] for at in (0, 4, 8))
    configure(f"ip source binding {dotted} vlan 10 10.0.10.66 interface Gi0/2", "end")
    assert eventually(lambda: reaches(rogue, "10.0.10.1"))
    configure(f"no ip source binding {dotted} vlan 10 10.0.10.66 interface Gi0/2", "end")
    rogue.run(["ip", "neigh", "flush", "all"])
    assert not reaches(rogue, "10.0.10.1")
    configure(
        "arp access-list FIXED",
        f"permit ip host 10.0.10.66 mac host {dotted}",
        "exit",
        "ip arp inspection filter FIXED vlan 10",
        "end",
    )
    assert eventually(lambda: reaches(rogue, "10.0.10.1"))
    assert reaches(b, "10.0.10.1"), "bindings are asked after the list"
    text = platform.execute(lab.nodes["SW"], "show ip arp inspection")
    counts = next(
        line.split() for line in text.splitlines() if line.split()[:1] == ["10"] and line.split()[1].isdigit()
    )
    assert int(counts[1]) > 0
    assert int(counts[2]) > 0
    configure("no ip arp inspection vlan 10", "no ip dhcp snooping vlan 10", "no ip dhcp snooping", "end")
    assert show("show ip dhcp snooping binding")[1:] == []


def test_protected_ports_reach_the_others_only(lab, configure):
    configure("interface range Gi0/0 , Gi0/2", "switchport protected", "end")
    a = lab.nodes["a"]
    assert reaches(a, "10.0.10.1")
    assert not reaches(a, "10.0.10.66")
    configure("interface Gi0/2", "no switchport protected", "end")
    assert eventually(lambda: reaches(a, "10.0.10.66"))
    configure("interface Gi0/0", "no switchport protected", "end")


def test_nothing_was_refused_by_the_node(lab):
    assert device_of(lab.nodes["SW"]).problems == []
