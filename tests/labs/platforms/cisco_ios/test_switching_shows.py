"""Show commands of switching without any configuration: their output is valid for its template."""

from __future__ import annotations

import pytest
from ntc_templates.parse import parse_output

from pytest_netbench import parts
from tests.support.switches import switched_task

PARSED = {
    "show vlan": 5,
    "show interfaces status": 2,
    "show interfaces status err-disabled": 0,
    "show interfaces switchport": 2,
    "show mac address-table": 0,
    "show spanning-tree": 1,
    "show spanning-tree root": 1,
    "show port-security interface Gi0/0": 1,
    "show ip dhcp snooping binding": 0,
    "show cdp neighbors": 0,
    "show cdp neighbors detail": 0,
    "show lldp neighbors detail": 0,
}
PLAIN = {
    "show vlan brief": "1    default                          active    Gi0/0, Gi0/1",
    "show vlan id 1": "active",
    "show vlan id 99": "VLAN id 99 not found in current VLAN database",
    "show vlan name nothing": "VLAN name nothing not found in current VLAN database",
    "show interfaces trunk": "",
    "show interfaces Gi0/1 switchport": "Operational Mode: down",
    "show mac address-table count": "Mac Entries for Vlan 1:",
    "show mac address-table aging-time": "Global Aging Time:  300",
    "show mac address-table dynamic vlan 1 interface Gi0/1": "Total Mac Addresses for this criterion: 0",
    "show spanning-tree vlan 99": "Spanning tree instance(s) for vlan 99 does not exist.",
    "show spanning-tree detail": "We are the root of the spanning tree",
    "show spanning-tree summary": "Switch is in pvst mode",
    "show spanning-tree interface Gi0/0": "VLAN0001            Desg FWD 4         128.1    P2p Edge",
    "show spanning-tree interface Gi0/0 portfast": "VLAN0001            enabled",
    "show spanning-tree interface Gi0/1": "no spanning tree info available for GigabitEthernet0/1",
    "show spanning-tree blockedports": "Number of blocked ports (segments) in the system : 0",
    "show spanning-tree inconsistentports": "Number of inconsistent ports (segments) in the system : 0",
    "show port-security": "Secure Port  MaxSecureAddr",
    "show port-security address": "Secure Mac Address Table",
    "show ip dhcp snooping": "Switch DHCP snooping is disabled",
    "show ip arp inspection": "Source Mac Validation      : Disabled",
    "show ip arp inspection interfaces": "Gi0/0            Untrusted",
    "show cdp": "Sending CDP packets every 60 seconds",
    "show cdp entry *": "Total cdp entries displayed : 0",
    "show lldp neighbors": "% LLDP is not enabled",
}


@pytest.fixture(scope="module")
def show(deploy_task):
    """Return the output of a switch with one host; Gi0/1 has no cable."""
    config = "interface Gi0/0\n spanning-tree portfast\ninterface Gi0/1\n description not plugged\n"
    lab = deploy_task(
        switched_task({"SW": config}, ["SW Gi0/0 - h eth0"], switches=["SW"], hosts={"h": "10.0.0.1/24"}), time_scale=20
    )
    platform = parts.load("drivers", "cisco_ios")()
    return lambda command: platform.execute(lab.nodes["SW"], command)


@pytest.mark.parametrize("command", PARSED)
def test_its_template_reads_it(show, command):
    text = show(command)
    if command == "show mac address-table":
        text = show(f"{command} interface Gi0/1")
    assert len(parse_output(platform="cisco_ios", command=command, data=text)) == PARSED[command], text


@pytest.mark.parametrize("command", PLAIN)
def test_it_says_what_there_is(show, command):
    text = show(command)
    assert "% Invalid" not in text
    assert PLAIN[command] in text
