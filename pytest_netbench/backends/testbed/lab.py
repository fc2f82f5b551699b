"""A task's network on the devices of a testbed."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any, Final, TypeVar

from pytest_netbench.backends.testbed.devices import Held
from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.capabilities import PROBES
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.shells.linux_console import LinuxConsole
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.lab.shells.prober import ConsoleProber
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import CommandStatus, Isolation, RefusedLine
from pytest_netbench.platforms.batches import Refusal, statuses_of_batch
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.driver import ListsRoutes, Route

T = TypeVar("T")
_log = logging.getLogger("pytest_netbench.testbed")
_READ_ONLY: Final = {
    "device": "the driver: `show` in privileged mode, all else in user mode",
    "host": "on a host a user without rights, if the host can take rights away",
}
_SECRETS: Final = re.compile(
    r"^(\s*(?:set .*?)?(?:username .*?|enable )?(?:(?:encrypted-)?password|secret)(?: (?:\d+|sha\d+))? "
    r"|snmp-server community )[^\s;]+",
    re.MULTILINE,
)


class Exchanging:
    """The driver of devices, which boots by exchanging their configurations, and hides their passwords."""

    def __init__(self, driver: Any, held: Mapping[str, Held]) -> None:
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
        management = self._held[node.name].known.device.management
        return [one for one in self._driver.table(node) if one.interfaces != (management,)]


def without_secrets(text: str) -> str:
    """A configuration, or what a command printed, without the passwords of logins."""
    return _SECRETS.sub(r"\1<hidden>", text)


class TestbedLab:
    """Implements ``lab.protocols.Lab``."""

    __test__ = False  # no class of tests, whatever its name
    time_scale = 1.0
    features = ("testbed",)

    def __init__(self, request: LabRequest, held: Mapping[str, Held]) -> None:
        self.topology = request.topology
        self.nodes = {name: one.node for name, one in held.items() if one.node is not None}
        hosts = {name: LinuxConsole(node) for name, node in self.nodes.items() if isinstance(node, ShellNode)}
        self._offered: dict[str, object] = {PROBES.name: ConsoleProber(hosts)} if hosts else {}
        kinds = dict.fromkeys("host" if name in hosts else "device" for name in self.nodes)
        self.isolation = Isolation(
            read_only="; ".join(_READ_ONLY[one] for one in kinds), runs_as="the user of the testbed"
        )
        self.notes = tuple(note for one in held.values() for note in one.guard.notes)
        self.substitutes: dict[str, str] = {}
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.readiness = Readiness()
        self.deploy_s = self.destroy_s = self.cleanup_s = 0.0
        self._held = held
        by_driver: dict[str, Exchanging] = {}
        self._drivers = {
            name: by_driver.setdefault(one.driver.name, _exchanging(one.driver, held)) for name, one in held.items()
        }
        self._cleaner: Thread | None = None
        self._failures: list[str] = []

    def driver(self, node: str) -> Any:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self._offered, owner="this testbed")

    @property
    def prober(self) -> Prober:
        return self.capability(PROBES)

    def keep(self) -> Kept:
        for one in self._held.values():
            one.keep()
        return Kept("devices of the testbed", {node: one.known.login for node, one in self._held.items()})

    def destroy(self) -> None:
        if self._cleaner is None:
            # not a daemon thread: the interpreter does not end before it does
            self._cleaner = Thread(target=self._put_back, name="netbench-testbed", daemon=False)
            self._cleaner.start()

    def _put_back(self) -> None:
        began = time.monotonic()
        # one that does not answer does not keep others waiting
        with ThreadPoolExecutor(max_workers=len(self._held), thread_name_prefix="netbench-testbed") as pool:
            found = pool.map(_put_back, self._held.values())
        self._failures = [one for one in found if one is not None]
        for failure in self._failures:
            _log.error("a device is not as it was (fix: netbench clean): %s", failure)
        self.cleanup_s = time.monotonic() - began

    def await_cleanup(self) -> None:
        """Wait until the devices are as they were.

        Raises:
            LabError: The lab was not destroyed, or a device is not as it was.
        """
        if self._cleaner is None:
            raise LabError("the lab was not destroyed")
        self._cleaner.join()
        if self._failures:
            raise LabError("\n".join(["a device is not as it was (fix: netbench clean):", *self._failures]))


def _exchanging(driver: Any, held: Mapping[str, Held]) -> Exchanging:
    return (ExchangingHosts if isinstance(driver, ListsRoutes) else Exchanging)(driver, held)


def _put_back(device: Held) -> str | None:
    """Put a device back and let go of it; return why it is not as it was, if so. The journal stays then."""
    try:
        device.restore()
    except Exception as error:  # noqa: BLE001 - given to whoever waits
        return str(error)
    else:
        return None
    finally:
        device.release()
