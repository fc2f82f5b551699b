"""IOS devices that are reached by their SSH login alone: real ones, or any that behave as such."""

from pytest_netbench.platforms.cli_ssh.driver import CiscoIosSshDriver

__all__ = ["CiscoIosSshDriver"]
