"""Names of code points, precedences and protocols."""

from __future__ import annotations

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.dialects.markings import PRECEDENCES
from pytest_netbench.platforms.cisco_ios.grammar.types import ArgType, one

PROTOCOLS = {
    "arp": "",
    "bgp": "tcp 179",
    "dhcp": "udp 67-68",
    "dns": "th 53",
    "eigrp": "l4 88",
    "ftp": "tcp 20-21",
    "gre": "l4 47",
    "http": "tcp 80",
    "icmp": "l4 1",
    "imap": "tcp 143",
    "ip": "ip",
    "ipv6": "ip6",
    "ipsec": "l4 50",
    "kerberos": "th 88",
    "ldap": "th 389",
    "netbios": "th 137-139",
    "nfs": "th 2049",
    "ntp": "udp 123",
    "ospf": "l4 89",
    "pop3": "tcp 110",
    "rip": "udp 520",
    "rsvp": "l4 46",
    "rtp": "udp 16384-32767",
    "rtsp": "th 554",
    "secure-http": "tcp 443",
    "sip": "th 5060",
    "skinny": "tcp 2000-2002",
    "smtp": "tcp 25",
    "snmp": "udp 161-162",
    "ssh": "tcp 22",
    "ssl": "tcp 443",
    "syslog": "udp 514",
    "telnet": "tcp 23",
    "tftp": "udp 69",
}
"""NBAR's names, matched by port or protocol number: ``th`` is TCP and UDP."""

_DSCP_NAMES = {value: name for name, value in DSCP.items()}


def dscp_name(value: int) -> str:
    """Return ``ef``, ``af31`` and so on, or the number."""
    return _DSCP_NAMES.get(value, str(value))


def _dscp(text: str) -> str | None:
    lower = text.lower()
    if lower in DSCP:
        return lower
    return dscp_name(int(lower)) if lower.isdigit() and int(lower) < 64 else None


def _precedence(text: str) -> str | None:
    lower = text.lower()
    if lower in PRECEDENCES:
        return str(PRECEDENCES[lower])
    return str(int(lower)) if lower.isdigit() and int(lower) < 8 else None


TYPES: dict[str, ArgType] = {
    "dscp": one("<0-63>|WORD", _dscp, "DSCP value or name such as ef, af31, cs3, default"),
    "prec": one("<0-7>|WORD", _precedence, "Precedence value or name"),
    "protocol": one("WORD", lambda text: text.lower() if text.lower() in PROTOCOLS else None, "Protocol"),
}
