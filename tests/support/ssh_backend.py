"""A third party's backend: netns labs whose IOS devices have nothing but a command line.

Deploys with ``netns``, lets each ``cisco_ios`` node answer with SSH on loopback, and gives these nodes the driver
``cisco_ios_ssh`` and no other access than that command line.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from pytest_netbench import parts
from pytest_netbench.lab.report import Check
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.ssh.hosts import Host, Typed
from pytest_netbench.lab.ssh.server import LOOPBACK, SshServer
from pytest_netbench.model.trial import Isolation, SshLogin
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.cli_ssh.line import SshCommandLine

T = TypeVar("T")
USERNAME = "operator"
ENTRY_POINTS = """\
[pytest_netbench.backends]
netns-by-ssh = tests.support.ssh_backend:SshBackend
"""


def install(site: Path) -> Path:
    """Make ``site`` a folder that, once on ``sys.path``, provides the backend ``netns-by-ssh``."""
    info = site / "ssh_labs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ssh-labs\nVersion: 1.0\n")
    return site


class SshBackend:
    """Implements ``lab.protocols.Backend``."""

    name = "netns-by-ssh"

    def __init__(self) -> None:
        self._netns = parts.load("backends", "netns")()
        self.capabilities: tuple[str, ...] = (*self._netns.capabilities, CLI.name)

    def report(self) -> Sequence[Check]:
        return self._netns.report()

    def lacks(self, request: LabRequest) -> tuple[str, str | None] | None:
        return self._netns.lacks(request)

    def deploy(self, request: LabRequest) -> SshLab:
        return SshLab(self._netns.deploy(request))


class SshLab:
    """Implements ``lab.protocols.Lab``: what it does not say itself is the netns lab's."""

    isolation = Isolation(
        read_only="the driver: `show` in privileged mode, all else in user mode", runs_as=f"the login {USERNAME}"
    )

    def __init__(self, lab: Any) -> None:
        self._lab = lab
        self._driver = parts.load("drivers", "cisco_ios_ssh")()
        served = [name for name, node in lab.nodes.items() if node.platform == self._driver.dialect]
        passwords = {name: (secrets.token_hex(8), secrets.token_hex(8)) for name in served}
        try:
            self._server = SshServer(hosts=[self._host(name, *passwords[name]) for name in served], guard=OpenGuard())
        except BaseException:
            lab.destroy()
            raise
        self.nodes: Mapping[str, Any] = {
            name: CommandLineNode(node, self._login(name, *passwords[name])) if name in passwords else node
            for name, node in lab.nodes.items()
        }

    def _host(self, name: str, password: str, secret: str) -> Host:
        node, own = self._lab.nodes[name], self._lab.driver(name)
        return Host(
            name=name,
            username=USERNAME,
            password=password,
            console=lambda: own.console(node, enable_secret=secret),
            files=None,
        )

    def _login(self, name: str, password: str, secret: str) -> SshLogin:
        return SshLogin(
            host=LOOPBACK,
            port=self._server.ports[name],
            username=USERNAME,
            password=password,
            enable_secret=secret,
            platform=self._driver.dialect,
            host_key=self._server.host_key,
        )

    def driver(self, node: str) -> Any:
        return self._driver if isinstance(self.nodes[node], CommandLineNode) else self._lab.driver(node)

    def destroy(self) -> None:
        self._server.close()
        self._lab.destroy()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lab, name)


class CommandLineNode:
    """Implements ``NodeAccess``: facts of the topology, and a command line."""

    def __init__(self, node: Any, login: SshLogin) -> None:
        self.name: str = node.name
        self.platform: str = node.platform
        self.role = node.role
        self.interfaces = node.interfaces
        self.peers = node.peers
        self.line_rates = node.line_rates
        self.time_scale: float = node.time_scale
        self.memory: dict[str, Any] = {}
        self.login = login

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({CLI.name: SshCommandLine(self.name, self.login)}, owner=f"node {self.name}")


class OpenGuard:
    """Lets every line pass: the driver answers for what it sends."""

    stands_still = False

    def moving(self) -> AbstractContextManager[Typed]:
        return nullcontext(Typed())

    @contextmanager
    def enter(self, device: str, session: str, line: str, kind: str) -> Iterator[Typed]:
        yield Typed()

    def broken(self, device: str, error: Exception) -> None:
        raise error
