"""The dialect ``juniper_junos``."""

from pytest_netbench.dialects.juniper_junos.dialect import JuniperJunosDialect

__all__ = ["JuniperJunosDialect"]
