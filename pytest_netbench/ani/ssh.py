"""SSH to the devices of a lab, for agents that work as they would on real ones: logins, and a file that tells them."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.scratch import ScratchDirectory
from pytest_netbench.lab.ssh.hosts import Host
from pytest_netbench.model.trial import SshAccess, SshLogin

if TYPE_CHECKING:
    from pytest_netbench.ani.interface import AgentInterface
    from pytest_netbench.ani.network import NetworkMethods

USERNAME = "netbench"
INSTALL_COMMAND = "pip install 'pytest-netbench[ssh]'"


def open_ssh(ani: AgentInterface) -> SshAccess:
    """Let every device that may be read answer with SSH until ``ani`` is closed; ``ani.ssh`` is what this returns.

    The login to a device that must not be changed is read-only: its console changes nothing. An observed device has no
    files to copy. A console stays what it was at the login, also if devices may be changed later.

    Args:
        ani: Its access, budget and recording apply to every line that is entered.

    Raises:
        RequirementMissing: asyncssh is not installed, or no device has a command line to log in to.
        LabError: No port could be had.
    """
    try:
        from pytest_netbench.lab.ssh.server import SshServer  # asyncssh
    except ModuleNotFoundError as error:
        raise RequirementMissing("SSH to devices needs asyncssh", remedy=INSTALL_COMMAND) from error
    password, enable_secret = secrets.token_hex(10), secrets.token_hex(10)
    network = ani.network
    hosts = [] if network is None else [_host(network, name, password, enable_secret) for name in _served(network)]
    if network is None or not hosts:
        raise RequirementMissing("no device of this lab that the agent may use has a command line to log in to")
    server = SshServer(hosts=hosts, guard=network.guard(ani.standing))
    ani.at_close(server.close)
    folder = ScratchDirectory("netbench-ssh-")
    ani.at_close(folder.close)
    logins = {
        host.name: SshLogin(
            host="127.0.0.1",
            port=server.ports[host.name],
            username=host.username,
            password=host.password,
            enable_secret=enable_secret,
            platform=network.devices.node(host.name).platform,
            host_key=server.host_key,
        )
        for host in hosts
    }
    ani.ssh = SshAccess(inventory=str(folder.path / "inventory.json"), hosts=logins)
    _write(Path(ani.ssh.inventory), ani.ssh)
    return ani.ssh


def _served(network: NetworkMethods) -> list[str]:
    devices, access = network.devices, network.access
    return [name for name in devices.names if access.reads(name) and devices.driver(name).has_console]


def _host(network: NetworkMethods, name: str, password: str, enable_secret: str) -> Host:
    node = network.devices.node(name)
    driver = network.devices.driver(name)
    return Host(
        name=name,
        username=USERNAME,
        password=password,
        console=lambda: driver.console(node, enable_secret=enable_secret, read_only=not network.changes(name)),
        files=driver.files(node) if network.access.control(name) == "managed" else None,
    )


def _write(path: Path, access: SshAccess) -> None:
    text = json.dumps({"hosts": {name: login.model_dump() for name, login in access.hosts.items()}}, indent=2)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")
