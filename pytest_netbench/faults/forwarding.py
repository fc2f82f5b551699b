"""Faults by which a Linux router no longer forwards: NetArena's ``disable_routing`` (DR)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.linux import LinuxFault, OnNode
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Affected, Site

PRIORITY = 100


class IpForwardingOff(LinuxFault[OnNode]):
    """The kernel forwards nothing."""

    name = "ip-forwarding-off"
    label = "DR"
    parameters = OnNode
    called = {"netarena": "disable_routing, method 1"}

    def _targets(self, site: Site) -> Iterator[OnNode]:
        yield OnNode(node=site.router)

    def breaks(self, parameters: OnNode, site: Site) -> Affected:  # noqa: ARG002  (there is no choice)
        return lambda flow: bool(site.crosses(flow))

    def touches(self, parameters: OnNode) -> frozenset[str]:
        return frozenset({f"{parameters.node} ip_forward"})

    def wrong(self, parameters: OnNode) -> str:
        return (
            f"{parameters.node} forwards no IPv4 packets. Hosts reach their gateway and the hosts of their subnet,"
            " but no other subnet."
        )

    def injection(self, parameters: OnNode) -> Commands:
        return {parameters.node: ("sysctl -qw net.ipv4.ip_forward=0",)}

    def signs(self, parameters: OnNode) -> Iterator[Sign]:  # noqa: ARG002  (there is no choice)
        yield Sign("sysctl -n net.ipv4.ip_forward", r"^0$")

    def repair(self, parameters: OnNode) -> tuple[str, ...]:  # noqa: ARG002  (there is no choice)
        return ("sysctl -qw net.ipv4.ip_forward=1",)


class ProhibitingRule(OnNode):
    """A routing rule. Without an interface it applies to all packets, also the node's own."""

    interface: str | None = None
    to: str | None = None

    @property
    def selector(self) -> str:
        """What it applies to, in the words of ``ip rule``."""
        to = "" if self.to is None else f" to {self.to}"
        return to + ("" if self.interface is None else f" iif {self.interface}")


class PolicyRuleProhibit(LinuxFault[ProhibitingRule]):
    """A routing rule prohibits what comes from one LAN, what goes from it to another one, or everything."""

    name = "policy-rule-prohibit"
    label = "DR"
    parameters = ProhibitingRule
    called = {"netarena": "disable_routing, method 3"}

    def _targets(self, site: Site) -> Iterator[ProhibitingRule]:
        yield ProhibitingRule(node=site.router)
        for lan in site.lans:
            yield ProhibitingRule(node=site.router, interface=lan.interface)
            for other in site.others(lan):
                yield ProhibitingRule(node=site.router, interface=lan.interface, to=str(other.prefix))

    def breaks(self, parameters: ProhibitingRule, site: Site) -> Affected:
        if parameters.interface is None:
            return site.passes_router
        if parameters.to is None:
            return lambda flow: parameters.interface in site.crosses(flow)
        pair = {parameters.interface, site.lan_with(IPv4Network(parameters.to)).interface}
        return lambda flow: site.crosses(flow) == pair

    def touches(self, parameters: ProhibitingRule) -> frozenset[str]:
        return frozenset({f"{parameters.node} rule {PRIORITY}"})

    def wrong(self, parameters: ProhibitingRule) -> str:
        which = "all packets, also those of its own"
        effect = f"Nothing passes {parameters.node}, and it answers nobody"
        if parameters.interface is not None:
            which = f"packets that come in on {parameters.interface}"
            effect = "The hosts there and those of other subnets do not reach each other"
        if parameters.to is not None:
            which += f" and go to {parameters.to}"
            effect = "The two subnets do not reach each other, because one direction is enough to lose the answers"
        return f"A routing rule on {parameters.node} prohibits {which}. {effect}."

    def injection(self, parameters: ProhibitingRule) -> Commands:
        return {parameters.node: (f"ip rule add priority {PRIORITY}{parameters.selector} prohibit",)}

    def signs(self, parameters: ProhibitingRule) -> Iterator[Sign]:
        yield Sign("ip rule show", rf"^{PRIORITY}:\s+from all{re.escape(parameters.selector)} prohibit\s*$")

    def repair(self, parameters: ProhibitingRule) -> tuple[str, ...]:  # noqa: ARG002  (its priority names it)
        return (f"ip rule del priority {PRIORITY}",)
