"""One node of a containerlab lab that is a Linux host: its platform's driver starts and configures all in it."""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import subprocess
import termios
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from pytest_netbench.backends.containerlab import many, programs
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.deadline import poll
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
_PACE_S = 0.005
_VTYSH_USER = "frr"  # who may use the daemons' sockets


def entering(container: str, platform: str) -> str:
    """A command line by which a person enters a container."""
    return f"docker exec -it {container} {'vtysh' if platform == 'frr' else 'sh'}"


class ContainerNode(TopologyFacts):
    """Implements ``lab.protocols.LabNode`` by entering a container.

    Args:
        place: The container.
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
        logs: A folder of this machine for the logs of its daemons.
        image_memory: What is known of its image, see ``frr.installation``.
    """

    time_scale = 1.0

    def __init__(
        self,
        place: Place,
        *,
        name: str,
        platform: str,
        topology: Topology,
        logs: Path,
        image_memory: dict[str, Any],
    ) -> None:
        super().__init__(name, platform, topology)
        self.memory: dict[str, Any] = {}
        self.image_memory = image_memory
        self.offered: dict[str, object] = {}
        self.place = place
        self._logs = logs
        self._lock = threading.Lock()
        self._vtys = vty.Vtys(name, self._connect)
        self._sessions: dict[str, ScrapliSession] = {}

    @property
    def ends(self) -> tuple[str, ...]:
        """The interfaces of its container that are cabled."""
        return self.interfaces

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = 30.0) -> Completed:
        return programs.run(programs.request(self.place, argv, "trusted"), input=input, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = 30.0) -> list[Completed]:
        return many.run_many(self.place, argvs, timeout_s=timeout_s)

    def shell(
        self, command: str, *, writable: bool, reads: Sequence[str] = (), limits: SandboxLimits = _LIMITS
    ) -> Completed:
        asked = programs.request(
            self.place,
            ["/bin/sh", "-c", command],
            "write" if writable else "read",
            limits=limits,
            reads=() if writable else reads,
        )
        return programs.run(asked, timeout_s=limits.timeout_s, output_bytes=limits.output_bytes)

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        lab_time: bool = True,  # containers live in wall time
        name: str | None = None,
    ) -> None:
        log = self.log_of(name or Path(argv[0]).name)
        programs.start(programs.request(self.place, argv, "daemon", env=env or {}), log)

    def log_of(self, program: str) -> Path:
        """The file of this machine that has what a program said."""
        return self._logs / f"{program}.log"

    def vty(self, requests: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
        return self._vtys.vty(requests)

    def _connect(self, daemon: str) -> socket.socket:
        def connected() -> socket.socket | None:
            try:
                return self.place.by.connect(self.place.pid, self.place.started, vty.path(daemon))
            except OSError:
                return None

        found = poll(connected, until=bool, within_s=vty.TIMEOUT_S, pause_s=_PACE_S)
        if found is None:
            raise TimeoutError(f"no connection within {vty.TIMEOUT_S:g} s")
        return found

    def write_file(self, path: str, text: str, *, mode: int = 0o644) -> None:
        try:
            handle = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        except FileNotFoundError:
            self.run(["mkdir", "-p", str(PurePosixPath(path).parent)])
            handle = self._open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)

    def read_file(self, path: str) -> str:
        try:
            with os.fdopen(self._open(path, os.O_RDONLY), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError as error:
            raise LabError(f"{self.name}: {path}: {error.strerror}") from None

    def _open(self, path: str, flags: int, mode: int = 0) -> int:
        return self.place.by.open_file(self.place.pid, self.place.started, path, flags, mode)

    def cli(self, argv: Sequence[str], *, definition: Mapping[str, Any] | str, key: str = "main") -> CliSession:
        with self._lock:
            session = self._sessions.get(key)
            if session is None or not session.alive:
                # rarely scrapli loses a first prompt; nothing was sent yet, so the program can be started again
                try:
                    session = self._started(argv, definition)
                except LabError:
                    session = self._started(argv, definition)
                self._sessions[key] = session
            return session

    def _started(self, argv: Sequence[str], definition: Mapping[str, Any] | str) -> ScrapliSession:
        program, *args = programs.command(programs.request(self.place, argv, "read", user=_VTYSH_USER))
        return ScrapliSession(name=f"{self.name} ({argv[0]})", bin=program, args=args, definition=definition)

    def drop_cli(self, key: str = "main") -> None:
        with self._lock:
            session = self._sessions.pop(key, None)
        if session is not None:
            session.close()

    def pty(self, argv: Sequence[str], *, writable: bool, columns: int = 80, rows: int = 24) -> PtyProgram:
        profile: programs.Profile = "write" if writable else "read"
        asked = programs.request(self.place, argv, profile, user="" if writable else _VTYSH_USER, terminal=True)
        return _Program(programs.command(asked), columns=columns, rows=rows)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of({**dict.fromkeys(HOSTED, self), **self.offered}, owner=f"node {self.name}")

    def close(self) -> None:
        """Let go of every session and connection. Idempotent."""
        with self._lock:
            while self._sessions:
                self._sessions.popitem()[1].close()
        self._vtys.close()


class _Program:
    """Implements ``platforms.access.PtyProgram``."""

    def __init__(self, command: Sequence[str], *, columns: int, rows: int) -> None:
        self._fd, slave = os.openpty()
        try:
            self.resize(columns=columns, rows=rows)
            self._process = subprocess.Popen(
                command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env={"LANG": "C.UTF-8"}
            )
        except BaseException:
            os.close(self._fd)
            raise
        finally:
            os.close(slave)
        os.set_blocking(self._fd, False)

    @property
    def fd(self) -> int:
        return self._fd

    def resize(self, *, columns: int, rows: int) -> None:
        if self._fd >= 0:
            fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def close(self) -> None:
        if self._fd < 0:
            return
        os.close(self._fd)
        self._fd = -1
        self._process.kill()
        self._process.wait()
