"""Faults in the routing table of a Linux router: NetArena's ``wrong_routing_table`` (WR).

A wrong route replaces the connected route to a LAN, or is a more specific one to a host in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any

from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.faults.builders import SiteValue, shell_fault
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.site import Affected, Lan, Site

WORSE, BETTER = 200, 100


class Misrouting(OnNode):
    """A destination that is routed wrongly.

    Attributes:
        destination: The prefix of a LAN, or of a host in it.
        right: Interface behind which it is.
        address: Of the node on that interface, without a mask.
        wrong: Interface to which it is routed instead.
        gateway: Next hop on that interface; ``None`` for a route without one.
        forwarder: Host that has the address of the gateway.
    """

    destination: str
    right: str
    address: str
    wrong: str
    gateway: str | None = None
    forwarder: str | None = None

    @property
    def is_host(self) -> bool:
        """Whether it is a host and its LAN is routed rightly."""
        return self.destination.endswith("/32")

    @property
    def shown(self) -> str:
        """The destination as ``ip`` shows it."""
        return self.destination.removesuffix("/32")

    @property
    def connected(self) -> str:
        """The route to the LAN as the kernel makes it."""
        return f"{self.destination} dev {self.right} proto kernel scope link src {self.address}"

    @property
    def detour(self) -> str:
        """The wrong route."""
        via = "" if self.gateway is None else f" via {self.gateway}"
        return f"{self.destination}{via} dev {self.wrong}"


def _lost(p: Misrouting, site: Site) -> Affected:
    destination = IPv4Network(p.destination)
    hosts = site.lan_with(destination).hosts
    return site.beyond([name for name, address in hosts.items() if address in destination])


def _touched(p: Misrouting) -> frozenset[str]:
    forwarding = () if p.forwarder is None else (f"{p.forwarder} ip_forward",)
    return frozenset((f"{p.node} {p.right}", f"{p.node} {p.wrong}", *forwarding))


def _wrong(p: Misrouting, effect: str) -> str:
    what = "The host" if p.is_host else "The subnet"
    via = "" if p.gateway is None else f" by way of {p.gateway}"
    return f"{what} {p.shown} is behind interface {p.right} of {p.node}, but a route leads to {p.wrong}{via}. {effect}"


def _detour(p: Misrouting, effect: str) -> Change:
    add, remove = f"ip route add {p.detour}", f"ip route del {p.destination} dev {p.right}"
    via = "" if p.gateway is None else f"via {re.escape(p.gateway)} "
    route = rf"{re.escape(p.shown)} {via}dev {p.wrong}\b[^\n]*"
    forwards = Change(inject=("sysctl -qw net.ipv4.ip_forward=1",))
    return Change(
        inject=(add,) if p.is_host else (remove, add),
        repair=(f"ip route del {p.detour}" if p.is_host else f"ip route replace {p.connected}",),
        signs=(StateCheck(f"ip route show {p.destination}", rf"\A{route}\n?\Z"),),
        wrong=_wrong(p, effect),
        elsewhere={} if p.forwarder is None else {p.forwarder: forwards},
    )


def _worse(p: Misrouting) -> Change:
    command = f"ip route show {p.destination}"
    effect = f"The right route is there, but its metric {WORSE} is worse than {BETTER}. Packets to it are lost."
    return Change(
        inject=(
            f"ip route add {p.connected} metric {WORSE}",
            f"ip route add {p.detour} metric {BETTER}",
            f"ip route del {p.connected}",
        ),
        repair=(
            f"ip route add {p.connected}",
            f"ip route del {p.detour} metric {BETTER}",
            f"ip route del {p.connected} metric {WORSE}",
        ),
        signs=(
            StateCheck(command, rf"^{re.escape(p.detour)} metric {BETTER}\s*$"),
            StateCheck(command, rf"^{re.escape(p.connected)} metric {WORSE}\s*$"),
            # no third route, in particular none without a metric
            StateCheck(f"{command} | wc -l", r"\A2$"),
        ),
        wrong=_wrong(p, effect),
    )


def _fault(name: str, method: int, **fields: Any) -> SiteValue[Misrouting]:
    called = {"netarena": f"wrong_routing_table, method {method}"}
    return shell_fault(name, label="WR", parameters=Misrouting, called=called, breaks=_lost, touches=_touched, **fields)


ROUTE_WRONG_INTERFACE = _fault(
    "route-wrong-interface",
    1,
    about="A route leads to another interface than that behind which its destination is.",
    at=lambda site: (_misrouting(site, *detour) for detour in _detours(site)),
    change=lambda p: _detour(p, "Packets to it are lost there."),
)
ROUTE_WRONG_GATEWAY = _fault(
    "route-wrong-gateway",
    2,
    about="A route has a gateway that nobody is.",
    at=lambda site: (_misrouting(site, *detour, gateway=str(detour[2].free)) for detour in _detours(site)),
    change=lambda p: _detour(p, f"Nobody has the address {p.gateway}, so that packets to it are lost."),
)
ROUTE_WORSE_METRIC = _fault(
    "route-worse-metric",
    3,
    about="The right route has a worse metric than a wrong one.",
    at=lambda site: (
        _misrouting(site, lan, destination, other, gateway=str(other.free))
        for lan, destination, other in _detours(site)
        if destination == lan.prefix
    ),
    change=_worse,
)
ROUTE_LOOP = _fault(
    "route-loop",
    4,
    about="Packets circle between the router and a host that forwards, until their time to live ends.",
    at=lambda site: (
        _misrouting(site, *detour, gateway=str(address), forwarder=host)
        for detour in _detours(site)
        for host, address in detour[2].hosts.items()
    ),
    change=lambda p: _detour(
        p, f"{p.forwarder} forwards them back, so that packets circle until their time to live ends."
    ),
)


def _detours(site: Site) -> Iterator[tuple[Lan, IPv4Network, Lan]]:
    """A LAN, a destination in it, and another LAN to which the destination can be routed wrongly."""
    for lan in site.lans:
        destinations = [lan.prefix, *(IPv4Network(address) for address in lan.hosts.values())]
        for destination in destinations:
            for other in site.others(lan):
                yield lan, destination, other


def _misrouting(
    site: Site,
    lan: Lan,
    destination: IPv4Network,
    other: Lan,
    *,
    gateway: str | None = None,
    forwarder: str | None = None,
) -> Misrouting:
    return Misrouting(
        node=site.router,
        destination=str(destination),
        right=lan.interface,
        address=str(lan.address.ip),
        wrong=other.interface,
        gateway=gateway,
        forwarder=forwarder,
    )
