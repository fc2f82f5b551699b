"""Access lists that deny what links between routers must carry, or whose lines are in a wrong order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network
from typing import Any, Final, NamedTuple

from pytest_netbench.dialects.cisco_ios import access as ios
from pytest_netbench.dialects.linux import access as linux
from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnDevice, given, on_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.router_links import (
    RouterLink,
    apart,
    bgp_sessions,
    ospf_links,
    router_links,
    session_between,
)
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.services import AccessList, AccessRule

NAMES: Final = ("CORE-IN", "INFRA", "LINK-IN", "PROTECT")
_STEP = 10
"""Between the numbers of two lines in IOS."""


class Blocked(RouterLink):
    """A link to another router, and the name of the access list that denies something of what comes in there."""

    list_name: str


def lists_of(network: DrawnNetwork, links: Iterable[RouterLink]) -> Iterator[Blocked]:
    """Each access list for what comes in from a link, where there is none yet."""
    for link in links:
        paths, section = config_paths(network.startup_configs.get(link.node, "")), f"interface {link.interface}"
        if not any(path[0] == section and path[-1].startswith("ip access-group ") for path in paths):
            for name in NAMES:
                yield Blocked(**dict(link), list_name=name)


def blocking(
    name: str, *denied: str, change: Callable[[Blocked], Change], cleared: str | None = None, **fields: Any
) -> NetworkValue[Blocked]:
    """A fault by which a list denies something.

    Args:
        name: Of the fault.
        denied: What it denies.
        change: What shows it.
        cleared: What ends a session that would live until its hold time ends, with the neighbor's address behind it.
        fields: Further ones of the fault.
    """

    def whole(p: Blocked) -> Change:
        head, use = f"ip access-list extended {p.list_name}", f"ip access-group {p.list_name} in"
        rules = (*(f"deny {words}" for words in denied), "permit ip any any")
        clear = () if cleared is None else (f"do {cleared} {p.neighbor}",)
        return replace(
            change(p),
            inject=(*below(head, *rules), *on_port(p, use), *clear),
            repair=(*on_port(p, *p.without(use)), *p.without(head), *clear),
        )

    return config_fault(
        name,
        domain="policy",
        found_at="interface",
        parameters=Blocked,
        platforms=("cisco_ios",),
        touches=lambda p: frozenset(
            {
                f"{p.node} {p.interface}",
                f"ospf {p.prefix}",
                f"bgp {p.prefix}",
                session_between(p),
                f"list {p.node} {p.list_name}",
            }
        ),
        change=whole,
        **fields,
    )


def lost(node: str, state: str, because: str, address: str) -> Change:
    """A change that a command of a node shows, about an address."""
    return Change(symptoms=(shows(node, state, because, address=address),))


ICMP_DENIED = blocking(
    "icmp-denied",
    "icmp any any",
    about="An access list of a router denies all ICMP that comes in over a link to another router; all else passes.",
    label="ACL_ICMP",
    called={"nika": "icmp_acl_block"},
    at=lambda network: lists_of(network, router_links(network)),
    change=lambda p: lost(
        p.node, "no pings", f"No ping of {p.node} to {p.peer} is answered, although routing goes on.", p.neighbor
    ),
)
OSPF_DENIED = blocking(
    "ospf-denied",
    "ospf any any",
    about="An access list of a router denies the OSPF packets of its neighbor.",
    label="ACL_OSPF",
    called={"nika": "ospf_acl_block"},
    at=lambda network: lists_of(network, ospf_links(network)),
    cuts=lambda p: frozenset({p.prefix}),
    change=lambda p: apart(p, "ospf"),
)
BGP_DENIED = blocking(
    "bgp-denied",
    "tcp any any eq bgp",
    "tcp any eq bgp any",
    about="An access list of a router denies the BGP packets of its neighbor.",
    label="ACL_BGP",
    called={"nika": "bgp_acl_block"},
    cleared="clear ip bgp",
    at=lambda network: lists_of(network, (one.link for one in bgp_sessions(network))),
    cuts=lambda p: frozenset({p.prefix}),
    change=lambda p: apart(p, "bgp"),
)


class WrongOrder(OnDevice):
    """An access list of the node in its right order. The line at ``place`` has changed places with the next one."""

    access: AccessList
    place: int

    @property
    def wrong(self) -> tuple[AccessRule, ...]:
        """The lines as they are while the fault is there."""
        return swapped(self.access.rules, self.place)

    def moved(self, rules: Sequence[AccessRule], *, to: int) -> tuple[str, ...]:
        """Commands after which the lines are ``rules``: that at ``place`` of the right order is moved before ``to``."""
        access, place = self.access, self.place
        if self.platform == "linux":
            return (linux.replacing_command(rules, access.interface),)
        at = place if to > place else place + 1
        return (
            f"ip access-list extended {access.name}",
            f" no {_STEP * (at + 1)}",
            f" {_STEP * to + _STEP // 2} {ios.rule_words(access.rules[place])}",
            f"ip access-list resequence {access.name} {_STEP} {_STEP}",
        )


class _Shown(NamedTuple):
    """The line that opens a list in a running config, and its lines in the wrong order."""

    head: str
    lines: list[str]

    def is_missing(self, lab: Lab, node: str) -> Iterator[str]:
        config = lab.driver(node).running_config(lab.nodes[node])
        found = [line for *above, line in config_paths(config) if above[-1:] == [self.head] and line in self.lines]
        if found != self.lines:
            yield f"{self.head} has the lines {found}, expected {self.lines}"


def swapped(rules: Sequence[AccessRule], place: int) -> tuple[AccessRule, ...]:
    """Return ``rules`` with that at ``place`` behind the next one."""
    return (*rules[:place], rules[place + 1], rules[place], *rules[place + 2 :])


def _places(network: DrawnNetwork) -> Iterator[WrongOrder]:
    # of routers that share a LAN only the first forwards what its hosts send
    for access in {one.name: one for one in reversed(network.access_lists)}.values():
        for place in range(len(access.rules) - 1):
            if _differ(network, access, swapped(access.rules, place)):
                yield WrongOrder.of(network, access.node, access=access, place=place)


def _differ(network: DrawnNetwork, access: AccessList, rules: tuple[AccessRule, ...]) -> bool:
    """Whether another order decides otherwise on a flow from the LAN of a list to another LAN."""
    other = access.model_copy(update={"rules": rules})
    lan = next(
        IPv4Network(lan.prefix)
        for lan in network.lans
        if any((one.node, one.interface) == (access.node, access.interface) for one in lan.attachments)
    )
    addresses = [network.addresses[host] for host in network.hosts]
    inside = [address for address in addresses if IPv4Address(address) in lan]
    return any(
        access.permits(source=source, target=target, protocol="tcp", port=port)
        != other.permits(source=source, target=target, protocol="tcp", port=port)
        for source in inside
        for target in addresses
        if target not in inside
        for port in access.ports
    )


def _change(p: WrongOrder) -> Change:
    rules, interface = p.wrong, p.access.interface
    shown = _Shown(f"ip access-list extended {p.access.name}", [ios.rule_words(rule) for rule in rules])
    # a line without matches among others would tell that it has been moved
    cleared: tuple[str, ...] = ("do clear access-list counters",)
    if p.platform == "linux":
        shown, cleared = _Shown("chain forward", [linux.rule_words(rule, interface) for rule in rules]), ()
    first, second = shown.lines[p.place : p.place + 2]
    numbered = (rf"\s+(?:\d+ )?{re.escape(line)}" for line in (first, second))
    pattern = rf"^\s*{re.escape(shown.head)}\n(?:\s+.*\n)*?" + r"\n".join(numbered) + "$"
    because = "A line of the access list that must stand behind the next one stands before it."
    return Change(
        inject=(*p.moved(rules, to=p.place + 2), *cleared),
        repair=p.moved(p.access.rules, to=p.place),
        shown=(),  # what matters is the order
        checks=(given(shown.is_missing, p.node),),
        symptoms=(lambda _: [asking.config_matches(p.node, pattern, because)],),
        detail=f"On {p.node}, in `{shown.head}`, `{first}` stands before `{second}` and must stand behind it.",
    )


ACCESS_LIST_ORDER = config_fault(
    "access-list-order",
    about="Two lines of an access list have changed places, so that it permits or denies what it must not.",
    label="ACL_ORDER",
    domain="policy",
    lets_through=True,
    parameters=WrongOrder,
    platforms=("cisco_ios", "linux"),
    needs_services=("filter",),
    at=_places,
    touches=lambda p: frozenset({f"{p.node} access-list {p.access.name}"}),
    change=_change,
)
