"""How routers learn routes."""

from pytest_netbench.generators.networks.routings.bgp import EXTERNAL_BGP
from pytest_netbench.generators.networks.routings.ospf import OSPF
from pytest_netbench.generators.networks.routings.scheme import Scheme
from pytest_netbench.generators.networks.routings.static import STATIC

__all__ = ["EXTERNAL_BGP", "OSPF", "STATIC", "Scheme"]
