"""The control plane that all trials of a process share."""

from __future__ import annotations

import atexit
import functools
import os
import threading

from pytest_netbench.backends.kube.binaries import Binaries
from pytest_netbench.backends.kube.control_plane import ControlPlane


class _Shared:
    """The control plane of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._plane: ControlPlane | None = None
        atexit.register(self._end)

    def get(self, binaries: Binaries) -> ControlPlane:
        with self._lock:
            if self._plane is not None:
                self._plane.begin()
            if self._plane is None or not self._plane.alive:
                self._end()
                self._plane = ControlPlane.start(binaries)
            return self._plane

    def _end(self) -> None:
        if self._plane is not None:
            self._plane.stop()
            self._plane = None


@functools.cache
def _shared_of(_process: int) -> _Shared:
    return _Shared()


def shared(binaries: Binaries) -> ControlPlane:
    """Return the control plane of this process, with the objects of a fresh one if no cluster uses it.

    It is started if none runs, or none any more. A reset that goes on is waited for.

    Raises:
        LabError: It does not come up.
    """
    return _shared_of(os.getpid()).get(binaries)
