"""Linux hosts of a running netns lab that answer with SSH as machines of their own do: a shell of root in each.

The lab's own SSH server gives agents a sandbox; these shells have all rights in their node, as those of an operator.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import asyncssh

from pytest_netbench.deadline import poll

_WITHIN_S = 20.0
LOOPBACK = "127.0.0.1"


class SshHosts:
    """Serves until closed, on loopback.

    Args:
        shells: By host: the command of its shell.
        key: A public key that may log in, too.
    """

    def __init__(self, shells: Mapping[str, Sequence[str]], *, key: str | None = None) -> None:
        self.password = secrets.token_hex(8)
        self._key = key
        self._own = asyncssh.generate_private_key("ssh-ed25519")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._connections: set[Any] = set()
        self._listeners = {name: self._do(self._listen(argv)) for name, argv in shells.items()}
        self.ports = {name: one.get_port() for name, one in self._listeners.items()}

    @property
    def host_key(self) -> str:
        return self._own.export_public_key().decode().strip()

    def close(self) -> None:
        for listener in self._listeners.values():
            self._loop.call_soon_threadsafe(listener.close)
        self._do(self._drained())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_WITHIN_S)

    def hang_up(self) -> None:
        """Break all connections."""
        self._do(self._drained())

    async def _drained(self) -> None:
        for connection in list(self._connections):
            connection.abort()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, argv: Sequence[str]) -> Any:
        hosts = self

        class Login(asyncssh.SSHServer):
            def connection_made(self, conn: Any) -> None:
                hosts._connections.add(conn)

            def begin_auth(self, username: str) -> bool:
                return True

            def password_auth_supported(self) -> bool:
                return True

            def validate_password(self, username: str, password: str) -> bool:
                return (username, password) == ("root", hosts.password)

            def public_key_auth_supported(self) -> bool:
                return hosts._key is not None

            def validate_public_key(self, username: str, key: Any) -> bool:
                known = asyncssh.import_public_key(hosts._key or "")
                return username == "root" and bool(key.public_data == known.public_data)

        return await asyncssh.listen(
            LOOPBACK,
            0,
            server_factory=Login,
            server_host_keys=[self._own],
            process_factory=lambda process: self._serve(process, argv),
            encoding=None,
            line_editor=False,
        )

    async def _serve(self, process: Any, argv: Sequence[str]) -> None:
        ours, theirs = os.openpty()

        shell = subprocess.Popen(["setsid", "--ctty", *argv], stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        try:
            await process.redirect(stdin=os.dup(ours), stdout=ours, recv_eof=False, send_eof=False)
            while shell.poll() is None and not process.channel.is_closing():
                await asyncio.sleep(0.05)
        finally:
            if shell.poll() is None:
                shell.kill()
            shell.wait()
            process.exit(0)


def shell_of(node: Any) -> list[str]:
    """The command of a shell with all rights in a node of a netns lab, for root of this machine."""
    lasts = str(secrets.randbelow(10**8) + 10**8)
    node.start(["sleep", lasts], name=f"holder-{lasts}", lab_time=False)

    def holder() -> int | None:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if path.read_bytes() == f"sleep\0{lasts}\0".encode():
                    return int(path.parent.name)
            except OSError:
                continue
        return None

    pid = poll(holder, until=bool, within_s=_WITHIN_S, pause_s=0.02)
    enter = [
        "nsenter",
        "-t",
        str(pid),
        "--user",
        "--net",
        "--mount",
        "--pid",
        "--uts",
        "--setuid",
        "0",
        "--setgid",
        "0",
    ]
    clean = [
        "env",
        "-i",
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "TERM=xterm-256color",
        "HOME=/root",
        f"PS1={node.name}# ",
    ]
    return [*enter, *clean, "bash", "--norc", "-i"]
