"""The dialect ``frr``: FRR's integrated configuration, as vtysh takes and shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench.dialects.base import ManualSection
from pytest_netbench.dialects.forms import RoutingForms
from pytest_netbench.dialects.frr import manual, match_values, mistakes, mutations, names
from pytest_netbench.dialects.indentation import TYPED
from pytest_netbench.dialects.interfaces import linux_interface
from pytest_netbench.dialects.mutations import Mutations
from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.dialects.syntax import Tree

_INTERFACE: Final = "show interface {interface}"
_ROUTE: Final = "show ip route {prefix}"

STATE_CHECKS: Final[Mapping[str, StateCheck]] = {
    "no carrier": StateCheck(_INTERFACE, r"^Interface \S+ is up, line protocol is down"),
    "carrier was lost": StateCheck(_INTERFACE, r"^\s+Link downs:\s+[1-9]"),
    "shut down": StateCheck(_INTERFACE, r"^Interface \S+ is down"),
    "no interface": StateCheck(_INTERFACE, r"^Interface \S+ is up", is_absent=True),
    "no OSPF neighbor": StateCheck("show ip ospf neighbor", r"Full/.*\s{address}\s", is_absent=True, is_shared=True),
    "OSPF neighbor": StateCheck("show ip ospf neighbor", r"Full/.*\s{address}\s", is_shared=True),
    "OSPF neighbor heard": StateCheck("show ip ospf neighbor", r"Init/.*\s{address}\s", is_shared=True),
    "OSPF is off": StateCheck("show ip ospf", r"^ospfd is not running"),
    "BGP is off": StateCheck("show bgp summary", r"^bgpd is not running"),
    "BGP neighbor down": StateCheck(
        "show bgp summary", r"^{address}\s.*\s(Idle|Connect|Active|OpenSent|OpenConfirm)\b", is_shared=True
    ),
    "BGP neighbor up": StateCheck(
        "show bgp summary", r"^{address}\s.*\s(?:\d\d:\d\d:\d\d|\d+[dwy]\S*)\s+\d+\b", is_shared=True
    ),
    "invalid route": StateCheck("show bgp ipv4 unicast {prefix}", r"rpki validation-state: invalid"),
    "route": StateCheck(_ROUTE, r'^\s*Known via "{protocol}"', is_shared=True),
    "no route": StateCheck(
        _ROUTE, r'^Routing entry for {prefix}\s+Known via "{protocol}"', is_absent=True, is_shared=True
    ),
    "route by": StateCheck(_ROUTE, r"^\s+(?:\* )?{hop}[,\s]"),
    "no route by": StateCheck(_ROUTE, r"^\s+(?:\* )?{hop}[,\s]", is_absent=True, is_shared=True),
    "discards": StateCheck(
        _ROUTE, r'^Routing entry for {prefix}\s+Known via "static"[^$]*(?:blackhole|Null0|unreachable)'
    ),
    "no OSPF route by": StateCheck("show ip route ospf", r"^O.*\bvia {hop},", is_absent=True, is_shared=True),
    "OSPF cost": StateCheck("show ip ospf interface {interface}", r"\bCost: {cost}$"),
    "no pings": StateCheck("ping {address} count 5", r"\b0 received", is_shared=True),
    "pings": StateCheck("ping {address} count 5", r"\b[1-5] received", is_shared=True),
    "late pings": StateCheck("ping {address} count 5", r"= [\d.]+/\d\d\d+[\d.]*/", is_shared=True),
    "some pings lost": StateCheck("ping {address} count 30", r"\b(?:[1-9]|[12]\d) received", is_shared=True),
}
"""By the state."""


class FrrDialect:
    """Routers whose command line is vtysh."""

    name = "frr"
    state_checks = STATE_CHECKS
    syntax = TYPED
    forms = RoutingForms(bgp_family=("address-family ipv4 unicast",))
    hint = ""

    interface = staticmethod(linux_interface)
    normalise = staticmethod(names.normalise)

    def rearrange(self, tree: Sequence[Tree]) -> tuple[Tree, ...]:
        return tuple(tree)

    def free_names(self) -> Sequence[tuple[str, str]]:
        return names.FREE_NAMES

    ordered_block = staticmethod(names.ordered_block)
    match_values = staticmethod(match_values.read)

    def mutations(self) -> Mutations:
        return mutations.MUTATIONS

    mistakes = staticmethod(mistakes.mistakes)

    def manual(self) -> Sequence[ManualSection]:
        return manual.sections()
