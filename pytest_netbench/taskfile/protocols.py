"""What the devices of each platform call the protocols of their routes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_OF_FRR: Final = ("connected", "static", "ospf", "bgp", "rip", "eigrp", "isis", "ospf6", "ripng", "kernel", "local")
_OF_LINUX: Final = (
    "connected",
    "static",
    "dhcp",
    "bgp",
    "ospf",
    "rip",
    "isis",
    "bird",
    "zebra",
    "babel",
    "eigrp",
    "ra",
)

PROTOCOLS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"cisco_ios": _OF_FRR, "frr": _OF_FRR, "linux": _OF_LINUX, "openvswitch": _OF_LINUX}
)
"""By platform. The platforms of others may have any."""

SELDOM: Final = frozenset(
    {
        *(
            "babel",
            "nhrp",
            "openfabric",
            "pbr",
            "table",
            "table-direct",
            "sharp",
            "srte",
            "vnc",
            "vnc-direct",
            "vnc-rn",
        ),
        *("bgp-direct", "frr", "system", "pim", "vrrp", "ldp", "bfd", "mrouted", "dnrouted", "xorp", "ntk"),
        *("keepalived", "openr", "gated", "redirect", "boot"),
    }
)
"""Further ones, which messages do not list."""
