"""The desired state of a node: what the whole config compiles to. Pure data, compared with the state before to find what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]

POLICY = ("zebra", "ospfd", "ospf6d", "bgpd", "ripd", "ripngd", "isisd")
"""Daemons that share prefix lists, access lists and route maps."""


@dataclass(frozen=True)
class FrrLine:
    """A config line of FRR under the lines that lead to it.

    Args:
        path: E.g. ``("router bgp 1", "address-family ipv4 unicast", "network 10.0.0.0/8")``.
        key: Lines of one path with the same key replace each other without a ``no`` between; "" means the line itself.
        undo: What takes it back, if not ``no`` and the line; "" if nothing need be said.
        only: Of a shared line: the daemons that are told it; empty: all.
    """

    path: Path
    key: str = ""
    undo: str | None = None
    only: tuple[str, ...] = ()


@dataclass
class FrrState:
    """Lines by daemon, in order."""

    lines: dict[str, dict[tuple[Path, str], FrrLine]] = field(default_factory=dict)
    shared: dict[tuple[Path, str], FrrLine] = field(default_factory=dict)

    def add(self, daemon: str, *path: str, key: str = "", undo: str | None = None) -> None:
        """Ask ``daemon`` for the line ``path[-1]`` in the section ``path[:-1]``."""
        line = FrrLine(path, key, undo)
        self.lines.setdefault(daemon, {})[path[:-1], key or path[-1]] = line

    def policy(self, *path: str, key: str = "", undo: str | None = None, only: Iterable[str] = ()) -> None:
        """Ask every daemon that runs and knows policies (``POLICY``), or those of ``only``, for a line: prefix lists, route maps, access lists."""
        self.shared[path[:-1], key or path[-1]] = FrrLine(path, key, undo, tuple(only))

    def of(self, daemon: str) -> list[FrrLine]:
        """All lines of ``daemon``, shared ones first."""
        shared = (
            [line for line in self.shared.values() if not line.only or daemon in line.only] if daemon in POLICY else []
        )
        return [*shared, *self.lines.get(daemon, {}).values()]

    @property
    def daemons(self) -> frozenset[str]:
        """Daemons that have something to do."""
        return frozenset(self.lines)


@dataclass(frozen=True)
class Chain:
    """A base chain of nftables, or a chain of its own where ``hook`` is empty."""

    family: str
    name: str
    hook: str = ""
    type: str = "filter"
    priority: int = 0
    device: str = ""
    policy: str = "accept"


@dataclass
class NftState:
    """One table ``netbench`` per family. Counters that are named keep their values when the ruleset is replaced."""

    chains: dict[tuple[str, str], Chain] = field(default_factory=dict)
    rules: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    objects: dict[str, dict[str, None]] = field(default_factory=dict)
    counters: dict[str, dict[str, None]] = field(default_factory=dict)
    lasting: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def chain(self, chain: Chain) -> None:
        """Have a chain; the same chain may be asked for by several areas."""
        known = self.chains.setdefault((chain.family, chain.name), chain)
        if known != chain:
            raise ValueError(f"chain {chain.family} {chain.name} is wanted in two ways: {known} and {chain}")

    def rule(self, chain: Chain, text: str) -> None:
        """Append a rule to a chain."""
        self.chain(chain)
        self.rules.setdefault((chain.family, chain.name), []).append(text)

    def object(self, family: str, text: str) -> None:
        """Have a set, map, limit or helper, written as in a ruleset file."""
        self.objects.setdefault(family, {})[text] = None

    def last(self, family: str, kind: str, name: str, words: str) -> None:
        """Have a set or map that packets fill; what is in it stays when the ruleset is replaced.

        Args:
            family: Of the table.
            kind: ``set`` or ``map``.
            name: Its name.
            words: What stands between its braces: ``type ipv4_addr; flags dynamic,timeout; timeout 60s;``.
        """
        self.lasting[family, name] = (kind, words)

    def counter(self, family: str, name: str) -> str:
        """Have a named counter; gives the words for a rule: ``counter name "x"``."""
        self.counters.setdefault(family, {})[name] = None
        return f'counter name "{name}"'


@dataclass(frozen=True, kw_only=True)
class Link:
    """A kernel interface as it should be.

    Args:
        kind: ``physical`` (is there anyway), ``loopback`` (a veth with a hidden peer), ``macvlan``, ``external`` (made by another part,
            such as switching or services; only addresses and state are set here).
        up: Administratively up.
        addresses: ``A.B.C.D/nn`` and ``X::X/nn``, the primary first.
        mtu: Bytes, or ``None`` for the kernel's.
        mac: ``aa:bb:cc:dd:ee:ff``, or ``None``.
        lower: Of a macvlan: the interface below it.
        peer: Of a point-to-point address: not used by addresses with a mask.
        vrf: The VRF that it is in; "" is the global one.
    """

    kind: str = "physical"
    up: bool = True
    addresses: tuple[str, ...] = ()
    mtu: int | None = None
    mac: str | None = None
    lower: str = ""
    vrf: str = ""


@dataclass
class DesiredState:
    """Everything that a config asks of its node."""

    frr: FrrState = field(default_factory=FrrState)
    nft: NftState = field(default_factory=NftState)
    links: dict[str, Link] = field(default_factory=dict)
    tc: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By kernel interface: lines for ``tc -batch`` that build its queueing from nothing, e.g. ``qdisc add dev gi0-0 root …``."""
    rules: list[str] = field(default_factory=list)
    """``ip rule`` in words: ``priority 100 fwmark 0x1 lookup 100``; a leading ``-6`` for IPv6."""
    routes: list[str] = field(default_factory=list)
    """Kernel routes beside FRR's: ``10.0.0.0/8 via 192.0.2.1 table 100``; a leading ``-6`` for IPv6."""
    sysctls: dict[str, str] = field(default_factory=dict)
    services: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    switch: Any = None
    hostname: str = ""
    vrfs: tuple[str, ...] = ()
    """Names of the VRFs beside the global one."""
    chosen: dict[str, str] = field(default_factory=dict)
    """What is chosen once and stays while the process runs (router IDs); found again in ``facts.live["chosen"]``."""
    unsupported: list[tuple[str, str]] = field(default_factory=list)
    """(line, why it has no effect)."""

    def extra(self, name: str, factory: type[Any] = dict) -> Any:
        """Desired state of an area's own that its ``apply`` reads: made by ``factory`` when first asked for."""
        return self.extras.setdefault(name, factory())

    extras: dict[str, Any] = field(default_factory=dict)


