"""The dialect ``frr``."""

from pytest_netbench.dialects.frr.dialect import FrrDialect

__all__ = ["FrrDialect"]
