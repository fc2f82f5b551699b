"""The dialect ``openvswitch``."""

from pytest_netbench.dialects.openvswitch.dialect import OpenvswitchDialect

__all__ = ["OpenvswitchDialect"]
