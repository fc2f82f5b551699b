"""The daemons of nodes as processes: which run, signals to them, and what they wrote. Standard library only.

What a daemon writes goes to a file in a size-limited file system that no node has mounted. When a file has grown too
large, its older half is dropped.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping

from pytest_netbench.backends.netns.supervisor import roots
from pytest_netbench.backends.netns.supervisor.owner import Message
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces
from pytest_netbench.kernel import syscalls as sys

_LOGS = f"{roots.BASE}/logs"
_ALL_LOGS = "size=48m,mode=700"
_LONGEST_LOG = 1 << 20
_END_S, _END_EVERY_S = 0.5, 0.001


class Daemons:
    """Processes by node and program.

    Args:
        spaces: Every node's namespaces.
        alive: Pid and description of all daemons that have not ended.
    """

    def __init__(self, spaces: Mapping[str, Namespaces], alive: Mapping[int, str]) -> None:
        self._spaces = spaces
        self._alive = alive
        self._pids: dict[tuple[str, str], int] = {}
        self._frozen: set[int] = set()
        self._logs: dict[tuple[str, str], int] = {}

    def open_log(self, node: str, program: str) -> int:
        """Return a log descriptor for a program; the caller closes it. A restarted program appends to the same log.

        Raises:
            OSError: It cannot be made.
        """
        key = node, os.path.basename(program)
        if key not in self._logs:
            if not self._logs:
                os.makedirs(_LOGS, mode=0o700, exist_ok=True)
                sys.mount("logs", _LOGS, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV | sys.MS_NOEXEC, _ALL_LOGS)
            path = f"{_LOGS}/{len(self._logs)}"
            self._logs[key] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._trim(self._logs[key])
        return os.dup(self._logs[key])

    def add(self, node: str, program: str, pid: int) -> None:
        """Note a program that was started."""
        self._pids[node, os.path.basename(program)] = pid

    def list(self, request: Message) -> Message:
        """The programs of a node that run, each with whether it is frozen."""
        return {
            "running": {
                name: pid in self._frozen
                for (node, name), pid in self._pids.items()
                if node == request["node"] and pid in self._alive
            }
        }

    def signal(self, request: Message) -> Message:
        """Send a signal to a program; the answer says whether it ran.

        Raises:
            OSError: It cannot be sent.
        """
        pid = self._pids.get((request["node"], request["daemon"]))
        if pid is None or pid not in self._alive:
            return {"sent": False}
        os.kill(pid, request["signal"])
        if request["freezes"] is not None:
            (self._frozen.add if request["freezes"] else self._frozen.discard)(pid)
        return {"sent": True}

    def end_all(self, request: Message) -> Message:
        """Kill every process of a node, an agent's too."""
        self.signal_all(request["node"], signal.SIGKILL)
        return {}

    def signal_all(self, node: str, number: int) -> int:
        """Send a signal to every process of a node, an agent's too; return how many got it.

        What measures is in the network of a node for moments, and keeps the host name of the lab.
        """
        network = os.fstat(self._spaces[node].network).st_ino
        lab = os.fstat(self._spaces[node].home.uts).st_ino
        reached = 0
        for entry in os.listdir(roots.PROC):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            with contextlib.suppress(OSError):  # it has ended
                spaces = f"{roots.PROC}/{entry}/ns"
                if os.stat(f"{spaces}/net").st_ino == network and os.stat(f"{spaces}/uts").st_ino != lab:
                    os.kill(int(entry), number)
                    reached += 1
        return reached

    def clear(self, node: str) -> None:
        """Kill every process of a node, wait until they have ended, and forget what its programs wrote."""
        deadline = time.monotonic() + _END_S
        while self.signal_all(node, signal.SIGKILL) and time.monotonic() < deadline:
            time.sleep(_END_EVERY_S)
        for (name, _), log in self._logs.items():
            if name == node:
                os.ftruncate(log, 0)

    def log(self, request: Message) -> Message:
        """What a program wrote, ``None`` if it was never started."""
        fd = self._logs.get((request["node"], request["daemon"]))
        if fd is None:
            return {"text": None}
        self._trim(fd)
        return {"text": os.pread(fd, 2 * _LONGEST_LOG, 0).decode("utf-8", "replace")}

    def _trim(self, fd: int) -> None:
        size = os.fstat(fd).st_size
        if size <= _LONGEST_LOG:
            return
        kept = os.pread(fd, _LONGEST_LOG // 2, size - _LONGEST_LOG // 2)
        os.ftruncate(fd, 0)
        os.write(fd, kept[kept.find(b"\n") + 1 :])

    def trim(self) -> None:
        """Shorten the logs that have grown too large."""
        for fd in self._logs.values():
            self._trim(fd)
