"""The dialect ``cisco_ios``."""

from pytest_netbench.dialects.cisco_ios.dialect import CiscoIosDialect

__all__ = ["CiscoIosDialect"]
