"""The process that the supervisors of all labs of one owner are forked from.

It has imported what a supervisor needs, so a lab does not wait for that, and labs share the memory. The owner asks for
labs on a socket. When the owner closes the socket of a lab, the lab's supervisor is killed, whatever it is doing. This
process ends with its owner, and all labs end with it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import select
import signal
import socket
import struct
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import opening, wire_format
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.forks import fork


def main(requests_fd: int) -> NoReturn:
    """Serve requests for labs until the owner is gone."""
    os.chdir("/")
    # The sockets of labs are inherited only on purpose: their holders can answer for a lab.
    os.set_inheritable(requests_fd, False)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sys.adopt_orphans()
    # The collector would write to every page that the processes share, and so copy them.
    gc.freeze()
    gc.enable()
    _Starter(socket.socket(fileno=requests_fd)).serve()


class _Lab:
    """One lab: its socket, the process that opens its namespaces, then its supervisor."""

    def __init__(self, *, control: socket.socket, opener: int, told: int, go: int) -> None:
        self.control = control
        self.opener = opener
        self.told = told
        self.go = go
        self.pid = 0
        self.end = -1


class _Starter:
    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        # Supervisors have the other end; it closes with this process.
        self._alive, self._keeps_alive = os.pipe()
        self._poller = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {}
        self._watch(requests.fileno(), select.POLLIN, self._take)

    def serve(self) -> NoReturn:
        while True:
            ready = [(fd, self._handlers[fd]) for fd, _ in self._poller.poll()]
            for fd, handler in ready:
                # One event may have closed the descriptor of the next one, and another one may have its number.
                if self._handlers.get(fd) is handler:
                    handler()

    def _watch(self, fd: int, events: int, handler: Callable[[], None]) -> None:
        self._handlers[fd] = handler
        self._poller.register(fd, events)

    def _unwatch(self, fd: int) -> None:
        if self._handlers.pop(fd, None) is not None:
            self._poller.unregister(fd)

    def _take(self) -> None:
        """Begin a lab. One that cannot be begun is closed, which its owner notices."""
        data, fds, _, _ = socket.recv_fds(self._requests, 16, 3)
        if not data:
            os._exit(0)
        if len(fds) < 3:  # no more descriptors are allowed
            for fd in fds:
                os.close(fd)
            return
        control, spec, errors = fds
        try:
            self._begin(control, spec, errors)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.write(errors, f"netbench: {error}\n".encode())
            os.close(control)
        finally:
            os.close(spec)
            os.close(errors)

    def _begin(self, control: int, spec: int, errors: int) -> None:
        pipes: list[int] = []
        try:
            pipes += os.pipe()
            pipes += os.pipe()
            told, tell, gate, go = pipes
            given = opening.Given(control=control, spec=spec, errors=errors, tell=tell, gate=gate, alive=self._alive)
            opener = fork(lambda: opening.open_lab(given))
        except OSError:
            for fd in pipes:
                os.close(fd)
            raise
        os.close(tell)
        os.close(gate)
        lab = _Lab(control=socket.socket(fileno=control), opener=opener, told=told, go=go)
        self._watch(told, select.POLLIN, partial(self._begun, lab))

    def _begun(self, lab: _Lab) -> None:
        """Tell the owner about the supervisor, which now is a child of this process, and let it go on."""
        answer = os.read(lab.told, 4)
        self._unwatch(lab.told)
        os.close(lab.told)
        os.waitpid(lab.opener, 0)
        if len(answer) == 4:
            (lab.pid,) = struct.unpack("i", answer)
            lab.end = os.pidfd_open(lab.pid)  # a descriptor was closed before
            message = wire_format.encode({"id": wire_format.BEGUN, "ok": {"pid": lab.pid}, "fds": 1})
            with contextlib.suppress(OSError):  # the owner or the supervisor is gone; that is noticed below
                socket.send_fds(lab.control, [message], [lab.end])
                os.write(lab.go, b"\n")
            self._watch(lab.end, select.POLLIN, partial(self._ended, lab))
            self._watch(lab.control.fileno(), select.POLLRDHUP, partial(self._abandoned, lab))
        else:
            lab.control.close()
        os.close(lab.go)

    def _abandoned(self, lab: _Lab) -> None:
        self._unwatch(lab.control.fileno())
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(lab.end, signal.SIGKILL)

    def _ended(self, lab: _Lab) -> None:
        os.waitpid(lab.pid, 0)
        self._unwatch(lab.control.fileno())
        self._unwatch(lab.end)
        lab.control.close()
        os.close(lab.end)
