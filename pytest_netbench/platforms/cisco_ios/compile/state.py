"""The desired state of a node, compiled from the whole config.

It is pure data. ``apply`` compares it with the previous state to find the changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]

POLICY = ("zebra", "ospfd", "ospf6d", "bgpd", "ripd", "ripngd", "isisd")
"""Daemons that share prefix lists, access lists and route maps."""

LAST_ENTRY = 65535
"""The highest number of an entry of a route map in FRR. No compiled entry has it: it signals changes."""


@dataclass(frozen=True)
class FrrLine:
    """A config line of FRR, with the lines that open its section.

    Args:
        path: E.g. ``("router bgp 1", "address-family ipv4 unicast", "network 10.0.0.0/8")``.
        key: Lines of one section with the same key replace each other without a ``no``; "" means the line itself.
        undo: The line that removes it, if not ``no`` and the line; "" if none is needed.
        only: Of a shared line: the daemons that get it; empty: all.
    """

    path: Path
    key: str = ""
    undo: str | None = None
    only: tuple[str, ...] = ()


@dataclass
class FrrState:
    """The lines of each daemon, in order."""

    lines: dict[str, dict[tuple[Path, str], FrrLine]] = field(default_factory=dict)
    shared: dict[tuple[Path, str], FrrLine] = field(default_factory=dict)

    def add(self, daemon: str, *path: str, key: str = "", undo: str | None = None) -> None:
        """Add the line ``path[-1]`` in the section ``path[:-1]`` to ``daemon``."""
        line = FrrLine(path, key, undo)
        self.lines.setdefault(daemon, {})[path[:-1], key or path[-1]] = line

    def policy(self, *path: str, key: str = "", undo: str | None = None, only: Iterable[str] = ()) -> None:
        """Add a line of a list or route map to every running daemon of ``POLICY``, or to those of ``only``."""
        self.shared[path[:-1], key or path[-1]] = FrrLine(path, key, undo, tuple(only))

    def of(self, daemon: str) -> list[FrrLine]:
        """Return all lines of ``daemon``, shared ones first."""
        shared = (
            [line for line in self.shared.values() if not line.only or daemon in line.only] if daemon in POLICY else []
        )
        return [*shared, *self.lines.get(daemon, {}).values()]

    @property
    def daemons(self) -> frozenset[str]:
        """The daemons that have lines."""
        return frozenset(self.lines)


@dataclass(frozen=True)
class Chain:
    """An nftables chain: a base chain if ``hook`` is set, else a regular chain."""

    family: str
    name: str
    hook: str = ""
    type: str = "filter"
    priority: int = 0
    device: str = ""
    policy: str = "accept"


@dataclass
class NftState:
    """One table ``netbench`` per family. Named counters keep their values when the ruleset is replaced."""

    chains: dict[tuple[str, str], Chain] = field(default_factory=dict)
    rules: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    objects: dict[str, dict[str, None]] = field(default_factory=dict)
    counters: dict[str, dict[str, None]] = field(default_factory=dict)
    lasting: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def chain(self, chain: Chain) -> None:
        """Add a chain; several areas may add the same chain."""
        known = self.chains.setdefault((chain.family, chain.name), chain)
        if known != chain:
            raise ValueError(f"chain {chain.family} {chain.name} is wanted in two ways: {known} and {chain}")

    def rule(self, chain: Chain, text: str) -> None:
        """Append a rule to a chain."""
        self.chain(chain)
        self.rules.setdefault((chain.family, chain.name), []).append(text)

    def object(self, family: str, text: str) -> None:
        """Add a set, map, limit or helper in the syntax of a ruleset file."""
        self.objects.setdefault(family, {})[text] = None

    def last(self, family: str, kind: str, name: str, words: str) -> None:
        """Add a set or map that packets fill; its elements stay when the ruleset is replaced.

        Args:
            family: The family of the table.
            kind: ``set`` or ``map``.
            name: Its name.
            words: The text between its braces: ``type ipv4_addr; flags dynamic,timeout; timeout 60s;``.
        """
        self.lasting[family, name] = (kind, words)

    def counter(self, family: str, name: str) -> str:
        """Add a named counter; return the words for a rule: ``counter name "x"``."""
        self.counters.setdefault(family, {})[name] = None
        return f'counter name "{name}"'


@dataclass(frozen=True, kw_only=True)
class Link:
    """The desired state of a kernel interface.

    Args:
        kind: ``physical`` (exists already), ``loopback`` (a veth with a hidden peer), ``macvlan``, ``external``
            (created by another part, such as switching or services; only addresses and state are set here).
        up: Administratively up.
        addresses: ``A.B.C.D/nn``, ``A.B.C.D peer A.B.C.0/nn`` and ``X::X/nn``, the primary first; ``X::/nn eui-64``
            is completed by an interface identifier.
        identity: The interface with the MAC address that gives the interface identifier; "" is the interface itself.
        mtu: Bytes, or ``None`` for the kernel's default.
        mac: ``aa:bb:cc:dd:ee:ff``, or ``None``.
        lower: Of a macvlan: the interface below it.
        vrf: The VRF that it is in; "" is the global one.
    """

    kind: str = "physical"
    up: bool = True
    addresses: tuple[str, ...] = ()
    mtu: int | None = None
    mac: str | None = None
    lower: str = ""
    vrf: str = ""
    identity: str = ""


@dataclass
class DesiredState:
    """The complete desired state of a node."""

    frr: FrrState = field(default_factory=FrrState)
    nft: NftState = field(default_factory=NftState)
    links: dict[str, Link] = field(default_factory=dict)
    tc: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines for ``tc -batch`` by kernel interface, which build its queueing from nothing.

    For example ``qdisc add dev gi0-0 root …``.
    """
    rules: list[str] = field(default_factory=list)
    """Arguments of ``ip rule``: ``priority 100 fwmark 0x1 lookup 100``; a leading ``-6`` for IPv6."""
    vrf_rules: dict[str, list[str]] = field(default_factory=dict)
    """The same by VRF, except the global one."""
    routes: list[str] = field(default_factory=list)
    """Kernel routes beside FRR's: ``10.0.0.0/8 via 192.0.2.1 table 100``; a leading ``-6`` for IPv6."""
    sysctls: dict[str, str] = field(default_factory=dict)
    services: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    switch: Any = None
    hostname: str = ""
    vrfs: tuple[str, ...] = ()
    """Names of the VRFs except the global one."""
    chosen: dict[str, str] = field(default_factory=dict)
    """Values that are chosen once and kept while the process runs (router IDs); also in ``facts.live["chosen"]``."""
    unsupported: list[tuple[str, str]] = field(default_factory=list)
    """Pairs (line, why it has no effect)."""

    def rules_of(self, vrf: str) -> list[str]:
        """Return the list of ``ip rule`` arguments of a VRF; "" is the global one."""
        return self.vrf_rules.setdefault(vrf, []) if vrf else self.rules

    def of_area(self, name: str, factory: type[Any] = dict) -> Any:
        """Return the desired state of an area with its own ``apply``; ``factory`` creates it on first use."""
        return self.extras.setdefault(name, factory())

    extras: dict[str, Any] = field(default_factory=dict)