# where packets meet the rules, in order; see docs/explanation/ios.md
ACL_IN = Chain("inet", "acl_in", hook="prerouting", priority=-450)
"""Inbound ACLs and uRPF: before fragments are put together, connection tracking and NAT, also for packets to the router."""
QOS_IN = Chain("inet", "qos_in", hook="prerouting", priority=-150)
"""Input service policies (marking, policing) and the marks of policy routing."""
NAT_IN = Chain("inet", "nat_in", hook="prerouting", type="nat", priority=-100)
"""Destination NAT."""
CONTROL = Chain("inet", "control", hook="input", priority=0)
"""Control-plane policing, vty access classes, zone ``self``."""
FORWARD = Chain("inet", "forward_zone", hook="forward", priority=0)
"""Zone-based firewall and what else judges packets in transit."""
OUTPUT = Chain("inet", "own_out", hook="output", priority=-150)
"""What the router itself sends (``ip local policy``, zone ``self``)."""
NAT_OUT = Chain("inet", "nat_out", hook="postrouting", type="nat", priority=100)
"""Source NAT."""
ACL_FORWARD = Chain("inet", "acl_forward", hook="forward", priority=50)
"""Outbound ACLs where the outgoing interface does not translate: here a refusal can still be answered."""
ACL_OUT = Chain("inet", "acl_out", hook="postrouting", priority=200)
"""Outbound ACLs after NAT, not for the router's own packets (mark them by ``meta iif`` being 0). Nothing can be answered here."""
QOS_OUT = Chain("inet", "qos_out", hook="postrouting", priority=250)
"""Output service policies: marking, policing and the choice of the class by ``meta priority set``."""


def merged(names: Iterable[str]) -> str:
    """Words for a set of interfaces in a rule: ``{ "a", "b" }``."""
    return "{ " + ", ".join(f'"{name}"' for name in names) + " }"
