"""The sessions on one device, opened at first use."""

from __future__ import annotations

import threading
from collections.abc import Callable

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.platforms.access import CommandLine, NodeAccess, OneLine
from pytest_netbench.platforms.capabilities import CLI, LOGIN
from pytest_netbench.platforms.cli_ssh.line import SshCommandLine
from pytest_netbench.platforms.cli_ssh.session import DeviceSession
from pytest_netbench.platforms.cli_ssh.system import System

_KEY = "cli_ssh"


class Sessions:
    """The sessions on one device, opened at first use and again after they ended."""

    def __init__(self, node: NodeAccess, system: System) -> None:
        self._node = node
        self._system = system
        self._open: dict[bool, DeviceSession] = {}
        self._lock = threading.RLock()

    def locked(self) -> _Locked:
        """The privileged session, for one thread."""
        return _Locked(self._lock, lambda: self._session(enable=True))

    def privileged(self, line: str, *, timeout_s: float = 60.0) -> str:
        """What a line prints in privileged mode."""
        return self._say(line, timeout_s, enable=True)

    def unprivileged(self, line: str, *, timeout_s: float) -> str:
        """What a line prints in user mode, in which nothing can be changed."""
        return self._say(line, timeout_s, enable=False)

    def _say(self, line: str, timeout_s: float, *, enable: bool) -> str:
        with self._lock:
            return self._session(enable=enable).send(line, timeout_s=timeout_s) + "\n"

    def _session(self, *, enable: bool) -> DeviceSession:
        session = self._open.get(enable)
        if session is None or not session.alive:
            device = _command_line(self._node)
            if isinstance(device, OneLine) and (other := self._open.pop(not enable, None)) is not None:
                other.close()
            session = self._open[enable] = DeviceSession(self._node.name, device, self._system, enable=enable)
        return session


class _Locked:
    """Holds a lock while a session is used."""

    def __init__(self, lock: threading.RLock, session: Callable[[], DeviceSession]) -> None:
        self._lock = lock
        self._session = session

    def __enter__(self) -> DeviceSession:
        self._lock.acquire()
        try:
            return self._session()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def sessions_of(node: NodeAccess, system: System) -> Sessions:
    """The sessions on a node, which it keeps."""
    found = node.memory.setdefault(_KEY, Sessions(node, system))
    assert isinstance(found, Sessions)
    return found


def _command_line(node: NodeAccess) -> CommandLine:
    """The command line of a device. A node that only says where to log in has one by SSH."""
    try:
        return node.capability(CLI)
    except RequirementMissing:
        return SshCommandLine(node.name, node.capability(LOGIN).login())
