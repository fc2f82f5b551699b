"""One login over SSH, from the event loop's side: a thread for its console, and what goes to and fro."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections import deque
from typing import Any

import asyncssh

from pytest_netbench.errors import AniError
from pytest_netbench.lab.ssh.hosts import Guard, Host
from pytest_netbench.lab.ssh.terminal import SshTerminal

MAX_SESSIONS = 200
_READ = 65_536
_BROKEN = 255
_CTRL_C = "\x03"


class Sessions:
    """The sessions of one server. Used in its event loop, but for ``busy``."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._numbers = itertools.count(1)
        self._open: dict[threading.Thread, SshTerminal] = {}

    async def serve(self, host: Host, process: asyncssh.SSHServerProcess[str]) -> None:
        """Serve one login until either side ends it."""
        if len(self._open) >= MAX_SESSIONS:
            process.stderr.write(f"too many sessions: at most {MAX_SESSIONS} at a time\r\n")
            process.exit(_BROKEN)
            return
        outbox = _Outbox(process)
        terminal = SshTerminal(
            device=host.name, session=f"ssh-{next(self._numbers)}", guard=self._guard, send=outbox.put_from_thread
        )
        outbox.sent = terminal.sent
        terminal.resize(*process.term_size[:2])
        work = _Work(host, terminal, process.command, self._guard)
        self._open[work.thread] = terminal
        tasks = [asyncio.create_task(one) for one in (_listen(process, terminal), outbox.run())]
        gone = asyncio.create_task(_hang_up(process, terminal))
        try:
            status = await work.done()
            outbox.close()
            await tasks[1]
            if not process.is_closing():
                process.exit(status)
        finally:
            for task in (*tasks, gone):
                task.cancel()
            terminal.hang_up()
            self._open.pop(work.thread, None)

    def hang_up(self) -> list[threading.Thread]:
        """End all sessions; the threads that are not done yet."""
        for terminal in self._open.values():
            terminal.hang_up()
        return list(self._open)


class _Work:
    """A console in a thread of its own."""

    def __init__(self, host: Host, terminal: SshTerminal, command: str | None, guard: Guard) -> None:
        self._host, self._terminal, self._command, self._guard = host, terminal, command, guard
        self._loop = asyncio.get_running_loop()
        self._status: asyncio.Future[int] = self._loop.create_future()
        self.thread = threading.Thread(target=self._run, name=f"netbench-ssh {host.name}", daemon=True)
        self.thread.start()

    async def done(self) -> int:
        """The exit status, once there is one."""
        return await self._status

    def _run(self) -> None:
        status = 0
        try:
            console = self._host.console()
            if self._command is None:
                console.converse(self._terminal)
            else:
                status = console.execute(self._terminal, self._command)
        except EOFError:
            pass
        except AniError as error:
            status = self._refused(error)
        except Exception as error:  # noqa: BLE001 - whatever it was, the other side must not wait for ever
            status = _BROKEN
            self._guard.broken(self._host.name, error)
        with contextlib.suppress(RuntimeError):  # the server was closed meanwhile, and nobody waits
            self._loop.call_soon_threadsafe(self._finish, status)

    def _refused(self, error: AniError) -> int:
        """Show why the node has no command line at the moment, and note it."""
        self._guard.broken(self._host.name, error)
        with contextlib.suppress(EOFError):
            self._terminal.write(f"% netbench: {error}\r\n")
        return _BROKEN

    def _finish(self, status: int) -> None:
        if not self._status.done():
            self._status.set_result(status)


class _Outbox:
    """Text on its way to the other side, in order, no faster than it reads."""

    def __init__(self, process: asyncssh.SSHServerProcess[str]) -> None:
        self._process = process
        self._loop = asyncio.get_running_loop()
        self._texts: deque[str] = deque()
        self._news = asyncio.Event()
        self._closed = False
        self.sent: Any = None

    def put_from_thread(self, text: str) -> None:
        self._loop.call_soon_threadsafe(self._put, text)

    def close(self) -> None:
        self._closed = True
        self._news.set()

    def _put(self, text: str) -> None:
        self._texts.append(text)
        self._news.set()

    async def run(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            # what has gathered meanwhile goes as one
            text = "".join(self._texts)
            self._texts.clear()
            if text and not await self._write(text):
                return
            if self._closed and not self._texts:
                return

    async def _write(self, text: str) -> bool:
        try:
            self._process.stdout.write(text)
            await self._process.stdout.drain()
        except (OSError, asyncssh.Error):
            return False  # the other side left; its terminal is told by _hang_up
        self.sent(len(text))
        return True


async def _listen(process: asyncssh.SSHServerProcess[str], terminal: SshTerminal) -> None:
    while True:
        try:
            text = await process.stdin.read(_READ)
        except asyncssh.TerminalSizeChanged as change:
            terminal.resize(change.width, change.height)
        except (asyncssh.BreakReceived, asyncssh.SignalReceived):
            terminal.keys(_CTRL_C)
        except (OSError, asyncssh.Error):
            terminal.hang_up()
            return
        else:
            if not text:
                terminal.end_of_keys()
                return
            terminal.keys(text)


async def _hang_up(process: asyncssh.SSHServerProcess[str], terminal: SshTerminal) -> None:
    await process.wait_closed()
    terminal.hang_up()
