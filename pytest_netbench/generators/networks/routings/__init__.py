"""How routers learn routes."""

from pytest_netbench.generators.networks.routings.bgp import EXTERNAL_BGP
from pytest_netbench.generators.networks.routings.interdomain import INTERDOMAIN
from pytest_netbench.generators.networks.routings.internal_bgp import INTERNAL_BGP
from pytest_netbench.generators.networks.routings.isis import ISIS
from pytest_netbench.generators.networks.routings.openflow import OPENFLOW
from pytest_netbench.generators.networks.routings.ospf import OSPF
from pytest_netbench.generators.networks.routings.p4 import P4
from pytest_netbench.generators.networks.routings.scheme import Scheme
from pytest_netbench.generators.networks.routings.static import STATIC

__all__ = ["EXTERNAL_BGP", "INTERDOMAIN", "INTERNAL_BGP", "ISIS", "OPENFLOW", "OSPF", "P4", "STATIC", "Scheme"]
