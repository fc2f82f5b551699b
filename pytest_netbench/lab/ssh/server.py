"""The SSH server of one lab: a thread with an event loop, one loopback port and one host key for each node."""

from __future__ import annotations

import asyncio
import hmac
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import asyncssh

from pytest_netbench.errors import LabError
from pytest_netbench.lab.ssh.files import NodeFiles
from pytest_netbench.lab.ssh.hosts import Guard, Host
from pytest_netbench.lab.ssh.session import Sessions

LOOPBACK = "127.0.0.1"
_START_S = 30.0
_CLOSE_S = 10.0
_MOST_CONNECTIONS = 100
_VERSION = "netbench"

T = TypeVar("T")


class SshServer:
    """Serves until closed. It listens only on loopback.

    Args:
        hosts: What is served.
        guard: Checks every command.

    Raises:
        LabError: No port was available.
    """

    def __init__(self, *, hosts: Sequence[Host], guard: Guard) -> None:
        self._guard = guard
        self._key = asyncssh.generate_private_key("ssh-ed25519")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="netbench-ssh", daemon=True)
        self._connections: set[asyncssh.SSHServerConnection] = set()
        self._listeners: list[asyncssh.SSHAcceptor] = []
        self._closed = False
        self._thread.start()
        self._sessions = self._do(self._make_sessions(), _START_S)
        try:
            self.ports: Mapping[str, int] = {host.name: self._do(self._listen(host), _START_S) for host in hosts}
        except OSError as error:
            self.close()
            raise LabError(f"cannot serve SSH on {LOOPBACK}: {error}") from error

    @property
    def host_key(self) -> str:
        """The public host key as a line of ``known_hosts`` has it behind the name."""
        return self._key.export_public_key().decode().strip()

    def close(self) -> None:
        """End all sessions and wait a limited time until no console is busy. Idempotent.

        A console that is kept busy by its agent's input is abandoned; it ends with the lab.
        """
        if self._closed:
            return
        self._closed = True
        threads = self._do(self._shut(), _CLOSE_S)
        ends_at = time.monotonic() + _CLOSE_S
        for thread in threads:
            thread.join(max(0.0, ends_at - time.monotonic()))
        self._do(self._drain(), _CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout_s)

    async def _make_sessions(self) -> Sessions:
        return Sessions(self._guard)

    async def _listen(self, host: Host) -> int:
        listener = await asyncssh.listen(
            LOOPBACK,
            0,
            server_factory=lambda: _Login(host, self._connections),
            server_host_keys=[self._key],
            server_version=_VERSION,
            process_factory=partial(self._sessions.serve, host),
            sftp_factory=None if host.files is None else partial(NodeFiles, host=host, guard=self._guard),
            allow_scp=host.files is not None,
            line_editor=False,
            encoding="utf-8",
            errors="replace",
            agent_forwarding=False,
            x11_forwarding=False,
            reuse_address=True,
            backlog=256,
        )
        self._listeners.append(listener)
        return listener.get_port()

    async def _shut(self) -> list[threading.Thread]:
        for listener in self._listeners:
            listener.close()
        threads = self._sessions.hang_up()
        for connection in list(self._connections):
            connection.close()
        return threads

    async def _drain(self) -> None:
        for connection in list(self._connections):
            connection.abort()
        for listener in self._listeners:
            await listener.wait_closed()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Login(asyncssh.SSHServer):
    """Asks for user and password."""

    def __init__(self, host: Host, connections: set[asyncssh.SSHServerConnection]) -> None:
        self._host = host
        self._connections = connections
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        if len(self._connections) >= _MOST_CONNECTIONS:
            # each holds descriptors of this process, which deploys labs, too
            conn.abort()
            return
        self._connections.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._connection is not None:
            self._connections.discard(self._connection)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        given, wanted = f"{username}\0{password}", f"{self._host.username}\0{self._host.password}"
        return hmac.compare_digest(given.encode(), wanted.encode())
