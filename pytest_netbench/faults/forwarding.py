"""Faults by which a Linux router no longer forwards: NetArena's ``disable_routing`` (DR)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.builders import shell_fault
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.site import Affected, Site

PRIORITY = 100


def _off(p: OnNode) -> Change:
    return Change(
        inject=("sysctl -qw net.ipv4.ip_forward=0",),
        repair=("sysctl -qw net.ipv4.ip_forward=1",),
        signs=(Sign("sysctl -n net.ipv4.ip_forward", r"^0$"),),
        wrong=f"{p.node} forwards no IPv4 packets. Hosts reach their gateway and the hosts of their subnet,"
        " but no other subnet.",
    )


IP_FORWARDING_OFF = shell_fault(
    "ip-forwarding-off",
    about="The kernel forwards nothing.",
    label="DR",
    parameters=OnNode,
    called={"netarena": "disable_routing, method 1"},
    at=lambda site: (OnNode(node=site.router),),
    breaks=lambda _, site: lambda flow: bool(site.crosses(flow)),
    touches=lambda p: frozenset({f"{p.node} ip_forward"}),
    change=_off,
)


class ProhibitingRule(OnNode):
    """A routing rule. Without an interface it applies to all packets, also the node's own."""

    interface: str | None = None
    to: str | None = None

    @property
    def selector(self) -> str:
        """What it applies to, in the words of ``ip rule``."""
        to = "" if self.to is None else f" to {self.to}"
        return to + ("" if self.interface is None else f" iif {self.interface}")


def _rules(site: Site) -> Iterator[ProhibitingRule]:
    yield ProhibitingRule(node=site.router)
    for lan in site.lans:
        yield ProhibitingRule(node=site.router, interface=lan.interface)
        for other in site.others(lan):
            yield ProhibitingRule(node=site.router, interface=lan.interface, to=str(other.prefix))


def _prohibited(p: ProhibitingRule, site: Site) -> Affected:
    if p.interface is None:
        return site.passes_router
    if p.to is None:
        return lambda flow: p.interface in site.crosses(flow)
    pair = {p.interface, site.lan_with(IPv4Network(p.to)).interface}
    return lambda flow: site.crosses(flow) == pair


def _prohibiting(p: ProhibitingRule) -> Change:
    which = "all packets, also those of its own"
    effect = f"Nothing passes {p.node}, and it answers nobody"
    if p.interface is not None:
        which = f"packets that come in on {p.interface}"
        effect = "The hosts there and those of other subnets do not reach each other"
    if p.to is not None:
        which += f" and go to {p.to}"
        effect = "The two subnets do not reach each other, because one direction is enough to lose the answers"
    return Change(
        inject=(f"ip rule add priority {PRIORITY}{p.selector} prohibit",),
        repair=(f"ip rule del priority {PRIORITY}",),
        signs=(Sign("ip rule show", rf"^{PRIORITY}:\s+from all{re.escape(p.selector)} prohibit\s*$"),),
        wrong=f"A routing rule on {p.node} prohibits {which}. {effect}.",
    )


POLICY_RULE_PROHIBIT = shell_fault(
    "policy-rule-prohibit",
    about="A routing rule prohibits what comes from one LAN, what goes from it to another one, or everything.",
    label="DR",
    parameters=ProhibitingRule,
    called={"netarena": "disable_routing, method 3"},
    at=_rules,
    breaks=_prohibited,
    touches=lambda p: frozenset({f"{p.node} rule {PRIORITY}"}),
    change=_prohibiting,
)
