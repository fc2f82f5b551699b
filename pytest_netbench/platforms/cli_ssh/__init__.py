"""Devices that are reached by their command line alone: real ones, or any that behave as such."""

from pytest_netbench.platforms.cli_ssh.drivers import AristaEosSshDriver, CiscoIosSshDriver, JuniperJunosSshDriver

__all__ = ["AristaEosSshDriver", "CiscoIosSshDriver", "JuniperJunosSshDriver"]
