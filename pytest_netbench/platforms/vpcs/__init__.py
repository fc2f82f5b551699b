"""Hosts that are a VPCS: an address, a gateway, ping and traceroute, and a command line for these."""

from pytest_netbench.platforms.vpcs.driver import VpcsDriver

__all__ = ["VpcsDriver"]
