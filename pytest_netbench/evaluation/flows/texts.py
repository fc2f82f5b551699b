"""Numbers in an operator's words: addresses, prefixes, ports, names of services, markings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.dialects.markings import DSCP
from pytest_netbench.dialects.match_values import Collection, MatchValues, Protocol, Service, span_of

_ADDRESS: Final = re.compile(
    r"(?<![\w.:])(?:\d+\.\d+\.\d+\.\d+|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:]*)(?:/\d+)?(?!\w)"
)
_NUMBERS: Final = r"\d{1,5}(?:\s*(?:,|/|-|and|or|to|through)\s*\d{1,5})*"
_PORTS: Final = re.compile(rf"\b(tcp|udp)?[ /]?(?:ports?|tcp|udp)(?: numbers?)?[ /]({_NUMBERS})\b", re.IGNORECASE)
_RANGE: Final = re.compile(r"(\d+)\s*(?:-|to|through)\s*(\d+)|(\d+)")
_WORDS: Final = re.compile(r"[a-z][a-z0-9-]+")
_SERVICES: Final[dict[str, tuple[Protocol | None, tuple[int, ...]]]] = {
    "dhcp": ("udp", (67, 68)),
    "dns": (None, (53,)),
    "ftp": ("tcp", (21,)),
    "http": ("tcp", (80,)),
    "https": ("tcp", (443,)),
    "imap": ("tcp", (143,)),
    "mail": ("tcp", (25,)),
    "ntp": ("udp", (123,)),
    "rdp": ("tcp", (3389,)),
    "rtp": ("udp", (16384,)),
    "sip": (None, (5060,)),
    "smtp": ("tcp", (25,)),
    "snmp": ("udp", (161,)),
    "ssh": ("tcp", (22,)),
    "syslog": ("udp", (514,)),
    "telnet": ("tcp", (23,)),
    "tftp": ("udp", (69,)),
    "web": ("tcp", (80, 443)),
}


def values_in(text: str) -> MatchValues:
    """What ``text`` names that packets can meet."""
    found = Collection()
    spans = (span_of(match[0].rstrip(".:")) for match in _ADDRESS.finditer(text))
    found.add_spans(span for span in spans if span is not None)
    found.services.update((service, None) for service in _services(text))
    words = _WORDS.findall(text.lower())
    found.dscp.update(
        (DSCP[word], None) for word in words if word in DSCP and word not in ("be", "le", "default", "va")
    )
    found.dscp.update((int(match[1]), None) for match in re.finditer(r"\bDSCP (\d{1,2})\b", text) if int(match[1]) < 64)
    return found.done()


def _services(text: str) -> Iterator[Service]:
    for match in _PORTS.finditer(text):
        named = match[0].lower()
        protocol: Protocol | None = "tcp" if named.startswith("tcp") else "udp" if named.startswith("udp") else None
        for numbers in _RANGE.finditer(match[2]):
            first, last = int(numbers[1] or numbers[3]), int(numbers[2] or numbers[3])
            if 0 < first <= last <= 65535:
                yield Service(protocol, first, last)
    for word in _WORDS.findall(text.lower()):
        if word in _SERVICES:
            named_protocol, ports = _SERVICES[word]
            for port in ports:
                yield Service(named_protocol, port, port)
