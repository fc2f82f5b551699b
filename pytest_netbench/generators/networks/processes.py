"""What runs on a device beside its interfaces, without a configuration language: routes, OSPF, BGP and policies."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network


@dataclass(frozen=True, kw_only=True)
class StaticRoute:
    """A static route. Without a next hop it discards packets."""

    prefix: IPv4Network
    next_hop: IPv4Address | None


@dataclass(frozen=True, kw_only=True)
class Standby:
    """Membership of an interface in an HSRP group. ``priority`` is that of the active router; ``None`` for others."""

    group: int
    priority: int | None


@dataclass(kw_only=True)
class Ospf:
    """The OSPF process of a router.

    Attributes:
        networks: Prefixes of the interfaces that take part, with their area.
        passive: Names of interfaces that are advertised and have no neighbor.
        point_to_point: Names of interfaces with one neighbor.
        costs: Metric by interface, where it is not the usual one.
        default: Metric of the default route that it advertises while it has one; ``None`` if it advertises none.
    """

    router_id: IPv4Address
    networks: list[tuple[IPv4Network, int]] = field(default_factory=list)
    passive: list[str] = field(default_factory=list)
    point_to_point: list[str] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)
    default: int | None = None


@dataclass(kw_only=True)
class Isis:
    """The IS-IS process of a router, of level 2 only.

    Attributes:
        entity: Its network entity title, e.g. ``49.0001.1921.6800.0001.00``.
        passive: Names of interfaces that are advertised and have no neighbor.
        point_to_point: Names of interfaces with one neighbor.
        costs: Metric by interface, where it is not the usual one.
    """

    entity: str
    passive: list[str] = field(default_factory=list)
    point_to_point: list[str] = field(default_factory=list)
    costs: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Neighbor:
    """A BGP neighbor.

    Attributes:
        name: Name of the neighbor, which is its description.
        from_loopback: Whether the session uses the router's loopback address.
        next_hop_self: Whether the router names itself as next hop.
        is_client: Whether the router reflects routes to it.
        keeps_received: Whether the router keeps what the neighbor sent, also what the policy denies.
        inbound: Name of the policy for routes from the neighbor.
        outbound: Name of the policy for routes to the neighbor.
    """

    address: IPv4Address
    autonomous_system: int
    name: str
    from_loopback: bool = False
    next_hop_self: bool = False
    is_client: bool = False
    keeps_received: bool = False
    inbound: str | None = None
    outbound: str | None = None


@dataclass(kw_only=True)
class Bgp:
    """The BGP process of a router.

    Attributes:
        paths: Number of equal external paths that are used together.
        cache: Address of the RPKI cache that tells it which routes are invalid; ``None`` if it has none.
    """

    autonomous_system: int
    router_id: IPv4Address
    neighbors: list[Neighbor] = field(default_factory=list)
    networks: list[IPv4Network] = field(default_factory=list)
    paths: int = 1
    cache: IPv4Address | None = None


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A route map with one entry that permits.

    Attributes:
        deny_invalid: Whether an entry before it denies routes that the RPKI calls invalid.
        prefixes: The only prefixes that it permits; empty for all.
        local_preference: Value to set; ``None`` leaves it alone.
        prepend: AS numbers to prepend.
    """

    name: str
    prefixes: tuple[IPv4Network, ...] = ()
    local_preference: int | None = None
    prepend: tuple[int, ...] = ()
    deny_invalid: bool = False


@dataclass(frozen=True, kw_only=True)
class Hop:
    """Where a P4 switch sends a packet: out of a port, to the hardware address at its other end."""

    hardware_address: str
    port: int


@dataclass(kw_only=True)
class Entries:
    """What the tables of a P4 switch have.

    Attributes:
        answers: By address: the hardware address with which the switch answers ARP requests for it.
        routes: Prefixes with the hops of their packets, which are dropped if there is none.
        default: The hops of all other packets, which are dropped if there is none.
        port_addresses: By port: the hardware address that packets leave it with.
    """

    answers: dict[IPv4Address, str] = field(default_factory=dict)
    routes: list[tuple[IPv4Network, tuple[Hop, ...]]] = field(default_factory=list)
    default: tuple[Hop, ...] = ()
    port_addresses: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Datapath:
    """What an OpenFlow switch is to its controller: its number, and where the controller listens."""

    number: int
    controller: IPv4Address
    port: int
