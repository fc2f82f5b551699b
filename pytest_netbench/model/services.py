"""What routers do beside routing, on paper: access lists, translation of addresses, marking, validation of routes."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Literal

from pydantic import Field

from pytest_netbench.model.base import Model


class AccessRule(Model):
    """One line of an access list. What is left out matches everything.

    Attributes:
        protocol: ``ip`` matches all protocols.
        source: Prefix of the senders, e.g. ``10.0.1.10/32``.
        target: Prefix of the receivers.
        ports: First and last destination port; only of tcp and udp.
    """

    permit: bool
    protocol: Literal["ip", "tcp", "udp", "icmp"] = "ip"
    source: str | None = None
    target: str | None = None
    ports: tuple[int, int] | None = None

    def matches(self, *, source: str, target: str, protocol: str, port: int | None = None) -> bool:
        """Whether a packet between two addresses matches."""
        return (
            self.protocol in ("ip", protocol)
            and _within(source, self.source)
            and _within(target, self.target)
            and (self.ports is None or (port is not None and self.ports[0] <= port <= self.ports[1]))
        )


class AccessList(Model):
    """An ordered list at an interface of a router, for packets that come in. The first line that matches decides.

    Attributes:
        ports: TCP ports of which the list permits and denies flows, so that they show whether it is right.
    """

    node: str
    interface: str
    name: str
    rules: tuple[AccessRule, ...] = Field(min_length=1)
    ports: tuple[int, ...] = ()

    def permits(self, *, source: str, target: str, protocol: str, port: int | None = None) -> bool:
        """Whether a packet between two addresses passes. What no line matches is denied."""
        for rule in self.rules:
            if rule.matches(source=source, target=target, protocol=protocol, port=port):
                return rule.permit
        return False


class Translation(Model):
    """Translation of source addresses by a router: packets from inside to outside get one address.

    Attributes:
        inside: Interfaces toward the hidden prefixes.
        outside: Interfaces toward the rest of the world.
        hidden: Prefixes whose addresses are translated.
        address: What outsiders see instead, with the length of its block, e.g. ``203.0.113.1/24``.
    """

    node: str
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    hidden: tuple[str, ...]
    address: str


class Marking(Model):
    """Marking of packets by a router: what comes in from its LANs gets a DSCP by its UDP port, and all else gets 0.

    Attributes:
        interfaces: Toward the LANs. What comes in elsewhere keeps its DSCP.
        port: UDP port that the marked packets are sent to.
        dscp: What they get.
    """

    node: str
    interfaces: tuple[str, ...] = Field(min_length=1)
    port: int = Field(ge=1, le=65535)
    dscp: int = Field(ge=0, le=63)


class Validation(Model):
    """Validation of the origin of what a router learns from a BGP neighbor: it denies what the RPKI calls invalid.

    Attributes:
        peer: Name of the neighbor.
        neighbor: The neighbor's address.
        policy: Name of the route map that denies.
        prefix: An invalid prefix that the neighbor announces, or would if it learned it.
        origin: The router that announces it, in another autonomous system.
        origin_as: The AS number of that router.
        allowed_as: The AS number that may announce it.
    """

    node: str
    peer: str
    neighbor: str
    policy: str
    prefix: str
    origin: str
    origin_as: int
    allowed_as: int


def _within(address: str, prefix: str | None) -> bool:
    return prefix is None or IPv4Address(address) in IPv4Network(prefix)
