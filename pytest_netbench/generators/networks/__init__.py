"""Networks from numbers: shape, sizes, routing, platform and seed to topology, addresses and startup configs."""

from pytest_netbench.generators.networks.draw import draw_network
from pytest_netbench.generators.networks.flows import flow_groups, marked_flows
from pytest_netbench.generators.networks.parameters import NetworkParameters
from pytest_netbench.model.network import Attachment, DrawnNetwork, Subnet

__all__ = ["Attachment", "DrawnNetwork", "NetworkParameters", "Subnet", "draw_network", "flow_groups", "marked_flows"]
