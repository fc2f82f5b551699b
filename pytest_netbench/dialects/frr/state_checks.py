"""What vtysh shows of the states of a router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_netbench.dialects.state_checks import Sign

_INTERFACE: Final = "show interface {interface}"
_ROUTE: Final = "show ip route {prefix}"

SIGNS: Final[Mapping[str, Sign]] = {
    "no carrier": Sign(_INTERFACE, r"^Interface \S+ is up, line protocol is down"),
    "carrier was lost": Sign(_INTERFACE, r"^\s+Link downs:\s+[1-9]"),
    "shut down": Sign(_INTERFACE, r"^Interface \S+ is down"),
    "no interface": Sign(_INTERFACE, r"^Interface \S+ is up", is_absent=True),
    "no OSPF neighbor": Sign("show ip ospf neighbor", r"Full/.*\s{address}\s", is_absent=True, is_shared=True),
    "OSPF neighbor": Sign("show ip ospf neighbor", r"Full/.*\s{address}\s", is_shared=True),
    "OSPF neighbor heard": Sign("show ip ospf neighbor", r"Init/.*\s{address}\s", is_shared=True),
    "OSPF is off": Sign("show ip ospf", r"^ospfd is not running"),
    "BGP is off": Sign("show bgp summary", r"^bgpd is not running"),
    "BGP neighbor down": Sign(
        "show bgp summary", r"^{address}\s.*\s(Idle|Connect|Active|OpenSent|OpenConfirm)\b", is_shared=True
    ),
    "BGP neighbor up": Sign(
        "show bgp summary", r"^{address}\s.*\s(?:\d\d:\d\d:\d\d|\d+[dwy]\S*)\s+\d+\b", is_shared=True
    ),
    "invalid route": Sign("show bgp ipv4 unicast {prefix}", r"rpki validation-state: invalid"),
    "route": Sign(_ROUTE, r'^\s*Known via "{protocol}"', is_shared=True),
    "no route": Sign(_ROUTE, r'^Routing entry for {prefix}\s+Known via "{protocol}"', is_absent=True, is_shared=True),
    "route by": Sign(_ROUTE, r"^\s+(?:\* )?{hop}[,\s]"),
    "no route by": Sign(_ROUTE, r"^\s+(?:\* )?{hop}[,\s]", is_absent=True, is_shared=True),
    "discards": Sign(_ROUTE, r'^Routing entry for {prefix}\s+Known via "static"[^$]*(?:blackhole|Null0|unreachable)'),
    "no OSPF route by": Sign("show ip route ospf", r"^O.*\bvia {hop},", is_absent=True, is_shared=True),
    "OSPF cost": Sign("show ip ospf interface {interface}", r"\bCost: {cost}$"),
    "no pings": Sign("ping {address} count 5", r"\b0 received", is_shared=True),
    "pings": Sign("ping {address} count 5", r"\b[1-5] received", is_shared=True),
    "late pings": Sign("ping {address} count 5", r"= [\d.]+/\d\d\d+[\d.]*/", is_shared=True),
    "some pings lost": Sign("ping {address} count 30", r"\b(?:[1-9]|[12]\d) received", is_shared=True),
}
"""By the state."""
