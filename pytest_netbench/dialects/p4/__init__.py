"""The dialect ``p4``."""

from pytest_netbench.dialects.p4.dialect import P4Dialect

__all__ = ["P4Dialect"]
