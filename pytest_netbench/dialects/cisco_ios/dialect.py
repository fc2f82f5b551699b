"""The dialect ``cisco_ios``: the command line of Cisco IOS 15."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.cisco_ios import (
    interfaces,
    manual,
    match_values,
    mistakes,
    mutations,
    names,
)
from pytest_netbench.dialects.forms import RoutingForms
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.state_checks import StateCheck

_INTERFACE: Final = "show interfaces {interface}"
_ROUTE: Final = "show ip route {net}"

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck(_INTERFACE, r"^\S+ is down, line protocol is down"),
    "carrier was lost": StateCheck("show logging", r"%LINK-3-UPDOWN: Interface {interface}, changed state to down"),
    "shut down": StateCheck(_INTERFACE, r"^\S+ is administratively down"),
    "no OSPF neighbor": StateCheck("show ip ospf neighbor", r"FULL/.*\s{address}\s", is_absent=True, is_shared=True),
    "OSPF neighbor": StateCheck("show ip ospf neighbor", r"FULL/.*\s{address}\s", is_shared=True),
    "OSPF neighbor heard": StateCheck("show ip ospf neighbor", r"INIT/.*\s{address}\s", is_shared=True),
    "BGP neighbor up": StateCheck(
        "show ip bgp summary", r"^{address}\s.*\s(?:\d\d:\d\d:\d\d|\d+[dwy]\S*)\s+\d+\b", is_shared=True
    ),
    "BGP neighbor down": StateCheck(
        "show ip bgp summary", r"^{address}\s.*\s(Idle|Connect|Active|OpenSent|OpenConfirm)\b", is_shared=True
    ),
    "route": StateCheck(_ROUTE, r'^\s*Known via "{protocol}', is_shared=True),
    "no route": StateCheck(
        _ROUTE, r'^Routing entry for {prefix}\s+Known via "{protocol}', is_absent=True, is_shared=True
    ),
    "route by": StateCheck(_ROUTE, r"^\s+\*? ?{hop}[,\s]"),
    "no route by": StateCheck(_ROUTE, r"^\s+\*? ?{hop}[,\s]", is_absent=True, is_shared=True),
    "discards": StateCheck(_ROUTE, r'^Routing entry for {prefix}\s+Known via "static"[^$]*Null0'),
    "no OSPF route by": StateCheck("show ip route ospf", r"^O.*\bvia {hop},", is_absent=True, is_shared=True),
    "OSPF cost": StateCheck("show ip ospf interface {interface}", r"\bCost: {cost}\s*$"),
    "no pings": StateCheck("ping {address} repeat 5 timeout 1", r"\(0/5\)", is_shared=True),
    "pings": StateCheck("ping {address} repeat 5", r"\([1-5]/5\)", is_shared=True),
    "fragmented pings lost": StateCheck("ping {address} repeat 5 size 3000 timeout 1", r"\(0/5\)", is_shared=True),
    "some pings lost": StateCheck("ping {address} repeat 30", r"\((?:[1-9]|[12]\d)/30\)", is_shared=True),
    "late pings": StateCheck("ping {address} repeat 5", r"= \d+/\d\d\d+/", is_shared=True),
    "slow pings": StateCheck("ping {address} repeat 5 size 1000", r"= \d+/\d\d+/", is_shared=True),
    "large pings lost": StateCheck("ping {address} repeat 5 size 1000", r"\(0/5\)", is_shared=True),
    "NAT side": StateCheck("show ip nat statistics", r"^{side} interfaces: *\n.*\b{interface}(?:,|$)"),
    "NAT limit": StateCheck("show ip nat statistics", r"max entry: max allowed {most}, "),
    "remarks": StateCheck(
        "show policy-map interface {interface} input", r"^\s+Service-policy input: {policy}\s[^$]*^\s+dscp {dscp}\s"
    ),
    "no NAT mapping": StateCheck("show ip nat statistics", r"^-- Inside Source", is_absent=True),
}
"""By the state."""


class CiscoIosDialect:
    """Routers and switches whose command line is that of IOS 15."""

    name = "cisco_ios"
    state_checks = STATE_CHECKS
    syntax = TYPED
    forms = RoutingForms(has_masks=True, keeps_order=True, replaces_areas=True)
    reading_hint = (
        "The command line is that of Cisco IOS 15 in privileged mode. `show interfaces` counts packets; the rates"
        " and times that it prints are not measured."
    )
    hint = (
        "The command line is that of Cisco IOS 15 in privileged mode; update-cfg begins in configuration mode. "
        "Ports of a router start shut down. 'show netbench unsupported' lists lines that were accepted without effect."
    )

    interface = staticmethod(interfaces.canonical)
    normalise = staticmethod(names.normalise)
    rearrange = staticmethod(names.rearrange)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)
    match_values = staticmethod(match_values.read)

    def mutations(self) -> Mutations:
        return mutations.MUTATIONS

    mistakes = staticmethod(mistakes.mistakes)

    def manual(self) -> Sequence[ManualSection]:
        return manual.sections()
