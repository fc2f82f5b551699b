"""The ``cisco_ios`` platform."""

from pytest_netbench.platforms.cisco_ios.platform import CiscoIosPlatform

__all__ = ["CiscoIosPlatform"]
