"""The scene of a task with flows that must not break while an agent works."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.evaluation.unbroken import Unbroken
from pytest_netbench.families.scenes import NetworkScene
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.testcase import Testcase, UnbrokenTestcase


class WatchedNetworkScene(NetworkScene):
    """A network whose flows in use are looked at after each change of the agent."""

    _unbroken: Unbroken | None = None

    @property
    def watcher(self) -> WorkWatcher:
        """Implements ``families.protocol.WatchesWork``. The first look is when it is asked for."""
        if self._unbroken is None:
            self._unbroken = self._evaluation.watch(self._testcases)
        return self._unbroken


def scene_of(lab: Lab, *, testcases: Sequence[Testcase], **rest: Any) -> NetworkScene:
    """The scene of a network: a watched one if a testcase is about the agent's work."""
    is_watched = any(isinstance(one, UnbrokenTestcase) for one in testcases)
    return (WatchedNetworkScene if is_watched else NetworkScene)(lab, testcases=testcases, **rest)
