"""Every ``show`` command of the grammar, on a lab with much configuration and on one without any.

Public templates parse the output. Most of them fail on an unknown line, so no output is ignored unnoticed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from ntc_templates.parse import ParsingException, parse_output
from textfsm import TextFSMError

from pytest_netbench.platforms.cisco_ios.areas import grammar
from pytest_netbench.platforms.cisco_ios.driver import device_of
from pytest_netbench.platforms.cisco_ios.grammar import pattern
from tests.support.ios import Session, ios_task

SAMPLES = {
    "INTERFACE": "GigabitEthernet0/0",
    "A.B.C.D": "10.0.12.1",
    "X:X:X:X::X": "2001:db8:12::1",
    "X:X:X:X::X/<0-128>": "2001:db8:12::/64",
    "A.B.C.D/nn": "10.0.12.0/24",
    "WORD": "EDGE",
    "H.H.H": "0000.0c07.ac01",
    "LINE": "EDGE",
}
RICH = """
hostname {name}
ipv6 unicast-routing
ip dhcp excluded-address 10.{n}.0.1 10.{n}.0.9
ip dhcp pool LAN
 network 10.{n}.0.0 255.255.255.0
 default-router 10.{n}.0.1
ip sla 1
 icmp-echo 10.0.12.{m}
 frequency 5
ip sla schedule 1 life forever start-time now
track 1 ip sla 1 reachability
class-map match-any VOICE
 match dscp ef
policy-map EDGE
 class VOICE
  priority 256
 class class-default
  police 1000000 conform-action transmit exceed-action drop
interface Loopback0
 ip address {n}.{n}.{n}.{n} 255.255.255.255
interface GigabitEthernet0/0
 description to the other one
 ip address 10.0.12.{n} 255.255.255.0
 ipv6 address 2001:db8:12::{n}/64
 ip access-group EDGE in
 ip nat outside
 ipv6 ospf 1 area 0
 service-policy output EDGE
interface GigabitEthernet0/1
 ip address 10.{n}.0.1 255.255.255.0
 ip nat inside
 standby 1 ip 10.{n}.0.254
 standby 1 priority 110
 standby 1 preempt
router ospf 1
 router-id {n}.{n}.{n}.{n}
 network 0.0.0.0 255.255.255.255 area 0
router bgp 6500{n}
 bgp router-id {n}.{n}.{n}.{n}
 network 10.{n}.0.0 mask 255.255.255.0
 neighbor 10.0.12.{m} remote-as 6500{m}
ip nat inside source static 10.{n}.0.50 10.0.12.{n}0
ip route 172.16.0.0 255.255.0.0 10.0.12.{m} 5
ip route 10.99.0.0 255.255.0.0 Null0
ip access-list standard INSIDE
 permit 10.{n}.0.0 0.0.0.255
ip access-list extended EDGE
 permit icmp any any
 permit ip any any
ip prefix-list EDGE seq 5 permit 10.0.0.0/8
route-map EDGE permit 10
 match ip address INSIDE
 set metric 5
ipv6 router ospf 1
 router-id {n}.{n}.{n}.{n}
ipv6 access-list SIX
 permit ipv6 any any
"""
SWITCH = """
hostname S1
vlan 10
 name staff
interface GigabitEthernet0/0
 switchport mode trunk
interface GigabitEthernet0/1
 switchport access vlan 10
 switchport mode access
interface Vlan10
 ip address 10.10.0.2 255.255.255.0
"""
NO_SUCH_FILE = "show archive config incremental-diffs EDGE"
NOT_FOR_TEMPLATES = {
    "show archive": "the template knows no device without an archive, and takes the words behind it for its own",
    "show startup-config": "taken for another command's template",
    "show ip arp inspection": "taken for the template of show ip arp",
    "show lldp neighbors": "the template knows no device on which LLDP does not run",
    "show ip protocols": "no template",
    "show ip dhcp pool": "no template",
}


def lines(role: str) -> list[str]:
    """Return every ``show`` command of a role without optional words, one for each choice."""
    reader = grammar().reader("exec", role)
    found = [
        words
        for known in reader.commands
        if known.pattern.name.startswith("show")
        for words in expand(known.pattern.root)
    ]
    return sorted(set(found) - {NO_SUCH_FILE})


def expand(node: pattern.Node) -> Iterator[str]:
    if isinstance(node, pattern.Keyword):
        yield node.word
    elif isinstance(node, pattern.Argument):
        shown = node.type.shown
        number = shown[1:].split("-")[0] if shown.startswith("<") else ""
        yield SAMPLES.get(shown) or ("10.0.12.2" if "A.B.C.D" in shown else number or "EDGE")
    elif isinstance(node, pattern.Sequence):
        for parts in product(*(list(expand(item)) for item in node.items)):
            yield " ".join(part for part in parts if part)
    elif isinstance(node, pattern.Choice):
        for option in node.options:
            yield from expand(option)
    elif isinstance(node, pattern.Repeat):
        yield from expand(node.inner)
    else:
        yield ""


@pytest.fixture(scope="module")
def lab(deploy_task):
    """R1 and R2 with much configuration, a switch S1, a router E1 and a switch E2 without any."""
    configs = {f"R{n}": RICH.format(name=f"R{n}", n=n, m=3 - n) for n in (1, 2)}
    task = ios_task(
        {**configs, "S1": SWITCH, "E1": "hostname E1\n", "E2": "hostname E2\n"},
        ["R1 Gi0/0 - R2 Gi0/0", "R1 Gi0/1 - S1 Gi0/1", "S1 Gi0/0 - E2 Gi0/0", "R2 Gi0/1 - E1 Gi0/0"],
        roles={"S1": "switch", "E2": "switch"},
    )
    return deploy_task(task)


@pytest.mark.parametrize("name", ["R1", "S1", "E1", "E2"])
def test_every_show_is_answered_and_read_by_its_template(lab, name):
    device = device_of(lab.nodes[name])
    session = Session(device, read_only=True)
    wrong = []
    for line in lines(device.role):
        text = session.enter(line)
        if session.refused:
            wrong.append(f"{line}: refused: {text.strip()}")
            continue
        if line.startswith(tuple(NOT_FOR_TEMPLATES)):
            continue
        try:
            parse_output(platform="cisco_ios", command=line, data=text)
        except ParsingException as error:
            if "No template found" not in str(error):
                wrong.append(f"{line}: {error}")
        except TextFSMError as error:
            wrong.append(f"{line}: {error}")
    assert device.problems == []
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "show ip route",
        "show ip interface brief",
        "show interfaces",
        "show ip ospf neighbor",
        "show ip bgp summary",
        "show ip bgp",
        "show access-lists",
        "show ip nat translations",
        "show standby brief",
        "show arp",
        "show version",
        "show route-map",
        "show ip prefix-list",
        "show ipv6 route",
        "show ip ospf interface brief",
        "show cdp neighbors",
        "show ipv6 interface brief",
        "show inventory",
    ],
)
def test_what_is_configured_is_in_what_the_template_reads(lab, line):
    text = Session(device_of(lab.nodes["R1"]), read_only=True).enter(line)
    rows = parse_output(platform="cisco_ios", command=line, data=text)
    assert rows, text


@pytest.mark.parametrize(
    "line",
    [
        "show vlan brief",
        "show interfaces status",
        "show spanning-tree",
        "show interfaces switchport",
    ],
)
def test_what_a_switch_has_is_in_what_the_template_reads(lab, line):
    rows = parse_output(
        platform="cisco_ios", command=line, data=Session(device_of(lab.nodes["S1"]), read_only=True).enter(line)
    )
    assert rows
