"""How a language writes what routers of several languages have in common, as data. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Final, Protocol, runtime_checkable

from pytest_netbench import parts


@dataclass(frozen=True, kw_only=True)
class RoutingForms:
    """Forms of lines that configure routing.

    Attributes:
        has_masks: A prefix is written with a mask or a wildcard, not with its length.
        keeps_order: The running config has statements of a section in the order in which they were typed.
        replaces_areas: A ``network`` statement of OSPF with another area replaces the one that is there.
        bgp_family: Lines that open the IPv4 address family inside a BGP process.
    """

    has_masks: bool = False
    keeps_order: bool = False
    replaces_areas: bool = False
    bgp_family: tuple[str, ...] = ()

    def wildcard(self, prefix: str) -> str:
        """Return a prefix as in OSPF's ``network``: ``10.0.0.0/24``, or ``10.0.0.0 0.0.0.255``."""
        network = IPv4Network(prefix)
        return f"{network.network_address} {network.hostmask}" if self.has_masks else str(network)

    def mask(self, prefix: str, *, word: str = "") -> str:
        """Return a prefix with its mask: ``10.0.0.0/24``, or ``10.0.0.0 255.255.255.0`` with ``word`` between them."""
        network = IPv4Network(prefix)
        return f"{network.network_address} {word}{network.netmask}" if self.has_masks else str(network)


PLAIN: Final = RoutingForms()


@runtime_checkable
class WritesRouting(Protocol):
    """What a dialect may offer: how it writes routing. Without it, it is taken to have ``PLAIN`` forms."""

    forms: RoutingForms


def forms_of(platform: str) -> RoutingForms:
    """Return how a dialect writes routing.

    Raises:
        UsageError: There is no such dialect.
    """
    dialect = parts.load("dialects", platform)()
    return dialect.forms if isinstance(dialect, WritesRouting) else PLAIN
