"""The driver ``cli_ssh`` for each system that it knows."""

from __future__ import annotations

from pytest_netbench.platforms.cli_ssh.driver import CliSshDriver
from pytest_netbench.platforms.cli_ssh.systems.cisco_ios import CISCO_IOS


class CiscoIosSshDriver(CliSshDriver):
    """Operates devices that answer as Cisco IOS."""

    name = "cisco_ios_ssh"
    dialect = CISCO_IOS.dialect
    system = CISCO_IOS
