"""The dialect ``linux``."""

from pytest_netbench.dialects.linux.dialect import LinuxDialect

__all__ = ["LinuxDialect"]
