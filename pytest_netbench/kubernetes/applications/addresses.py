"""Addresses of Services, and what is drawn of an application beside its graph."""

from __future__ import annotations

import random
from ipaddress import IPv4Address
from typing import Final

SERVICES: Final = IPv4Address("10.96.0.0")
"""The first address of the network of Services, a /16."""
DNS_ADDRESS: Final = "10.96.0.10"
DNS_PORT: Final = 53
DNS_NAMESPACE: Final = "kube-system"
DNS_LABELS: Final = {"k8s-app": "kube-dns"}
"""Labels of the pods that resolve names."""
DNS_NODE: Final = "coredns"
"""The node of the lab that they are."""
WORKERS: Final = ("worker-1", "worker-2", "worker-3")
"""The machines of a cluster on which pods run."""
WORKSTATION: Final = "workstation"
_FIRST, _LAST = 256, 65_000
OTHER_PORTS: Final = (2112, 4317, 6060, 8125, 8443, 9153, 9411, 10250)
"""Ports at which no service of an application listens, although some do elsewhere."""


def service_addresses(count: int, source: random.Random) -> list[str]:
    """Return different cluster addresses. Those of the API and of DNS are not among them."""
    return [str(SERVICES + number) for number in source.sample(range(_FIRST, _LAST), count)]
