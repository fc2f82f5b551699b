"""Faults in the routing table of a Linux router: NetArena's ``wrong_routing_table`` (WR).

A wrong route replaces the connected route to a LAN, or is a more specific one to a host in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.linux import LinuxFault, OnNode
from pytest_netbench.faults.protocol import Commands
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


class _Misrouted(LinuxFault[Misrouting]):
    """What faults of the routing table share."""

    label = "WR"
    parameters = Misrouting

    def effect(self, parameters: Misrouting) -> str:  # noqa: ARG002  (one of them needs it)
        """Sentences that say what follows from it."""
        return "Packets to it are lost there."

    def breaks(self, parameters: Misrouting, site: Site) -> Affected:
        destination = IPv4Network(parameters.destination)
        hosts = site.lan_with(destination).hosts
        return site.beyond([name for name, address in hosts.items() if address in destination])

    def touches(self, parameters: Misrouting) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.right}", f"{parameters.node} {parameters.wrong}"})

    def wrong(self, parameters: Misrouting) -> str:
        what = "The host" if parameters.is_host else "The subnet"
        via = "" if parameters.gateway is None else f" by way of {parameters.gateway}"
        return (
            f"{what} {parameters.shown} is behind interface {parameters.right} of {parameters.node}, but a route leads"
            f" to {parameters.wrong}{via}. {self.effect(parameters)}"
        )

    def injection(self, parameters: Misrouting) -> Commands:
        add = f"ip route add {parameters.detour}"
        remove = f"ip route del {parameters.destination} dev {parameters.right}"
        return {parameters.node: (add,) if parameters.is_host else (remove, add)}

    def signs(self, parameters: Misrouting) -> Iterator[Sign]:
        via = "" if parameters.gateway is None else f"via {re.escape(parameters.gateway)} "
        route = rf"{re.escape(parameters.shown)} {via}dev {parameters.wrong}\b[^\n]*"
        yield Sign(f"ip route show {parameters.destination}", rf"\A{route}\n?\Z")

    def repair(self, parameters: Misrouting) -> tuple[str, ...]:
        if parameters.is_host:
            return (f"ip route del {parameters.detour}",)
        return (f"ip route replace {parameters.connected}",)


class RouteWrongInterface(_Misrouted):
    """A route leads to another interface than that behind which its destination is."""

    name = "route-wrong-interface"
    called = {"netarena": "wrong_routing_table, method 1"}

    def _targets(self, site: Site) -> Iterator[Misrouting]:
        for lan, destination, other in _detours(site):
            yield _misrouting(site, lan, destination, other)


class RouteWrongGateway(_Misrouted):
    """A route has a gateway that nobody is."""

    name = "route-wrong-gateway"
    called = {"netarena": "wrong_routing_table, method 2"}

    def effect(self, parameters: Misrouting) -> str:
        return f"Nobody has the address {parameters.gateway}, so that packets to it are lost."

    def _targets(self, site: Site) -> Iterator[Misrouting]:
        for lan, destination, other in _detours(site):
            yield _misrouting(site, lan, destination, other, gateway=str(other.free))


class RouteWorseMetric(_Misrouted):
    """The right route has a worse metric than a wrong one."""

    name = "route-worse-metric"
    called = {"netarena": "wrong_routing_table, method 3"}

    def effect(self, parameters: Misrouting) -> str:  # noqa: ARG002  (there is no choice)
        return f"The right route is there, but its metric {WORSE} is worse than {BETTER}. Packets to it are lost."

    def _targets(self, site: Site) -> Iterator[Misrouting]:
        for lan, destination, other in _detours(site):
            if destination == lan.prefix:
                yield _misrouting(site, lan, destination, other, gateway=str(other.free))

    def injection(self, parameters: Misrouting) -> Commands:
        return {
            parameters.node: (
                f"ip route add {parameters.connected} metric {WORSE}",
                f"ip route add {parameters.detour} metric {BETTER}",
                f"ip route del {parameters.connected}",
            )
        }

    def signs(self, parameters: Misrouting) -> Iterator[Sign]:
        command = f"ip route show {parameters.destination}"
        yield Sign(command, rf"^{re.escape(parameters.detour)} metric {BETTER}\s*$")
        yield Sign(command, rf"^{re.escape(parameters.connected)} metric {WORSE}\s*$")
        # no third route, in particular none without a metric
        yield Sign(f"{command} | wc -l", r"\A2$")

    def repair(self, parameters: Misrouting) -> tuple[str, ...]:
        return (
            f"ip route add {parameters.connected}",
            f"ip route del {parameters.detour} metric {BETTER}",
            f"ip route del {parameters.connected} metric {WORSE}",
        )


class RouteLoop(_Misrouted):
    """Packets circle between the router and a host that forwards, until their time to live ends."""

    name = "route-loop"
    called = {"netarena": "wrong_routing_table, method 4"}

    def effect(self, parameters: Misrouting) -> str:
        return f"{parameters.forwarder} forwards them back, so that packets circle until their time to live ends."

    def _targets(self, site: Site) -> Iterator[Misrouting]:
        for lan, destination, other in _detours(site):
            for host, address in other.hosts.items():
                yield _misrouting(site, lan, destination, other, gateway=str(address), forwarder=host)

    def touches(self, parameters: Misrouting) -> frozenset[str]:
        return super().touches(parameters) | {f"{parameters.forwarder} ip_forward"}

    def injection(self, parameters: Misrouting) -> Commands:
        forwarder = str(parameters.forwarder)
        return {forwarder: ("sysctl -qw net.ipv4.ip_forward=1",), **super().injection(parameters)}


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
