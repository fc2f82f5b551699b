"""Packet filters on a Linux router that drop what must pass.

They are NetArena's ``drop_traffic_to_from_subnet`` (DT), and two methods of its ``disable_routing`` (DR).

Each class has an nftables table of its own name, so that faults of both can be injected and repaired side by side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from ipaddress import IPv4Network
from typing import Literal, NamedTuple

from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.faults.builders import SiteValue, shell_fault
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.text import listed

Hook = Literal["forward", "input", "output"]

FORWARDED: tuple[Hook, ...] = ("forward",)
EVERYTHING: tuple[Hook, ...] = ("forward", "input", "output")
_VERBS: dict[Hook, str] = {"forward": "forwards", "input": "receives", "output": "sends"}


class Filtering(OnNode):
    """A subnet, and where packets from it and to it are filtered. Without a subnet all packets are."""

    prefix: str | None = None
    hooks: tuple[Hook, ...] = FORWARDED


class _Filter(NamedTuple):
    """A table whose chains have the same rules; ``selector``: what they apply to beside the subnet."""

    table: str
    selector: str = ""
    verdict: str = "drop"

    def breaks(self, p: Filtering, site: Site) -> Affected:
        filtered = _filtered(p, site)
        return filtered if not self.selector else lambda flow: flow.protocol == "icmp" and filtered(flow)

    def touches(self, p: Filtering) -> frozenset[str]:
        return frozenset({f"{p.node} table {self.table}"})

    def change(self, p: Filtering) -> Change:
        what = "everything" if not self.selector else "ICMP"
        hooks = listed([_VERBS[one] for one in p.hooks], "or")
        subnet = "" if p.prefix is None else f" from and to {p.prefix}"
        return Change(
            inject=(f"nft add table inet {self.table}", *self._chains(p)),
            repair=(f"nft delete table inet {self.table}",),
            signs=tuple(
                StateCheck(f"nft list chain inet {self.table} {hook}", rf"^\s*{re.escape(rule)}")
                for hook in p.hooks
                for rule in self._rules(p)
            ),
            wrong=f"A packet filter on {p.node}, the nftables table {self.table!r}, {self.verdict}s {what}{subnet}"
            f" that the node {hooks}.",
        )

    def _chains(self, p: Filtering) -> Iterator[str]:
        for hook in p.hooks:
            chain = f"inet {self.table} {hook}"
            yield f"nft 'add chain {chain} {{ type filter hook {hook} priority filter; policy accept; }}'"
            yield from (f"nft 'add rule {chain} {rule}'" for rule in self._rules(p))

    def _rules(self, p: Filtering) -> Iterator[str]:
        selectors = [""] if p.prefix is None else [f"ip {way} {p.prefix}" for way in ("saddr", "daddr")]
        for selector in selectors:
            yield " ".join(filter(None, (selector, self.selector, self.verdict)))


def _filtered(p: Filtering, site: Site) -> Affected:
    if p.prefix is None:
        return lambda flow: bool(site.crosses(flow))
    lan = site.lan_with(IPv4Network(p.prefix))
    if "input" in p.hooks:
        return site.beyond(lan.hosts)
    return lambda flow: lan.interface in site.crosses(flow)


def _of_subnets(site: Site, *hooks: tuple[Hook, ...]) -> Iterable[Filtering]:
    return (Filtering(node=site.router, prefix=str(lan.prefix), hooks=one) for lan in site.lans for one in hooks)


_TARGETS: Mapping[str, Callable[[Site], Iterable[Filtering]]] = {
    "forward-drop-all": lambda site: (Filtering(node=site.router),),
    "forward-drop-subnet": lambda site: _of_subnets(site, FORWARDED),
}


def _fault(name: str, filtering: _Filter, *, about: str, called: str, label: str = "DT") -> SiteValue[Filtering]:
    return shell_fault(
        name,
        about=about,
        label=label,
        parameters=Filtering,
        called={"netarena": called},
        at=_TARGETS.get(name, lambda site: _of_subnets(site, FORWARDED, EVERYTHING)),
        breaks=filtering.breaks,
        touches=filtering.touches,
        change=filtering.change,
    )


FORWARD_DROP_ALL = _fault(
    "forward-drop-all",
    _Filter("filter"),
    about="A packet filter drops everything that is forwarded.",
    called="disable_routing, method 2",
    label="DR",
)
FORWARD_DROP_SUBNET = _fault(
    "forward-drop-subnet",
    _Filter("filter"),
    about="A packet filter drops what is forwarded from and to a subnet.",
    called="disable_routing, method 4",
    label="DR",
)
TRAFFIC_DROPPED = _fault(
    "traffic-dropped",
    _Filter("firewall"),
    about="A packet filter drops traffic from and to a subnet.",
    called="drop_traffic_to_from_subnet, method 1",
)
TRAFFIC_REJECTED = _fault(
    "traffic-rejected",
    _Filter("firewall", verdict="reject"),
    about="A packet filter rejects traffic from and to a subnet, and says so to the sender.",
    called="drop_traffic_to_from_subnet, method 2",
)
ICMP_BLOCKED = _fault(
    "icmp-blocked",
    _Filter("firewall", selector="ip protocol icmp"),
    about="A packet filter drops ICMP from and to a subnet; other traffic passes.",
    called="drop_traffic_to_from_subnet, method 3",
)
