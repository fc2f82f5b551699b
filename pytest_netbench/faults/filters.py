"""Packet filters on a Linux router that drop what must pass.

They are NetArena's ``drop_traffic_to_from_subnet`` (DT), and two methods of its ``disable_routing`` (DR).

Each class has an nftables table of its own name, so that faults of both can be injected and repaired side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.linux import LinuxFault, OnNode
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.faults.wording import listed

Hook = Literal["forward", "input", "output"]

FORWARDED: tuple[Hook, ...] = ("forward",)
EVERYTHING: tuple[Hook, ...] = ("forward", "input", "output")
_VERBS: dict[Hook, str] = {"forward": "forwards", "input": "receives", "output": "sends"}


class Filtering(OnNode):
    """A subnet, and where packets from it and to it are filtered. Without a subnet all packets are."""

    prefix: str | None = None
    hooks: tuple[Hook, ...] = FORWARDED


class _Filter(LinuxFault[Filtering]):
    """What packet filters share: a table whose chains have the same rules."""

    parameters = Filtering
    table: str
    selector = ""
    """What the rules apply to beside the subnet, in the words of nft."""
    verdict = "drop"

    def breaks(self, parameters: Filtering, site: Site) -> Affected:
        if parameters.prefix is None:
            return lambda flow: bool(site.crosses(flow))
        lan = site.lan_with(IPv4Network(parameters.prefix))
        if "input" in parameters.hooks:
            return site.beyond(lan.hosts)
        return lambda flow: lan.interface in site.crosses(flow)

    def touches(self, parameters: Filtering) -> frozenset[str]:
        return frozenset({f"{parameters.node} table {self.table}"})

    def wrong(self, parameters: Filtering) -> str:
        what = "everything" if not self.selector else "ICMP"
        hooks = listed([_VERBS[one] for one in parameters.hooks], "or")
        subnet = "" if parameters.prefix is None else f" from and to {parameters.prefix}"
        return (
            f"A packet filter on {parameters.node}, the nftables table {self.table!r}, {self.verdict}s {what}{subnet}"
            f" that the node {hooks}."
        )

    def injection(self, parameters: Filtering) -> Commands:
        commands = [f"nft add table inet {self.table}"]
        for hook in parameters.hooks:
            chain = f"inet {self.table} {hook}"
            commands.append(f"nft 'add chain {chain} {{ type filter hook {hook} priority filter; policy accept; }}'")
            commands += [f"nft 'add rule {chain} {rule}'" for rule in self._rules(parameters)]
        return {parameters.node: tuple(commands)}

    def signs(self, parameters: Filtering) -> Iterator[Sign]:
        for hook in parameters.hooks:
            for rule in self._rules(parameters):
                yield Sign(f"nft list chain inet {self.table} {hook}", rf"^\s*{re.escape(rule)}")

    def repair(self, parameters: Filtering) -> tuple[str, ...]:  # noqa: ARG002  (the table is the fault's)
        return (f"nft delete table inet {self.table}",)

    def _rules(self, parameters: Filtering) -> Iterator[str]:
        selectors = (
            [""] if parameters.prefix is None else [f"ip {way} {parameters.prefix}" for way in ("saddr", "daddr")]
        )
        for selector in selectors:
            yield " ".join(filter(None, (selector, self.selector, self.verdict)))


class ForwardDropAll(_Filter):
    """A packet filter drops everything that is forwarded."""

    name = "forward-drop-all"
    label = "DR"
    table = "filter"
    called = {"netarena": "disable_routing, method 2"}

    def _targets(self, site: Site) -> Iterator[Filtering]:
        yield Filtering(node=site.router)


class _OfOneSubnet(_Filter):
    """What packet filters of one subnet share."""

    label = "DT"
    table = "firewall"
    hooks: tuple[tuple[Hook, ...], ...] = (FORWARDED, EVERYTHING)

    def _targets(self, site: Site) -> Iterator[Filtering]:
        for lan in site.lans:
            for hooks in self.hooks:
                yield Filtering(node=site.router, prefix=str(lan.prefix), hooks=hooks)


class ForwardDropSubnet(_OfOneSubnet):
    """A packet filter drops what is forwarded from and to a subnet."""

    name = "forward-drop-subnet"
    label = "DR"
    table = "filter"
    hooks = (FORWARDED,)
    called = {"netarena": "disable_routing, method 4"}


class TrafficDropped(_OfOneSubnet):
    """A packet filter drops traffic from and to a subnet."""

    name = "traffic-dropped"
    called = {"netarena": "drop_traffic_to_from_subnet, method 1"}


class TrafficRejected(_OfOneSubnet):
    """A packet filter rejects traffic from and to a subnet, and says so to the sender."""

    name = "traffic-rejected"
    verdict = "reject"
    called = {"netarena": "drop_traffic_to_from_subnet, method 2"}


class IcmpBlocked(_OfOneSubnet):
    """A packet filter drops ICMP from and to a subnet; other traffic passes."""

    name = "icmp-blocked"
    selector = "ip protocol icmp"
    called = {"netarena": "drop_traffic_to_from_subnet, method 3"}

    def breaks(self, parameters: Filtering, site: Site) -> Affected:
        filtered = super().breaks(parameters, site)
        return lambda flow: flow.protocol == "icmp" and filtered(flow)
