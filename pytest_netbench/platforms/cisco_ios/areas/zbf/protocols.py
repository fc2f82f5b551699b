"""Protocols that class maps of the zone-based firewall name, and how the kernel tells them."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.platforms.cisco_ios.grammar.types import one

PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "tcp": ("meta l4proto tcp",),
    "udp": ("meta l4proto udp",),
    "icmp": ("meta l4proto { icmp, ipv6-icmp }",),
    **{
        name: tuple(f"{transport} dport {port}" for transport in transports.split("/"))
        for name, transports, port in (
            ("bgp", "tcp", 179),
            ("bootpc", "udp", 68),
            ("bootps", "udp", 67),
            ("dns", "tcp/udp", 53),
            ("echo", "tcp/udp", 7),
            ("finger", "tcp", 79),
            ("ftp", "tcp", 21),
            ("ftps", "tcp", 990),
            ("gopher", "tcp", 70),
            ("h323", "tcp", 1720),
            ("http", "tcp", 80),
            ("https", "tcp", 443),
            ("ident", "tcp", 113),
            ("imap", "tcp", 143),
            ("imap3", "tcp", 220),
            ("imaps", "tcp", 993),
            ("isakmp", "udp", 500),
            ("kerberos", "tcp/udp", 88),
            ("ldap", "tcp", 389),
            ("ldaps", "tcp", 636),
            ("login", "tcp", 513),
            ("mysql", "tcp", 3306),
            ("nfs", "tcp/udp", 2049),
            ("nntp", "tcp", 119),
            ("ntp", "tcp/udp", 123),
            ("pop3", "tcp", 110),
            ("pop3s", "tcp", 995),
            ("radius", "udp", 1812),
            ("router", "udp", 520),
            ("rtsp", "tcp", 554),
            ("shell", "tcp", 514),
            ("sip", "tcp/udp", 5060),
            ("smtp", "tcp", 25),
            ("snmp", "udp", 161),
            ("snmptrap", "udp", 162),
            ("sqlnet", "tcp", 1521),
            ("ssh", "tcp", 22),
            ("sunrpc", "tcp/udp", 111),
            ("syslog", "udp", 514),
            ("tacacs", "tcp/udp", 49),
            ("telnet", "tcp", 23),
            ("tftp", "udp", 69),
            ("time", "tcp/udp", 37),
            ("who", "udp", 513),
            ("whois", "tcp", 43),
            ("x11", "tcp", 6000),
        )
    },
}
"""Protocols of ``match protocol``, by the ports that IOS maps to applications."""


def _protocol(text: str) -> str | None:
    lower = text.lower()
    if lower in PROTOCOLS:
        return lower
    fitting = [name for name in PROTOCOLS if name.startswith(lower)]
    return fitting[0] if len(fitting) == 1 else None


TYPES = {"application": one("WORD", _protocol, "Protocol")}
