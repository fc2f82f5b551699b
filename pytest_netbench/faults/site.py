"""Site: what faults must know of a network on paper: a router and its LANs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from pytest_netbench.model.watch import WatchedFlow

Affected = Callable[[WatchedFlow], bool]
"""Whether something happens to a flow."""


@dataclass(frozen=True, kw_only=True)
class Lan:
    """A subnet of hosts behind one interface of the router.

    Attributes:
        interface: Of the router.
        address: Of the router in the LAN, the gateway of its hosts.
        hosts: Host name to address.
    """

    interface: str
    address: IPv4Interface
    hosts: dict[str, IPv4Address]

    @property
    def prefix(self) -> IPv4Network:
        """The subnet."""
        return self.address.network

    @property
    def free(self) -> IPv4Address:
        """The highest address that nobody has.

        Raises:
            ValueError: All are taken.
        """
        taken = {self.address.ip, *self.hosts.values()}
        for number in range(int(self.prefix.broadcast_address) - 1, int(self.prefix.network_address), -1):
            if (address := IPv4Address(number)) not in taken:
                return address
        raise ValueError(f"no address of {self.prefix} is free")


@dataclass(frozen=True, kw_only=True)
class Site:
    """One router, its platform, and its LANs. Everything is reached through the router."""

    router: str
    platform: str
    lans: tuple[Lan, ...]

    @cached_property
    def _places(self) -> dict[str, Lan]:
        return {host: lan for lan in self.lans for host in lan.hosts}

    @cached_property
    def _beyond(self) -> dict[frozenset[str], Affected]:
        return {}

    def others(self, lan: Lan) -> Iterator[Lan]:
        """All LANs but one."""
        return (other for other in self.lans if other is not lan)

    def lan_on(self, interface: str) -> Lan:
        """The LAN behind an interface of the router.

        Raises:
            ValueError: There is none.
        """
        for lan in self.lans:
            if lan.interface == interface:
                return lan
        known = ", ".join(lan.interface for lan in self.lans)
        raise ValueError(f"{self.router}: no LAN is behind interface {interface!r} (known: {known})")

    def lan_with(self, prefix: IPv4Network) -> Lan:
        """The LAN that ``prefix`` is in.

        Raises:
            ValueError: There is none.
        """
        for lan in self.lans:
            if prefix.subnet_of(lan.prefix):
                return lan
        raise ValueError(f"{self.router}: {prefix} is in none of its LANs")

    # what happens to flows

    def crosses(self, flow: WatchedFlow) -> frozenset[str]:
        """The interfaces of the two LANs between which a flow is forwarded; empty if it is not."""
        one, other = self._places.get(flow.source), self._places.get(flow.target)
        if one is None or other is None or one is other:
            return frozenset()
        return frozenset((one.interface, other.interface))

    def passes_router(self, flow: WatchedFlow) -> bool:
        """Whether a flow is forwarded by the router, or is its own."""
        return self.router in (flow.source, flow.target) or bool(self.crosses(flow))

    def beyond(self, hosts: Collection[str]) -> Affected:
        """Flows of which one end is among ``hosts``, and which pass the router. The same object for the same hosts."""
        meant = frozenset(hosts)
        return self._beyond.setdefault(
            meant, lambda flow: (flow.source in meant or flow.target in meant) and self.passes_router(flow)
        )


def cut_off(node: str) -> str:
    """What follows for hosts that have lost their router."""
    return f"The hosts behind it reach neither {node} nor other subnets, and are not reached from there."
