"""Exchanges the network of a Linux host that exists already, and puts the former one back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.linux_state import LinuxState
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.model.trial import RefusedLine

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
