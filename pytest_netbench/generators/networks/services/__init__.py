"""The services of networks, by name."""

from __future__ import annotations

from typing import Final

from pytest_netbench.generators.networks.services.balancer import LB
from pytest_netbench.generators.networks.services.dhcp import DHCP
from pytest_netbench.generators.networks.services.filter import FILTER
from pytest_netbench.generators.networks.services.nat import NAT
from pytest_netbench.generators.networks.services.qos import QOS
from pytest_netbench.generators.networks.services.rpki import RPKI
from pytest_netbench.generators.networks.services.servers import DNS, WEB
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.generators.networks.services.vpn import VPN

SERVICES: Final[dict[str, Service]] = {
    service.name: service for service in (FILTER, NAT, DNS, WEB, LB, DHCP, VPN, QOS, RPKI)
}

__all__ = ["SERVICES", "Service"]
