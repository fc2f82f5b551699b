"""The ``cisco_ios`` driver."""

from pytest_netbench.platforms.cisco_ios.driver import CiscoIosDriver

__all__ = ["CiscoIosDriver"]
