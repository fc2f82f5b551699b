"""PID 1 of a control plane: owns the namespaces that its programs run in. Standard library only.

The owner asks on a socket: programs are started, files written and connections made. When the owner closes the socket
or ends, this process ends, and with it all programs and files. It knows nothing of Kubernetes.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import socket
from collections.abc import Callable
from typing import Any, NoReturn

from pytest_netbench.kernel import interfaces, isolation
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.forks import fork

HOST = "control-plane"
FILES = "/tmp"
"""Where files are written, in memory, in a mount namespace of their own."""
LONGEST_MESSAGE = 200_000
_LOG_BYTES = 8192
_CONNECT_S = 5.0


def main(control_fd: int) -> NoReturn:
    """Open the namespaces, and wait for the supervisor in them."""
    os.chdir("/")
    control = socket.socket(fileno=control_fd)
    control.set_inheritable(False)
    uid = json.loads(control.recv(LONGEST_MESSAGE))["uid"]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    isolation.leave_host(uid)
    pid = fork(lambda: _supervise(control))
    _wait(control, pid)


def _wait(control: socket.socket, pid: int) -> NoReturn:
    """End with the supervisor, and kill it once the owner is gone, whatever it is doing."""
    end = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(end, select.POLLIN)
    poller.register(control, select.POLLRDHUP)
    poller.poll()
    signal.pidfd_send_signal(end, signal.SIGKILL)
    os.waitpid(pid, 0)
    os._exit(0)


def _supervise(control: socket.socket) -> NoReturn:
    sys.die_with_parent()
    sys.mount("none", "/", "", sys.MS_REC | sys.MS_PRIVATE)
    # not tmpfs: etcd allocates 128 MB in advance where that is possible
    sys.mount("netbench", FILES, "ramfs", sys.MS_NOSUID | sys.MS_NODEV, "mode=700")
    interfaces.set_up("lo")
    socket.sethostname(HOST)
    _Supervisor(control).serve()


class _Program:
    """A program, running or ended, and the end of what it wrote."""

    def __init__(self, pid: int, output: int) -> None:
        self.pid = pid
        self.output = output
        self.log = b""
        self.status: int | None = None

    def read(self) -> bool:
        """Take what it wrote; false once nobody can write any more."""
        try:
            data = os.read(self.output, 1 << 16)
        except BlockingIOError:
            return True
        self.log = (self.log + data)[-_LOG_BYTES:]
        return bool(data)


class _Supervisor:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._programs: dict[str, _Program] = {}
        self._poller = select.poll()
        self._poller.register(control, select.POLLIN)
        self._children, wakeup = socket.socketpair()
        self._children.setblocking(False)
        wakeup.setblocking(False)
        self._wakeup = wakeup
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup.fileno())
        self._poller.register(self._children, select.POLLIN)

    def serve(self) -> NoReturn:
        while True:
            for fd, _ in self._poller.poll():
                if fd == self._control.fileno():
                    self._take()
                elif fd == self._children.fileno():
                    self._reap()
                else:
                    self._read(fd)

    def _take(self) -> None:
        data, fds, _, _ = socket.recv_fds(self._control, LONGEST_MESSAGE, 1)
        if not data:
            os._exit(0)
        request = json.loads(data)
        try:
            answer, fd = self._operation(request["op"])(request, fds)
        except OSError as error:
            answer, fd = {"error": str(error)}, None
        finally:
            for given in fds:
                os.close(given)
        message = json.dumps(answer).encode()
        with contextlib.suppress(ConnectionError):  # the owner is gone, which is noticed by the next event
            socket.send_fds(self._control, [message], [] if fd is None else [fd])
        if fd is not None:
            os.close(fd)

    def _operation(self, name: str) -> Callable[[dict[str, Any], list[int]], tuple[dict[str, Any], int | None]]:
        return {"write": self._write, "start": self._start, "connect": self._connect, "look": self._look}[name]

    def _write(self, request: dict[str, Any], _fds: list[int]) -> tuple[dict[str, Any], None]:
        path = f"{FILES}/{request['name']}"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(request["text"])
        return {"path": path}, None

    def _start(self, request: dict[str, Any], fds: list[int]) -> tuple[dict[str, Any], None]:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)

        def run() -> NoReturn:
            with open(os.devnull, "rb") as null:
                os.dup2(null.fileno(), 0)
            os.dup2(writer, 1)
            os.dup2(writer, 2)
            os.chdir(FILES)
            os.execve(fds[0], request["argv"], request["env"])  # noqa: S606

        pid = fork(run)
        os.close(writer)
        self._programs[request["name"]] = _Program(pid, reader)
        self._poller.register(reader, select.POLLIN)
        return {"pid": pid}, None

    def _connect(self, request: dict[str, Any], _fds: list[int]) -> tuple[dict[str, Any], int]:
        if path := request.get("path"):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            address: Any = f"{FILES}/{path}"
        else:
            connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            address = ("127.0.0.1", request["port"])
        try:
            connection.settimeout(_CONNECT_S)
            connection.connect(address)
            connection.setblocking(True)
        except OSError:
            connection.close()
            raise
        return {}, connection.detach()

    def _look(self, _request: dict[str, Any], _fds: list[int]) -> tuple[dict[str, Any], None]:
        self._reap()
        for program in self._programs.values():
            if program.output >= 0:
                program.read()
        found = {
            name: {"pid": one.pid, "status": one.status, "log": one.log.decode("utf-8", "replace")}
            for name, one in self._programs.items()
        }
        return {"programs": found}, None

    def _read(self, fd: int) -> None:
        program = next(one for one in self._programs.values() if one.output == fd)
        if not program.read():
            self._poller.unregister(fd)
            os.close(fd)
            program.output = -1

    def _reap(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._children.recv(4096)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                for program in self._programs.values():
                    if program.pid == found[0]:
                        program.status = os.waitstatus_to_exitcode(found[1])
