"""Drivers of devices that exist already: they boot by exchanging configurations, and keep the way to the device."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.batch_configs import BatchConfigs
from pytest_netbench.lab.attaching.configs import Configs
from pytest_netbench.lab.attaching.guards import Guard
from pytest_netbench.lab.attaching.linux_state import LinuxState
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.trial import CommandStatus, RefusedLine
from pytest_netbench.platforms.batches import Refusal, statuses_of_batch
from pytest_netbench.platforms.driver import ListsRoutes, Route

_ROOT: Final = "0"
_DEFAULT: Final = re.compile(r"\broute\s+(?:add|replace|append)\s+(?:default|0\.0\.0\.0/0)\b")


class HostConfigs:
    """The network of one host. Its methods are those of ``configs.Configs``; what is saved are facts, one a line.

    Args:
        device: Which.
        driver: Its driver.
        node: It, as its driver reaches it.
    """

    def __init__(self, device: Device, driver: Any, node: Any) -> None:
        self._driver = driver
        self._node = node
        self._management = device.management
        self._state = LinuxState(node, tuple(map(driver.kernel_interface, node.interfaces)), device.management)

    def running(self) -> str:
        """The network as it is now.

        Raises:
            LabError: It cannot be read, or whoever logs in cannot put it back.
        """
        if self._node.run(["id", "-u"]).stdout.strip() != _ROOT:
            raise LabError(f"{self._node.name}: whoever logs in needs the rights of root: set `user: root`")
        return self._state.running()

    def load(self, wanted: str) -> Sequence[RefusedLine]:
        """Clear the interfaces of the task and run a startup script; return the refused lines.

        Raises:
            LabError: The host lacks an interface, or something of it could not be put back later.
        """
        self._node.prepare()
        self._check_default(wanted)
        self._state.clear()
        refused: Sequence[RefusedLine] = self._driver.boot(self._node, wanted)
        return refused

    def restore(self, saved: str) -> None:
        """Make the network what it was.

        Raises:
            LabError: It is not; the text has the facts that differ.
        """
        self._state.restore(saved)

    def _check_default(self, wanted: str) -> None:
        """Refuse a second default route: hosts are reached by the first."""
        leaves_by = f" dev {self._management} "
        if self._management is None or not _DEFAULT.search(wanted):
            return
        if any(
            line.startswith("route -4 default ") and leaves_by in f"{line} " for line in self.running().splitlines()
        ):
            raise LabError(
                f"{self._node.name}: its default route leaves by {self._management}, which manages it, and the task has"
                f" one of its own (fix: reach it by a route to your network alone)"
            )


_SECRETS: Final = re.compile(
    r"^(\s*(?:set .*?)?(?:username .*?|enable )?(?:(?:encrypted-)?password|secret)(?: (?:\d+|sha\d+))? "
    r"|snmp-server community )[^\s;]+",
    re.MULTILINE,
)


class Exchanges(Protocol):
    """The configuration of one device that exists already."""

    def running(self) -> str:
        """All that is put back.

        Raises:
            LabError: It cannot be read.
        """
        ...

    def load(self, wanted: str) -> Sequence[RefusedLine]:
        """Exchange what is there for a startup config; return the refused lines.

        Raises:
            LabError: Something cannot be removed.
        """
        ...

    def restore(self, saved: str) -> None:
        """Make it what ``running`` told.

        Raises:
            LabError: It is not; the text has the lines.
        """
        ...


class Exchanged(Protocol):
    """A device that is in use."""

    @property
    def guard(self) -> Guard:
        """What may be typed on it."""
        ...

    @property
    def configs(self) -> Exchanges | None:
        """Its configuration; ``None`` before it is reached."""
        ...


def configs_of(device: Device, driver: Any, node: Any, keep: Sequence[str] = ()) -> Exchanges:
    """How the configuration of a device is exchanged.

    Args:
        device: Which.
        driver: Its driver.
        node: It, as its driver reaches it.
        keep: How further lines begin that stay.
    """
    if isinstance(node, ShellNode):
        return HostConfigs(device, driver, node)
    kind = BatchConfigs if syntax_of(device.dialect).commit == "batch" else Configs
    return kind(device, driver, node, keep)


def exchanging(driver: Any, held: Mapping[str, Exchanged]) -> Exchanging:
    """The driver of devices that are in use.

    Args:
        driver: That of their dialect.
        held: By node.
    """
    return (ExchangingHosts if isinstance(driver, ListsRoutes) else Exchanging)(driver, held)


class Exchanging:
    """The driver of devices, which boots by exchanging their configurations, and hides their passwords."""

    def __init__(self, driver: Any, held: Mapping[str, Exchanged]) -> None:
        self._driver = driver
        self._held = held

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def boot(self, node: Any, startup_config: str) -> Sequence[RefusedLine]:
        """Load a startup config in place of what the device has."""
        configs = self._held[node.name].configs
        assert configs is not None
        return configs.load(startup_config)

    def apply(self, node: Any, commands: Sequence[str]) -> list[CommandStatus]:
        """Configure a device, but for commands that would cut the way to it."""
        messages = self._held[node.name].guard.refusals(commands)
        wrong = next((at for at, message in enumerate(messages) if message is not None), None)
        if wrong is not None and syntax_of(node.platform).commit == "batch":
            return statuses_of_batch(node.name, commands, Refusal(message=str(messages[wrong]), index=wrong))
        typed = [command for command, message in zip(commands, messages, strict=True) if message is None]
        statuses = iter(self._driver.apply(node, typed))
        return [
            next(statuses)
            if message is None
            else CommandStatus(device=node.name, command=command, status="error", message=message)
            for command, message in zip(commands, messages, strict=True)
        ]

    def running_config(self, node: Any) -> str:
        """The running config, without passwords."""
        return without_secrets(self._driver.running_config(node))

    def execute(self, node: Any, command: str, **options: Any) -> str:
        """What a command prints, without passwords."""
        return without_secrets(self._driver.execute(node, command, **options))


class ExchangingHosts(Exchanging):
    """The same of a driver that lists the routes of its nodes."""

    def table(self, node: Any) -> list[Route]:
        """All routes of a host, but for those by its management interface."""
        management = self._held[node.name].guard.management
        return [one for one in self._driver.table(node) if one.interfaces != (management,)]


def without_secrets(text: str) -> str:
    """A configuration, or what a command printed, without the passwords of logins."""
    return _SECRETS.sub(r"\1<hidden>", text)
