"""A shell that is kept for many commands, and opened anew when its line has died."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.shell import Shell
from pytest_netbench.platforms.access import CliLine


class KeptShell:
    """A shell of a host, opened at its first use.

    Args:
        name: Of the host, for messages.
        connect: Opens a line on which the prompt of a shell stands.
    """

    def __init__(self, name: str, connect: Callable[[], CliLine]) -> None:
        self._name = name
        self._connect = connect
        self._lock = threading.Lock()
        self._shell: Shell | None = None
        self._closed = False

    def get(self) -> Shell:
        """The shell, with a line that was open at this moment.

        Raises:
            LabError: No shell answers.
        """
        with self._lock:
            if self._closed:
                raise LabError(f"{self._name}: the node is closed")
            if self._shell is None or not self._shell.is_there():
                self._shell = Shell(self._connect(), name=self._name)
            return self._shell

    def drop(self) -> None:
        """End the shell; the next use opens another one."""
        with self._lock:
            if self._shell is not None:
                self._shell.close()
                self._shell = None

    def close(self) -> None:
        """End the shell for good. Idempotent."""
        self._closed = True
        self.drop()
