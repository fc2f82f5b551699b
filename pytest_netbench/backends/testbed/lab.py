"""A task's network on the devices of a testbed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from pytest_netbench.backends.testbed.devices import Held
from pytest_netbench.catching import Caught
from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.exchanging import Exchanging, exchanging
from pytest_netbench.lab.attaching.putting_back import side_by_side
from pytest_netbench.lab.capabilities import PROBES
from pytest_netbench.lab.cleanup import Cleanup
from pytest_netbench.lab.keeping import Kept
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.lab.shells.linux_console import LinuxConsole
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.lab.shells.prober import ConsoleProber
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capability import Capability

T = TypeVar("T")
_log = logging.getLogger("pytest_netbench.testbed")
_READ_ONLY: Final = {
    "device": "the driver: `show` in privileged mode, all else in user mode",
    "host": "on a host a user without rights, if the host can take rights away",
}


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
        self.deploy_s = self.destroy_s = 0.0
        self._held = held
        by_driver: dict[str, Exchanging] = {}
        self._drivers = {
            name: by_driver.setdefault(one.driver.name, exchanging(one.driver, held)) for name, one in held.items()
        }
        self._cleanup = Cleanup(self._put_back, wrong="a device is not as it was (fix: netbench clean):\n")

    @property
    def cleanup_s(self) -> float:
        """Wall seconds until the devices were as before."""
        return self._cleanup.took_s

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
        self._cleanup.start()

    def _put_back(self) -> None:
        # one that does not answer does not keep others waiting
        found = side_by_side(self._held, lambda _, one: _put_back(one)).values()
        failures = [one for one in found if one is not None]
        for failure in failures:
            _log.error("a device is not as it was (fix: netbench clean): %s", failure)
        if failures:
            raise LabError("\n".join(failures))

    def await_cleanup(self) -> None:
        """Wait until the devices are as they were.

        Raises:
            LabError: The lab was not destroyed, or a device is not as it was.
        """
        self._cleanup.wait()


def _put_back(device: Held) -> str | None:
    """Put a device back and let go of it; return why it is not as it was, if so. The journal stays then."""
    try:
        with Caught(Exception) as caught:
            device.restore()
        return None if caught.error is None else str(caught.error)
    finally:
        device.release()
