"""A small ISP with two upstream providers: its sites and edges, the providers, and a server network behind them."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.routings import INTERDOMAIN
from pytest_netbench.generators.networks.shapes.base import Shape, Sizes

OWN_AUTONOMOUS_SYSTEM: Final = 65010
_PROVIDERS: Final = (64501, 64502)
_INTERNET: Final = 64510


class DualHomedIspSizes(Sizes):
    """Sizes of a dual-homed ISP."""

    edges: int = Field(2, ge=1, le=2, description="edge routers, 1 or 2; two have one provider each")
    sites: int = Field(2, ge=1, le=8, description="sites, each a router with a LAN of customers, 1 to 8")
    hosts: int = Field(1, ge=1, le=8, description="hosts at each site, 1 to 8")
    servers: int = Field(1, ge=1, le=8, description="servers in the internet, 1 to 8")


def build(draft: Draft, sizes: DualHomedIspSizes) -> None:
    """Add ``edge1``, ``site1`` and so on, and outside ``provider1``, ``provider2``, ``internet`` and ``server1``."""
    edges = [_own(draft, f"edge{number}", "edge") for number in range(1, sizes.edges + 1)]
    sites = [_own(draft, f"site{number}", "site") for number in range(1, sizes.sites + 1)]
    providers = [_foreign(draft, f"provider{place}", number) for place, number in enumerate(_PROVIDERS, start=1)]
    internet = _foreign(draft, "internet", _INTERNET)
    for place, provider in enumerate(providers):
        draft.transit(provider, edges[place % len(edges)], pool="provider")
    for provider in providers:
        draft.transit(internet, provider, pool="backbone")
    if len(edges) > 1:
        draft.transit(*edges)
    for site in sites:
        for edge in edges:
            draft.transit(edge, site)
    for place, site in enumerate(sites, start=1):
        hosts = draft.hosts(f"h{place}x{number}" for number in range(1, sizes.hosts + 1))
        draft.lan(site, hosts, pool="public")
    servers = [draft.host(f"server{number}", control="foreign") for number in range(1, sizes.servers + 1)]
    draft.lan(internet, servers, pool="internet")


def _own(draft: Draft, name: str, role: str) -> Device:
    device = draft.router(name, role=role)
    device.autonomous_system = OWN_AUTONOMOUS_SYSTEM
    return device


def _foreign(draft: Draft, name: str, autonomous_system: int) -> Device:
    device = draft.router(name, role="router of a provider", control="foreign")
    device.autonomous_system = autonomous_system
    return device


DUAL_HOMED_ISP = Shape(
    name="dual-homed-isp",
    what="an ISP with two upstream providers: BGP with a preferred provider, OSPF inside; providers are foreign nodes",
    sizes=DualHomedIspSizes,
    build=build,
    steps=({"edges": 1, "sites": 2}, {"edges": 2, "sites": 2}, {"edges": 2, "sites": 4}),
    routings={"bgp": INTERDOMAIN},
    platforms=("frr", "cisco_ios"),
)
