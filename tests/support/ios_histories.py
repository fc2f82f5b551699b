"""Where IOS itself keeps what was typed before: pairs that do not equal a boot with the second form alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tests.support.ios_forms import Pair


@dataclass(frozen=True)
class History:
    """Commands that keep something of what was typed before.

    Args:
        mode: The beginning of their modes' names.
        begins: How their patterns begin.
        why: What is kept.
        source: Where that is described.
        removal: Whether only ``no`` keeps it.
    """

    mode: str
    begins: tuple[str, ...]
    why: str
    source: str
    removal: bool = False

    def holds(self, pair: Pair) -> bool:
        """Whether it is about a pair."""
        pattern = pair.command.partition(": ")[2]
        return (
            pair.mode.startswith(self.mode)
            and pattern.startswith(self.begins)
            and (not self.removal or pair.then.startswith("no "))
        )


_OURS: Final = "the pair, not IOS: the base config has such a line, which the first form replaces"
HISTORIES: Final = (
    History(
        "acl-",
        ("[ {seq", "[ sequence"),
        "entries are added, and a number that is taken is refused",
        "Cisco IOS Security Configuration Guide, IP Access List Entry Sequence Numbering",
    ),
    History(
        "config",
        ("access-list",),
        "entries are added at the end of a numbered list",
        "Cisco IOS Security Command Reference, access-list (IP extended)",
    ),
    History(
        "config",
        ("ip prefix-list", "ipv6 prefix-list", "ip as-path access-list", "ip community-list"),
        "entries are added to a list",
        "Cisco IOS IP Routing: BGP Command Reference, ip prefix-list, ip as-path access-list, ip community-list",
    ),
    History(
        "route-map",
        ("match",),
        "values of one kind add up in one line",
        "Cisco IOS IP Routing: Protocol-Independent Command Reference, match ip address",
    ),
    History(
        "",
        ("redistribute",),
        "no with a keyword takes that keyword and leaves the others",
        "Cisco IOS IP Routing: Protocol-Independent Command Reference, redistribute (IP), usage guidelines",
        removal=True,
    ),
    History(
        "ip-sla",
        ("icmp-echo", "udp-", "tcp-", "icmp-"),
        "an operation that has a type refuses another one until it is deleted",
        "Cisco IOS IP SLAs Command Reference, ip sla, usage guidelines",
    ),
    History(
        "if",
        ("ip vrf forwarding", "vrf forwarding"),
        "the addresses of an interface go when it changes its VRF",
        "Cisco IOS MPLS Command Reference, ip vrf forwarding, usage guidelines",
    ),
    History(
        "config",
        ("class-map",),
        "a class map that exists is only entered, and keeps how it matches",
        "Cisco IOS Quality of Service Solutions Command Reference, class-map",
    ),
    History(
        "config",
        ("track",),
        "an object that exists refuses to be tracked in another way until it is deleted",
        "Cisco IOS IP Application Services Command Reference, track",
    ),
    History(
        "",
        ("service-policy",),
        "a place that has a policy refuses another one until it is removed",
        "Cisco IOS Quality of Service Solutions Command Reference, service-policy",
    ),
    History(
        "config",
        ("spanning-tree vlan {vlans:vlans} root",),
        "a macro that writes the priorities of its own VLANs",
        "Cisco IOS LAN Switching Command Reference, spanning-tree vlan",
    ),
    History(
        "if",
        ("switchport access vlan", "switchport voice vlan"),
        "a VLAN that does not exist is created, and stays",
        "Cisco IOS LAN Switching Command Reference, switchport access vlan",
    ),
    History(
        "config",
        ("ip dhcp snooping vlan", "ip arp inspection vlan"),
        "VLANs add up in one line",
        "Cisco IOS LAN Switching Command Reference, ip dhcp snooping vlan",
    ),
    History("if", ("description ^",), "the pair, not IOS: the form without a text changes nothing", "-"),
    History("if", ("ipv6 router isis",), "the pair, not IOS: a process of another name is refused", "-"),
    History("if", ("ip address",), _OURS, "-"),
    History("if", ("ip ospf {process",), _OURS, "-", removal=True),
    History("config", ("ip nat pool",), _OURS, "-"),
    History("pmap-c", ("bandwidth",), _OURS, "-", removal=True),
    History("pmap-inspect-c", ("inspect", "pass", "drop"), _OURS, "-", removal=True),
    History("", ("router-id", "bgp router-id", "key-string", "set metric {"), _OURS, "-", removal=True),
)
"""The exceptions, each with its source. The test of forms compares these pairs with a boot of what is stored."""

ELECTED: Final = re.compile(r" State |Designated|designated|on this network|Hello due|Adjacent| Neighbor Count")
"""Lines of ``show ip ospf interface`` about who was elected, and stays so when others come (RFC 2328, 9.4)."""


def history(pair: Pair) -> History | None:
    """Why a pair is an exception; ``None`` if it is none."""
    return next((one for one in HISTORIES if one.holds(pair)), None)
