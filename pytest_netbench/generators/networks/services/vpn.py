"""A WireGuard tunnel between two hosts in different LANs. Its inner addresses are in no other subnet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.services.curve25519 import private_key, public_key
from pytest_netbench.generators.networks.services.servers import address_of, own_hosts
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.hosting import VPN_PORT, VpnEnd, VpnPeer

INNER: Final = "172.31.{}.{}"
"""Of an inner address: links between routers have addresses of this block only in networks of thousands."""
_KEY_BYTES: Final = 32


def add_vpn(draft: Draft, source: Random) -> None:
    """Join two hosts in different LANs by a tunnel. Its keys come from the seed.

    Raises:
        UsageError: The network has no two hosts of its own in different LANs.
    """
    ends = source.choice(_pairs(own_hosts(draft, "vpn")))
    subnet = source.randrange(1, 255)
    inner = [INNER.format(subnet, place) for place in (1, 2)]
    private = [private_key(source.randbytes(_KEY_BYTES)) for _ in ends]
    for here, there in ((0, 1), (1, 0)):
        peer = VpnPeer(
            public_key=public_key(private[there]),
            endpoint=f"{address_of(ends[there])}:{VPN_PORT}",
            allowed_ips=(f"{inner[there]}/32",),
        )
        end = VpnEnd(address=f"{inner[here]}/24", private_key=private[here], peers={ends[there].name: peer})
        ends[here].services.append(end)


def _pairs(hosts: Sequence[Device]) -> list[tuple[Device, Device]]:
    found = [
        (one, other)
        for one, other in combinations(hosts, 2)
        if one.routed_ports[0].net is not other.routed_ports[0].net
    ]
    if not found:
        raise UsageError("service 'vpn' needs two hosts in different LANs")
    return found


VPN = Service(
    name="vpn",
    what="two hosts in different LANs are joined by a WireGuard tunnel",
    platforms=("frr", "cisco_ios", "linux", "mixed"),
    configure=add_vpn,
    is_of_hosts=True,
)
