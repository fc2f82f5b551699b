"""Names of ports that IOS accepts for numbers."""

from __future__ import annotations

from collections.abc import Mapping

_BOTH = {
    "discard": 9,
    "domain": 53,
    "echo": 7,
    "pim-auto-rp": 496,
    "sunrpc": 111,
    "syslog": 514,
    "tacacs": 49,
    "talk": 517,
    "time": 37,
}
TCP_PORTS: Mapping[str, int] = _BOTH | {
    "bgp": 179,
    "chargen": 19,
    "cmd": 514,
    "daytime": 13,
    "drip": 3949,
    "exec": 512,
    "finger": 79,
    "ftp": 21,
    "ftp-data": 20,
    "gopher": 70,
    "hostname": 101,
    "ident": 113,
    "irc": 194,
    "klogin": 543,
    "kshell": 544,
    "login": 513,
    "lpd": 515,
    "nntp": 119,
    "pop2": 109,
    "pop3": 110,
    "smtp": 25,
    "telnet": 23,
    "uucp": 540,
    "whois": 43,
    "www": 80,
}
UDP_PORTS: Mapping[str, int] = _BOTH | {
    "biff": 512,
    "bootpc": 68,
    "bootps": 67,
    "dnsix": 195,
    "isakmp": 500,
    "mobile-ip": 434,
    "nameserver": 42,
    "netbios-dgm": 138,
    "netbios-ns": 137,
    "netbios-ss": 139,
    "non500-isakmp": 4500,
    "ntp": 123,
    "rip": 520,
    "snmp": 161,
    "snmptrap": 162,
    "tftp": 69,
    "who": 513,
    "xdmcp": 177,
}
