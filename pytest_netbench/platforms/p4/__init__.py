"""The platform ``p4``: switches that run a P4 program in bmv2's ``simple_switch``."""

from pytest_netbench.platforms.p4.driver import P4Driver

__all__ = ["P4Driver"]
