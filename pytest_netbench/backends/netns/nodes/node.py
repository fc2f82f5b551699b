"""One node of a netns lab, as its platform uses it."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.nodes import connector
from pytest_netbench.backends.netns.nodes.fd_passing import Handover
from pytest_netbench.backends.netns.nodes.program import Program, sandbox_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.node_facts import TopologyFacts
from pytest_netbench.lab.session import ScrapliSession
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.access import CliSession, Completed, PtyProgram, SandboxLimits
from pytest_netbench.platforms.capabilities import HOSTED
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.frr import vty

T = TypeVar("T")

_LIMITS = SandboxLimits()


class NetnsNode(TopologyFacts):
    """Implements ``lab.protocols.LabNode`` over the lab's supervisor."""

    def __init__(self, *, channel: Channel, name: str, platform: str, topology: Topology, time_scale: float) -> None:
        super().__init__(name, platform, topology)
        self.memory: dict[str, Any] = {}
        self.offered: dict[str, object] = {}
        self.time_scale = time_scale
        self._channel = channel
        self._lock = threading.Lock()
        self._vtys = vty.Vtys(name, self._connect)
        self._sessions: dict[str, _Session] = {}

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return self._run([argv], input, timeout_s)[0]

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return self._run(argvs, None, timeout_s)

    def _run(self, argvs: Sequence[Sequence[str]], input: str | None, timeout_s: float) -> list[Completed]:
        answer = self._channel.call(
            "run", node=self.name, argvs=[list(argv) for argv in argvs], input=input, timeout_s=timeout_s
        )
        return [Completed(**result) for result in answer["results"]]

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = _LIMITS
    ) -> Completed:
        answer = self._channel.call(
            "shell",
            node=self.name,
            command=command,
            writable=writable,
            reads=[] if writable else list(reads),
            timeout_s=limits.timeout_s,
            output_bytes=limits.output_bytes,
            **sandbox_of(limits),
        )
        return Completed(**answer)

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        lab_time: bool = True,
        name: str | None = None,
    ) -> None:
        self._channel.call(
            "start",
            node=self.name,
            argv=list(argv),
            name=name or argv[0],
            env=dict(env or {}),
            lab_time=lab_time,
        )

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        return self._vtys.vty(requests)

    def _connect(self, daemon: str) -> socket.socket:
        _, fd = self._channel.call_for_fd("connect", node=self.name, path=vty.path(daemon), timeout_s=vty.TIMEOUT_S)
        return socket.socket(fileno=fd)

    def settle(self, lines: Sequence[str]) -> int:
        return int(self._channel.call("settle", node=self.name, lines=list(lines))["applied"])

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        self._channel.call("write", node=self.name, files=[[path, text, mode]])

    def read_file(self, path: str) -> str:
        return str(self._channel.call("read", node=self.name, path=path)["text"])

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        with self._lock:
            session = self._sessions.get(key)
            if session is not None and session.alive:
                return session
            session = self._started(argv, definition)
            self._sessions[key] = session
            return session

    def _started(self, argv: Sequence[str], definition: Mapping[str, Any] | str) -> _Session:
        # rarely scrapli loses a first prompt; nothing was sent yet, so the program can be started again
        try:
            return _Session(self._channel, self.name, argv, definition)
        except LabError:
            return _Session(self._channel, self.name, argv, definition)

    def drop_cli(self, key: str = "main") -> None:
        with self._lock:
            session = self._sessions.pop(key, None)
        if session is not None:
            session.close()

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({**dict.fromkeys(HOSTED, self), **self.offered}, owner=f"node {self.name}")

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        return Program(self._channel, self.name, argv, writable=writable, columns=columns, rows=rows)

    def close(self) -> None:
        """Let go of every session and connection; their processes end with the lab."""
        for session in self._sessions.values():
            session.let_go()
        self._sessions.clear()
        self._vtys.close()


class _Session:
    """A scrapli session with the process that it talks to."""

    def __init__(self, channel: Channel, node: str, argv: Sequence[str], definition: Mapping[str, Any] | str) -> None:
        answer, master = channel.call_for_fd("cli", node=node, argv=list(argv), **sandbox_of(_LIMITS))
        self._channel = channel
        self._pid = answer["pid"]
        try:
            handover = Handover(master)
            try:
                self._session = ScrapliSession(
                    name=f"{node} ({argv[0]})",
                    bin=sys.executable,
                    args=("-I", "-S", str(Path(connector.__file__)), handover.name, handover.token),
                    definition=definition,
                )
            finally:
                handover.close()
        except BaseException:
            channel.call("kill", pid=self._pid)
            raise
        finally:
            os.close(master)

    def send(self, line: str, *, timeout_s: float = 30.0) -> str:
        return self._session.send(line, timeout_s=timeout_s)

    @property
    def prompt(self) -> str:
        return self._session.prompt

    @property
    def alive(self) -> bool:
        return self._session.alive

    def let_go(self) -> None:
        """Close this end."""
        self._session.close()

    def close(self) -> None:
        self.let_go()
        self._channel.call("kill", pid=self._pid)
