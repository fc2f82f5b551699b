"""The words that access lists have for numbers: ports, ICMP types, protocols, precedences."""

from __future__ import annotations

from collections.abc import Mapping

_BOTH = {
    "discard": 9, "domain": 53, "echo": 7, "pim-auto-rp": 496, "sunrpc": 111, "syslog": 514, "tacacs": 49, "talk": 517, "time": 37,
}  # fmt: skip
TCP_PORTS: Mapping[str, int] = _BOTH | {
    "bgp": 179, "chargen": 19, "cmd": 514, "daytime": 13, "drip": 3949, "exec": 512, "finger": 79, "ftp": 21, "ftp-data": 20,
    "gopher": 70, "hostname": 101, "ident": 113, "irc": 194, "klogin": 543, "kshell": 544, "login": 513, "lpd": 515, "nntp": 119,
    "pop2": 109, "pop3": 110, "smtp": 25, "telnet": 23, "uucp": 540, "whois": 43, "www": 80,
}  # fmt: skip
UDP_PORTS: Mapping[str, int] = _BOTH | {
    "biff": 512, "bootpc": 68, "bootps": 67, "dnsix": 195, "isakmp": 500, "mobile-ip": 434, "nameserver": 42, "netbios-dgm": 138,
    "netbios-ns": 137, "netbios-ss": 139, "non500-isakmp": 4500, "ntp": 123, "rip": 520, "snmp": 161, "snmptrap": 162, "tftp": 69,
    "who": 513, "xdmcp": 177,
}  # fmt: skip
TCP_NAMES: Mapping[int, str] = {number: name for name, number in TCP_PORTS.items() if name != "syslog"}
UDP_NAMES: Mapping[int, str] = {number: name for name, number in UDP_PORTS.items()}

Icmp = tuple[int, int | None]
ICMP: Mapping[str, Icmp] = {
    "administratively-prohibited": (3, 13), "alternate-address": (6, None), "conversion-error": (31, None),
    "dod-host-prohibited": (3, 10), "dod-net-prohibited": (3, 9), "echo": (8, None), "echo-reply": (0, None),
    "general-parameter-problem": (12, 0), "host-isolated": (3, 8), "host-precedence-unreachable": (3, 14), "host-redirect": (5, 1),
    "host-tos-redirect": (5, 3), "host-tos-unreachable": (3, 12), "host-unknown": (3, 7), "host-unreachable": (3, 1),
    "information-reply": (16, None), "information-request": (15, None), "mask-reply": (18, None), "mask-request": (17, None),
    "mobile-redirect": (32, None), "net-redirect": (5, 0), "net-tos-redirect": (5, 2), "net-tos-unreachable": (3, 11),
    "net-unreachable": (3, 0), "network-unknown": (3, 6), "no-room-for-option": (12, 2), "option-missing": (12, 1),
    "packet-too-big": (3, 4), "parameter-problem": (12, None), "port-unreachable": (3, 3), "precedence-unreachable": (3, 15),
    "protocol-unreachable": (3, 2), "reassembly-timeout": (11, 1), "redirect": (5, None), "router-advertisement": (9, None),
    "router-solicitation": (10, None), "source-quench": (4, None), "source-route-failed": (3, 5), "time-exceeded": (11, None),
    "timestamp-reply": (14, None), "timestamp-request": (13, None), "traceroute": (30, None), "ttl-exceeded": (11, 0),
    "unreachable": (3, None),
}  # fmt: skip
ICMP6: Mapping[str, Icmp] = {
    "beyond-scope": (1, 2), "destination-unreachable": (1, 3), "echo-reply": (129, None), "echo-request": (128, None),
    "header": (4, 0), "hop-limit": (3, 0), "mld-query": (130, None), "mld-reduction": (132, None), "mld-report": (131, None),
    "nd-na": (136, None), "nd-ns": (135, None), "next-header": (4, 1), "no-admin": (1, 1), "no-route": (1, 0),
    "packet-too-big": (2, None), "parameter-option": (4, 2), "parameter-problem": (4, None), "port-unreachable": (1, 4),
    "reassembly-timeout": (3, 1), "router-advertisement": (134, None), "router-renumbering": (138, None),
    "router-solicitation": (133, None), "time-exceeded": (3, None), "unreachable": (1, None),
}  # fmt: skip

PROTOCOLS: Mapping[str, int] = {
    "ahp": 51, "eigrp": 88, "esp": 50, "gre": 47, "icmp": 1, "igmp": 2, "ipinip": 4, "nos": 94, "ospf": 89, "pcp": 108, "pim": 103,
    "sctp": 132, "tcp": 6, "udp": 17,
}  # fmt: skip
PROTOCOL_NAMES: Mapping[int, str] = {number: name for name, number in PROTOCOLS.items()}
PROTOCOLS6: Mapping[str, int] = {"ahp": 51, "esp": 50, "icmp": 58, "pcp": 108, "sctp": 132, "tcp": 6, "udp": 17}
PROTOCOL_NAMES6: Mapping[int, str] = {number: name for name, number in PROTOCOLS6.items()}

DSCP: Mapping[str, int] = {
    **{f"af{high}{low}": high * 8 + low * 2 for high in range(1, 5) for low in range(1, 4)},
    **{f"cs{number}": number * 8 for number in range(1, 8)},
    "default": 0,
    "ef": 46,
}
PRECEDENCE: Mapping[str, int] = {
    "critical": 5, "flash": 3, "flash-override": 4, "immediate": 2, "internet": 6, "network": 7, "priority": 1, "routine": 0,
}  # fmt: skip
TOS: Mapping[str, int] = {
    "max-reliability": 2,
    "max-throughput": 4,
    "min-delay": 8,
    "min-monetary-cost": 1,
    "normal": 0,
}
FLAGS = ("ack", "fin", "psh", "rst", "syn", "urg")
