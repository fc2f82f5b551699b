"""The platform ``openvswitch``: switches whose flows come from an OpenFlow controller."""

from pytest_netbench.platforms.openvswitch.driver import OpenvswitchDriver

__all__ = ["OpenvswitchDriver"]
