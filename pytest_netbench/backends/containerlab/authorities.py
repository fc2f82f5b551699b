"""By whom containers are entered: by this process if it is root, else by the helper of the lab."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest_netbench
from pytest_netbench.backends.containerlab import exchange, networks, relay, rooms
from pytest_netbench.backends.containerlab.running import ByHelper, Here, Running

_LAUNCHER = Path(__file__).with_name("launcher.py")
_ROOT = str(Path(pytest_netbench.__file__).parents[1])


class Authority(Protocol):
    """Whoever may enter containers. A container is its first process, and when that was started."""

    @property
    def prefix(self) -> tuple[str, ...]:
        """The words before the command line of a program that somebody else starts, so that it has root's rights."""
        ...

    def start(self, argv: Sequence[str], stdio: tuple[int, int, int], passed: Sequence[int] = ()) -> Running:
        """Start a program with root's rights.

        Args:
            argv: The program and its arguments.
            stdio: Its descriptors 0, 1 and 2.
            passed: Further ones, which keep their numbers.

        Raises:
            OSError: It cannot be started.
        """
        ...

    def network(self, pid: int, since: str) -> int:
        """As ``rooms.network``."""
        ...

    def open_file(self, pid: int, since: str, path: str, flags: int, mode: int) -> int:
        """As ``rooms.open_file``."""
        ...

    def connect(self, pid: int, since: str, path: str) -> socket.socket:
        """As ``rooms.connect``."""
        ...

    def plug_in(self, pid: int, names: Sequence[str]) -> None:
        """As ``networks.plug_in``."""
        ...

    def set_silent(self, pid: int, name: str, *, silent: bool) -> None:
        """As ``networks.set_silent``."""
        ...


class Root:
    """This process, which is root. Implements ``Authority``."""

    prefix: tuple[str, ...] = ()
    start = staticmethod(Here)
    network = staticmethod(rooms.network)
    open_file = staticmethod(rooms.open_file)
    connect = staticmethod(rooms.connect)
    plug_in = staticmethod(networks.plug_in)
    set_silent = staticmethod(networks.set_silent)


class Forking(Root):
    """This process, which is root, with a helper of its own that forks programs. Implements ``Authority``.

    Args:
        folder: Where the helper serves.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)

    def start(self, argv: Sequence[str], stdio: tuple[int, int, int], passed: Sequence[int] = ()) -> Running:  # type: ignore[override]
        if len(stdio) + len(passed) > exchange.MOST_DESCRIPTORS:  # a prober has one of each node
            return Here(argv, stdio, passed)
        return ByHelper(self._folder, argv, stdio, passed)


class Helper:
    """The helper that serves in a folder. Implements ``Authority``."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self.prefix = tuple(module("relay", relay.encode(self._folder)))

    def start(self, argv: Sequence[str], stdio: tuple[int, int, int], passed: Sequence[int] = ()) -> Running:
        return ByHelper(self._folder, argv, stdio, passed)

    def network(self, pid: int, since: str) -> int:
        return self._descriptor("network", pid=pid, started=since)

    def open_file(self, pid: int, since: str, path: str, flags: int, mode: int) -> int:
        return self._descriptor("open", pid=pid, started=since, path=path, flags=flags, mode=mode)

    def connect(self, pid: int, since: str, path: str) -> socket.socket:
        return socket.socket(fileno=self._descriptor("connect", pid=pid, started=since, path=path))

    def plug_in(self, pid: int, names: Sequence[str]) -> None:
        self._call("plug-in", pid=pid, names=list(names))

    def set_silent(self, pid: int, name: str, *, silent: bool) -> None:
        self._call("silence", pid=pid, name=name, silent=silent)

    def _descriptor(self, op: str, **given: Any) -> int:
        (found,) = self._call(op, **given)
        return found

    def _call(self, op: str, **given: Any) -> list[int]:
        """Request a call; the descriptors that answer it.

        Raises:
            OSError: It failed, or the helper is gone.
        """
        with exchange.connected(self._folder) as connection:
            exchange.send(connection, json.dumps({"op": op, **given}).encode())
            data, descriptors = exchange.receive(connection)
        answer = json.loads(data)
        if "error" in answer:
            raise OSError(answer["errno"], answer["error"])
        return descriptors


def module(name: str, *words: str) -> list[str]:
    """The command line of a module of this backend that imports the standard library only; no word has a space."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), _ROOT, name, *words]


def is_root() -> bool:
    """Whether this process may enter containers by itself."""
    return os.geteuid() == 0
