"""The driver of pods: Linux nodes that an agent may remove."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.platforms.capabilities import HostNode
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.linux import LinuxDriver
from pytest_netbench.platforms.sessions import Excused, none_excused


class PodDriver(LinuxDriver):
    """Operates pods. There is nothing to wait for, and a pod that is gone cannot be asked.

    Args:
        has_console: Whether one can log in to a pod.
    """

    def __init__(self, *, has_console: bool = True) -> None:
        super().__init__()
        self.has_console = has_console

    def pending(self, nodes: Mapping[str, HostNode], *, excused: Excused = none_excused) -> Pending:
        return Pending()
