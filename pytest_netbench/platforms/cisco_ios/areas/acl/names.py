"""Names that access lists accept for numbers: ports, ICMP types, protocols, precedences."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.dialects.cisco_ios.ports import TCP_PORTS, UDP_PORTS

TCP_NAMES: Mapping[int, str] = {number: name for name, number in TCP_PORTS.items() if name != "syslog"}
UDP_NAMES: Mapping[int, str] = {number: name for name, number in UDP_PORTS.items()}

Icmp = tuple[int, int | None]
ICMP: Mapping[str, Icmp] = {
    "administratively-prohibited": (3, 13),
    "alternate-address": (6, None),
    "conversion-error": (31, None),
    "dod-host-prohibited": (3, 10),
    "dod-net-prohibited": (3, 9),
    "echo": (8, None),
    "echo-reply": (0, None),
    "general-parameter-problem": (12, 0),
    "host-isolated": (3, 8),
    "host-precedence-unreachable": (3, 14),
    "host-redirect": (5, 1),
    "host-tos-redirect": (5, 3),
    "host-tos-unreachable": (3, 12),
    "host-unknown": (3, 7),
    "host-unreachable": (3, 1),
    "information-reply": (16, None),
    "information-request": (15, None),
    "mask-reply": (18, None),
    "mask-request": (17, None),
    "mobile-redirect": (32, None),
    "net-redirect": (5, 0),
    "net-tos-redirect": (5, 2),
    "net-tos-unreachable": (3, 11),
    "net-unreachable": (3, 0),
    "network-unknown": (3, 6),
    "no-room-for-option": (12, 2),
    "option-missing": (12, 1),
    "packet-too-big": (3, 4),
    "parameter-problem": (12, None),
    "port-unreachable": (3, 3),
    "precedence-unreachable": (3, 15),
    "protocol-unreachable": (3, 2),
    "reassembly-timeout": (11, 1),
    "redirect": (5, None),
    "router-advertisement": (9, None),
    "router-solicitation": (10, None),
    "source-quench": (4, None),
    "source-route-failed": (3, 5),
    "time-exceeded": (11, None),
    "timestamp-reply": (14, None),
    "timestamp-request": (13, None),
    "traceroute": (30, None),
    "ttl-exceeded": (11, 0),
    "unreachable": (3, None),
}
ICMP6: Mapping[str, Icmp] = {
    "beyond-scope": (1, 2),
    "destination-unreachable": (1, 3),
    "echo-reply": (129, None),
    "echo-request": (128, None),
    "header": (4, 0),
    "hop-limit": (3, 0),
    "mld-query": (130, None),
    "mld-reduction": (132, None),
    "mld-report": (131, None),
    "nd-na": (136, None),
    "nd-ns": (135, None),
    "next-header": (4, 1),
    "no-admin": (1, 1),
    "no-route": (1, 0),
    "packet-too-big": (2, None),
    "parameter-option": (4, 2),
    "parameter-problem": (4, None),
    "port-unreachable": (1, 4),
    "reassembly-timeout": (3, 1),
    "router-advertisement": (134, None),
    "router-renumbering": (138, None),
    "router-solicitation": (133, None),
    "time-exceeded": (3, None),
    "unreachable": (1, None),
}

PROTOCOLS: Mapping[str, int] = {
    "ahp": 51,
    "eigrp": 88,
    "esp": 50,
    "gre": 47,
    "icmp": 1,
    "igmp": 2,
    "ipinip": 4,
    "nos": 94,
    "ospf": 89,
    "pcp": 108,
    "pim": 103,
    "sctp": 132,
    "tcp": 6,
    "udp": 17,
}
PROTOCOL_NAMES: Mapping[int, str] = {number: name for name, number in PROTOCOLS.items()}
PROTOCOLS6: Mapping[str, int] = {"ahp": 51, "esp": 50, "icmp": 58, "pcp": 108, "sctp": 132, "tcp": 6, "udp": 17}
PROTOCOL_NAMES6: Mapping[int, str] = {number: name for name, number in PROTOCOLS6.items()}

TOS: Mapping[str, int] = {
    "max-reliability": 2,
    "max-throughput": 4,
    "min-delay": 8,
    "min-monetary-cost": 1,
    "normal": 0,
}
FLAGS = ("ack", "fin", "psh", "rst", "syn", "urg")
