"""A command that is taken with ``no`` is taken without, too: else a lab has the default of a feature that it lacks.

Forms of all commands are typed. Those of which only a ``no`` form is taken need other lines or values than the samples
have: the table has an example of each, which must be taken.
"""

from __future__ import annotations

import pytest

from pytest_netbench.platforms.cisco_ios.areas import grammar
from tests.support.ios import Session, paper
from tests.support.ios_forms import BASE, PLACES, forms_of

_CLASS = ("class-map match-all NEW",)
_POLICY = ("policy-map NEW", "class CM")
_OSPF, _OSPF6, _OSPFV3 = ("router ospf 1",), ("ipv6 router ospf 2",), ("router ospfv3 2",)
_PORT = ("interface GigabitEthernet0/0",)
_EXAMPLES = {
    ("router-ospf", "area stub"): (*_OSPF, "area 7 stub"),
    ("router-ospf", "area nssa"): (*_OSPF, "area 7 nssa"),
    ("router-ospf", "area virtual-link"): (*_OSPF, "area 7 virtual-link 10.0.12.9"),
    ("ipv6-router-ospf", "area stub"): (*_OSPF6, "area 7 stub"),
    ("ipv6-router-ospf", "area nssa"): (*_OSPF6, "area 7 nssa"),
    ("router-ospfv3", "area stub"): ("no ipv6 router ospf 2", *_OSPFV3, "area 7 stub"),
    ("router-ospfv3", "area nssa"): ("no ipv6 router ospf 2", *_OSPFV3, "area 7 nssa"),
    ("router-ospfv3-af", "area stub"): ("no ipv6 router ospf 2", *_OSPFV3, "address-family ipv6", "area 7 stub"),
    ("router-ospfv3-af", "area nssa"): ("no ipv6 router ospf 2", *_OSPFV3, "address-family ipv6", "area 7 nssa"),
    ("group-network", "group-object"): (
        "object-group network OTHER",
        "host 10.1.1.1",
        "object-group network NETS",
        "group-object OTHER",
    ),
    ("group-network", "range"): ("object-group network NETS", "range 10.0.12.8 10.0.12.9"),
    ("group-service", "group-object"): (
        "object-group service OTHER",
        "tcp eq 80",
        "object-group service SERVICES",
        "group-object OTHER",
    ),
    ("zone-pair", "service-policy type inspect"): (
        "class-map type inspect match-any INSPECTED",
        "match protocol tcp",
        "policy-map type inspect INSPECTING",
        "class type inspect INSPECTED",
        "inspect",
        "zone-pair security PAIR source IN destination OUT",
        "service-policy type inspect INSPECTING",
    ),
    ("cmap", "match qos-group"): (*_CLASS, "match qos-group 1"),
    ("cmap", "match ip rtp"): (*_CLASS, "match ip rtp 8000 5"),
    ("cmap", "match class-map"): (*_CLASS, "match class-map CM"),
    ("cmap-inspect", "match class-map"): (
        "class-map type inspect match-any INNER",
        "match protocol tcp",
        "class-map type inspect match-any WEB",
        "match class-map INNER",
    ),
    ("pmap-c", "priority"): (*_POLICY, "priority 100"),
    ("pmap-c", "service-policy"): (
        "policy-map CHILD",
        "class CM",
        "priority 100",
        *_POLICY,
        "shape average 1000000",
        "service-policy CHILD",
    ),
    ("ip-sla", "timeout"): ("ip sla 3", "icmp-echo 10.0.12.2", "timeout 6000"),
    ("track", "threshold"): ("track 7 list threshold weight", "threshold weight up 3"),
    ("track", "object"): ("track 7 list boolean and", "object 1"),
    ("config", "ip nat inside source static network"): (
        "ip nat inside source static network 10.8.0.0 10.9.0.0 255.255.255.0",
    ),
    ("config", "ip nat outside source static network"): (
        "ip nat outside source static network 10.9.0.0 10.8.0.0 255.255.255.0",
    ),
    ("config", "ip sla schedule"): ("ip sla schedule 1 start-time now",),
    ("config", "ip as-path access-list"): ("ip as-path access-list 5 permit ^65001",),
    ("if", "ipv6 ospf area"): (*_PORT, "ipv6 ospf 2 area 5"),
    ("if", "ospfv3 ipv6 area"): ("no ipv6 router ospf 2", *_PORT, "ospfv3 1 ipv6 area 0"),
    ("if", "ospfv3 area ipv6"): ("no ipv6 router ospf 2", *_PORT, "ospfv3 1 ipv6 area 0"),
    ("if", "ipv6 rip enable"): (*_PORT, "ipv6 rip RIPNG enable"),
    ("if", "service-policy input"): (
        "policy-map MARKS",
        "class CM",
        "set dscp af11",
        *_PORT,
        "service-policy input MARKS",
    ),
    ("if", "ip vrf forwarding"): (*_PORT, "ip vrf forwarding RED"),
    ("router-bgp-vrf", "neighbor peer-group"): (
        "router bgp 65001",
        "address-family ipv4 vrf RED",
        "neighbor OURS peer-group",
    ),
    # "no standby 1" and "no vrrp 1" remove a group, whose other lines have more words
    ("if", "standby"): (*_PORT, "standby 1 ip 10.0.12.254"),
    ("if", "vrrp"): (*_PORT, "vrrp 1 ip 10.0.12.254"),
}


# it numbers the lines of a list that exists, and is not stored
_AT_ONCE = {("config", "ip access-list resequence"): ("ip access-list extended EXT", "ip access-list resequence EXT")}


def _answer(device, *lines):
    """What a device prints to the last of some lines."""
    session = Session(device)
    session.enter("configure terminal")
    return [session.enter(line) for line in lines][-1]


def _only_no(mode):
    """The commands of a mode of which no form is taken, but a ``no`` form is."""
    device = paper(startup=BASE)
    for known in grammar().reader(mode, "router").commands:
        forms = [] if known.command.opens else forms_of("router", mode, known)
        if mode == "router-bgp-vrf":  # the VRF has an IPv4 neighbor only
            forms = [form.replace("2001:DB8:12::2", "10.0.12.2") for form in forms]
        if not forms or any(not _answer(device, *PLACES[mode], form) for form in forms):
            continue
        if any(not _answer(device, *PLACES[mode], f"no {form}") for form in forms):
            yield known.pattern.name


@pytest.mark.parametrize("mode", PLACES)
def test_a_command_that_is_taken_with_no_is_taken_without(mode):
    assert [name for name in _only_no(mode) if (mode, name) not in _EXAMPLES | _AT_ONCE] == []


@pytest.mark.parametrize("lines", _EXAMPLES.values(), ids=[" ".join(key) for key in _EXAMPLES])
def test_the_examples_are_taken(lines):
    device = paper(startup=BASE)
    _answer(device, *lines)
    assert lines[-1] in [line.strip() for line in device.running_config().splitlines()]


@pytest.mark.parametrize("lines", _AT_ONCE.values(), ids=[" ".join(key) for key in _AT_ONCE])
def test_what_is_done_at_once_is_taken(lines):
    assert _answer(paper(startup=BASE), *lines) == ""


def test_of_an_unsupported_feature_neither_form_is_taken():
    for line in ("address-family ipv4", "no address-family ipv4"):
        assert "not supported" in _answer(paper("ipv6 unicast-routing"), "router ospfv3 1", line)
