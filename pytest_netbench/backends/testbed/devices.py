"""The devices of a testbed in use: locked, saved before they are changed, put back at the end."""

from __future__ import annotations

import os
from typing import Any, Final, TypeVar

from pytest_netbench import parts
from pytest_netbench.backends.testbed import journal
from pytest_netbench.backends.testbed.inventory.file import Variable
from pytest_netbench.backends.testbed.inventory.reading import Known, Testbed
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.attaching.configs import Configs
from pytest_netbench.lab.attaching.journal import key
from pytest_netbench.lab.consoles import Console, Credentials
from pytest_netbench.lab.owners import Owner
from pytest_netbench.lab.ssh_line import SshLine, SshTarget
from pytest_netbench.lab.telnet import TelnetLine
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.access import CliLine, CommandLine
from pytest_netbench.platforms.capabilities import CLI
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
DRIVERS: Final = {"cisco_ios": "cisco_ios_ssh"}
"""By dialect: the driver of its devices."""


class TestbedNode:
    """Implements ``lab.protocols.LabNode``: facts of the topology, and a command line."""

    __test__ = False  # no class of tests, whatever its name
    time_scale = 1.0

    def __init__(self, name: str, known: Known, topology: Topology | None) -> None:
        self.name = name
        self.platform = known.device.dialect
        self.role = None if topology is None else topology.node(name).role
        self.interfaces = () if topology is None else topology.interfaces(name)
        self.peers = {} if topology is None else topology.peers(name)
        self.line_rates = {} if topology is None else topology.line_rates(name)
        self.memory: dict[str, Any] = {}
        self._opened: list[CliLine] = []
        self._line = command_line(name, known, self._opened)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({CLI.name: self._line}, owner=f"node {self.name}")

    def close(self) -> None:
        """End all connections. Idempotent."""
        while self._opened:
            self._opened.pop().close()


class _Ssh:
    """Implements ``platforms.access.CommandLine``."""

    def __init__(self, name: str, target: SshTarget, enable_secret: str, opened: list[CliLine]) -> None:
        self._opened = opened
        self._name = name
        self._target = target
        self.enable_secret = enable_secret

    def connect(self) -> CliLine:
        line = SshLine(self._name, self._target)
        self._opened.append(line)
        return line


def command_line(name: str, known: Known, opened: list[CliLine]) -> CommandLine:
    """How a device is reached. What is opened is added to ``opened``, if it is one of several connections.

    Raises:
        RequirementMissing: The environment lacks a password.
    """
    entry = known.entry
    password, enable = (_secret(known, one) for one in (entry.password, entry.enable))
    if entry.connection == "telnet":
        credentials = Credentials(username=entry.user or "", password=password, enable_secret=enable)
        return Console(name, lambda: TelnetLine(name, known.address, known.port), credentials)
    target = SshTarget(
        host=known.address,
        port=known.port,
        user=entry.user,
        password=password,
        key=entry.key,
        known_hosts=entry.known_hosts,
        host_key=entry.host_key or "check",
    )
    return _Ssh(name, target, enable, opened)


def _secret(known: Known, variable: Variable | None) -> str:
    if variable is None:
        return ""
    if variable.env not in os.environ:
        raise RequirementMissing(
            f"the environment has no {variable.env}, which {known.device.name} of the testbed needs",
            f"export {variable.env}=…",
        )
    return os.environ[variable.env]


def _refuse_others(name: str, saved: journal.Saved) -> None:
    if Owner.from_json(saved.owner).lives() is None:
        raise LabError(f"{name}: a run on another machine or in another container has changed it")


class Held:
    """A device that this process holds. What it was is put back before anything else, if a run was killed.

    Args:
        node: The node of the task that it stands for.
        known: The device.
        testbed: Its testbed.
        topology: Of the task; ``None`` only to put it back.
        wait_s: How long it is waited for.

    Raises:
        LabError: It is in use, does not answer, or cannot be put back.
    """

    def __init__(
        self, node: str, known: Known, testbed: Testbed, topology: Topology | None, *, wait_s: float | None = None
    ) -> None:
        name = known.device.name
        self.name = key(known.address, known.port)
        self._lock = journal.JOURNALS.lock(self.name, name, wait_s=testbed.wait_s if wait_s is None else wait_s)
        self.node: Any = None
        try:
            self.node = TestbedNode(node, known, topology)
            self.driver = parts.load("drivers", known.entry.driver or DRIVERS[known.device.dialect])()
            self.configs = Configs(known.device, self.driver, self.node, known.entry.keep or ())
            before = journal.read(self.name)
            if before is not None:
                _refuse_others(name, before)
                self.restore(before.config)
            if topology is not None:
                self.saved = self.configs.running()
                owner = Owner.here().to_json()
                journal.write(
                    self.name,
                    journal.Saved(owner=owner, testbed=str(testbed.path), device=name, config=self.saved),
                )
        except BaseException:
            self.release()
            raise

    def restore(self, config: str) -> None:
        """Put a configuration back, and forget that it was changed.

        Raises:
            LabError: It is not as it was; the journal stays.
        """
        self.configs.restore(config)
        journal.JOURNALS.forget(self.name)

    def release(self) -> None:
        """Let others use it. Idempotent."""
        if self.node is not None:
            self.node.close()
        self._lock.release()
