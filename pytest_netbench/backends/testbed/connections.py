"""How devices of a testbed are reached: by the system's SSH client, or at a console."""

from __future__ import annotations

import os

from pytest_netbench.backends.testbed.inventory.file import Variable
from pytest_netbench.backends.testbed.inventory.reading import Known
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.connections import Connections, ConsoleConnections
from pytest_netbench.lab.consoles import Console, Credentials
from pytest_netbench.lab.ssh_line import SshLine, SshTarget
from pytest_netbench.lab.telnet import TelnetLine


def connections(name: str, known: Known, *, within_s: float) -> Connections:
    """How a device is reached.

    Args:
        name: For messages.
        known: The device.
        within_s: It must show its prompt within this time.

    Raises:
        RequirementMissing: The environment lacks a password.
    """
    entry = known.entry
    password, enable = (_secret(known, one) for one in (entry.password, entry.enable))
    if entry.connection == "telnet":
        credentials = Credentials(username=entry.user or "", password=password, enable_secret=enable)
        console = Console(name, lambda: TelnetLine(name, known.address, known.port), credentials, within_s=within_s)
        return ConsoleConnections(console.connect, enable)
    target = SshTarget(
        host=known.address,
        port=known.port,
        user=entry.user,
        password=password,
        key=entry.key,
        known_hosts=entry.known_hosts,
        host_key=entry.host_key or "check",
    )
    return Connections(lambda: SshLine(name, target, within_s=within_s), enable)


def _secret(known: Known, variable: Variable | None) -> str:
    if variable is None:
        return ""
    if variable.env not in os.environ:
        raise RequirementMissing(
            f"the environment has no {variable.env}, which {known.device.name} of the testbed needs",
            f"export {variable.env}=…",
        )
    return os.environ[variable.env]
