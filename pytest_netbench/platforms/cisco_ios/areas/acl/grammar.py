"""The syntax of access list lines: what may follow ``permit`` and ``deny``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.acl.names import FLAGS

_SEQUENCE = "{seq!:1-2147483647}"
_ACTION = "( permit | deny )"
_LOG = "( log [ {cookie:word} ] | log-input )"


def _end(side: str) -> str:
    return (
        f"( any | host {{{side}_host:ipv4}} | {{{side}_net:ipv4}} {{{side}_wild:wildcard}} "
        f"| object-group {{{side}_group:name}} )"
    )


def _end6(side: str) -> str:
    return f"( any | host {{{side}_host:ipv6}} | {{{side}_prefix:ipv6prefix}} )"


def _ports(side: str, kind: str) -> str:
    return (
        f"[ eq {{{side}_eq:{kind}}}+ | neq {{{side}_neq:{kind}}}+ | lt {{{side}_lt:{kind}}} | gt {{{side}_gt:{kind}}} "
        f"| range {{{side}_from:{kind}}} {{{side}_to:{kind}}} ]"
    )


_COMMON = (
    f"dscp {{dscp:dscp}} | precedence {{precedence:precedence}} | tos {{tos:tos}} | fragments | {_LOG} | time-range"
    " {during:word} | ttl ( eq {ttl_eq:0-255} | gt {ttl_gt:0-255} | lt {ttl_lt:0-255} | neq {ttl_neq:0-255}"
    " ) | reflect {reflect:name} [ timeout {reflect_s:1-2147483} ]"
)
_COMMON6 = f"dscp {{dscp:dscp}} | fragments | {_LOG} | time-range {{during:word}}"
_TCP = f"established | {' | '.join(FLAGS)} | ( match-any | match-all ) {{flags:tcpflag}}+"
_PLAIN = (
    "( ip | ahp | eigrp | esp | gre | igmp | ipinip | nos | ospf | pcp | pim | sctp | {protocol:0-255} | object-group"
    " {service:name} )"
)
_PLAIN6 = "( ipv6 | ahp | esp | pcp | sctp | {protocol:0-255} )"

STANDARD = f"{_ACTION} ( any | host {{src_host:ipv4}} | {{src_net:ipv4}} [ {{src_wild:wildcard}} ] ) [ {_LOG} ]"
"""A line of a standard list."""
EXTENDED = (
    (
        f"{_ACTION} tcp {_end('src')} {_ports('src', 'tcpport')} {_end('dst')} {_ports('dst', 'tcpport')} < {_TCP} |"
        f" {_COMMON} >"
    ),
    f"{_ACTION} udp {_end('src')} {_ports('src', 'udpport')} {_end('dst')} {_ports('dst', 'udpport')} < {_COMMON} >",
    f"{_ACTION} icmp {_end('src')} {_end('dst')} [ {{icmp:icmptype}} ] < {_COMMON} >",
    f"{_ACTION} {_PLAIN} {_end('src')} {_end('dst')} < {_COMMON} >",
)
"""Lines of an extended list, by protocol."""
EVALUATE = "evaluate {reflect:name}"
"""A line of an extended list that permits the answers of remembered sessions."""
SIX = (
    (
        f"{_ACTION} tcp {_end6('src')} {_ports('src', 'tcpport')} {_end6('dst')} {_ports('dst', 'tcpport')} < {_TCP} |"
        f" {_COMMON6} >"
    ),
    f"{_ACTION} udp {_end6('src')} {_ports('src', 'udpport')} {_end6('dst')} {_ports('dst', 'udpport')} < {_COMMON6} >",
    f"{_ACTION} icmp {_end6('src')} {_end6('dst')} [ {{icmp:icmp6type}} ] < {_COMMON6} >",
    f"{_ACTION} {_PLAIN6} {_end6('src')} {_end6('dst')} < {_COMMON6} >",
)
"""Lines of an IPv6 list, by protocol."""


def in_section(body: str) -> str:
    """Return the pattern of a line inside a list's own mode."""
    return f"[ {_SEQUENCE} ] ^ {body}"


def in_section6(body: str) -> str:
    """Return the pattern for IPv6, where the keyword ``sequence`` precedes the number."""
    return f"[ sequence {_SEQUENCE} ] ^ {body}"