# rules in the order in which packets pass them; see docs/explanation/ios.md
ACL_IN = Chain("inet", "acl_in", hook="prerouting", priority=-450)
"""Inbound ACLs and uRPF: before defragmentation, connection tracking and NAT, also for packets to the router."""
QOS_IN = Chain("inet", "qos_in", hook="prerouting", priority=-150)
"""Input service policies (marking, policing) and the marks of policy routing."""
NAT_IN = Chain("inet", "nat_in", hook="prerouting", type="nat", priority=-100)
"""Destination NAT."""
CONTROL = Chain("inet", "control", hook="input", priority=0)
"""Control-plane policing, vty access classes, zone ``self``."""
FORWARD = Chain("inet", "forward_zone", hook="forward", priority=0)
"""Zone-based firewall and other filters for packets in transit."""
OUTPUT = Chain("inet", "own_out", hook="output", priority=-150)
"""The router's own packets (``ip local policy``, zone ``self``)."""
NAT_OUT = Chain("inet", "nat_out", hook="postrouting", type="nat", priority=100)
"""Source NAT."""
NAT_EVERY = Chain("inet", "nat_every", hook="postrouting", priority=150)
"""Static translation of packets of connections that began without one."""
ACL_FORWARD = Chain("inet", "acl_forward", hook="forward", priority=50)
"""Outbound ACLs on interfaces that do not translate: here a denied packet can still be answered."""
ACL_OUT = Chain("inet", "acl_out", hook="postrouting", priority=200)
"""Outbound ACLs after NAT, except for the router's own packets (where ``meta iif`` is 0).

A denied packet cannot be answered here.
"""
QOS_OUT = Chain("inet", "qos_out", hook="postrouting", priority=250)
"""Output service policies: marking, policing and the choice of the class by ``meta priority set``."""

ARP_IN = Chain("arp", "arp_in", hook="input")
"""ARP packets that a router ignores."""


def merged(names: Iterable[str]) -> str:
    """Return a set of interfaces for a rule: ``{ "a", "b" }``."""
    return "{ " + ", ".join(f'"{name}"' for name in names) + " }"
