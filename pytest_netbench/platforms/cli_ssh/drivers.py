"""The driver ``cli_ssh`` for each system that it knows."""

from __future__ import annotations

from pytest_netbench.platforms.cli_ssh.driver import CliSshDriver
from pytest_netbench.platforms.cli_ssh.systems.arista_eos import ARISTA_EOS
from pytest_netbench.platforms.cli_ssh.systems.cisco_ios import CISCO_IOS
from pytest_netbench.platforms.cli_ssh.systems.juniper_junos import JUNIPER_JUNOS


class CiscoIosSshDriver(CliSshDriver):
    """Operates devices that answer as Cisco IOS."""

    name = "cisco_ios_ssh"
    dialect = CISCO_IOS.dialect
    system = CISCO_IOS


class AristaEosSshDriver(CliSshDriver):
    """Operates devices that answer as Arista EOS. Never tried on a device."""

    name = "arista_eos"
    dialect = ARISTA_EOS.dialect
    system = ARISTA_EOS


class JuniperJunosSshDriver(CliSshDriver):
    """Operates devices that answer as Juniper Junos. Never tried on a device."""

    name = "juniper_junos"
    dialect = JUNIPER_JUNOS.dialect
    system = JUNIPER_JUNOS
