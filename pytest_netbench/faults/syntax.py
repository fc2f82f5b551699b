"""How FRR and IOS write the same values differently."""

from __future__ import annotations

from ipaddress import IPv4Network


def wildcard(platform: str, prefix: str) -> str:
    """Return a prefix as in OSPF's ``network``: ``10.0.0.0/24`` in FRR, ``10.0.0.0 0.0.0.255`` in IOS."""
    network = IPv4Network(prefix)
    return f"{network.network_address} {network.hostmask}" if platform == "cisco_ios" else str(network)
