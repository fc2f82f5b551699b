"""The owner's side of the namespaces that a control plane runs in (see ``supervisor``)."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_netbench.backends.kube.supervisor import LONGEST_MESSAGE
from pytest_netbench.errors import LabError
from pytest_netbench.kernel import interpreters
from pytest_netbench.kernel.isolation import unused_uid

_BOOT: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from pytest_netbench.backends.kube.supervisor import main; main(3)"
)
_ANSWER_S: Final = 20.0
_LONGEST_ERROR: Final = 4000


@dataclass(frozen=True)
class Program:
    """A program of the namespaces.

    Attributes:
        pid: Its number in them.
        status: Its exit status, below 0 a signal; ``None`` while it runs.
        log: The end of what it wrote.
    """

    pid: int
    status: int | None
    log: str


class Connected(socket.socket):
    """A socket that is connected already."""

    def connect(self, address: object) -> None:
        """Stay connected to whom it is connected."""


class Namespaces:
    """Namespaces of users, networks, processes and files, with a supervisor in them. All ends with this process.

    Raises:
        LabError: The machine forbids them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(_ANSWER_S)
        self._errors, errors = os.pipe()
        self._ended = False
        with Path(os.devnull).open("r+b") as null, theirs:
            try:
                self.pid = interpreters.start(_BOOT, (null.fileno(), null.fileno(), errors, theirs.fileno()))
            finally:
                os.close(errors)
        with contextlib.suppress(OSError):  # it ended, which the next request finds
            self._control.send(json.dumps({"uid": unused_uid()}).encode())

    def write(self, name: str, text: str) -> str:
        """Write a file that only programs of the namespaces can read; returns its path there."""
        return str(self._ask({"op": "write", "name": name, "text": text})[0]["path"])

    def start(self, name: str, program: Path, arguments: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a program.

        Raises:
            LabError: The file cannot be read.
        """
        try:
            descriptor = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise LabError(f"{name} cannot be started: {error}") from error
        try:
            request = {"op": "start", "name": name, "argv": [name, *arguments], "env": dict(env)}
            self._ask(request, descriptor)
        finally:
            os.close(descriptor)

    def connect(self, *, port: int = 0, path: str = "") -> socket.socket:
        """Return a socket that is connected to a TCP port of their loopback, or to the Unix socket ``path``.

        Raises:
            ConnectionError: Nothing listens there.
            LabError: The namespaces have ended.
        """
        answer, descriptor = self._ask({"op": "connect", "port": port, "path": path})
        if descriptor is None:
            raise ConnectionError(answer.get("error", "no connection"))
        return socket.socket(fileno=descriptor)

    def programs(self) -> dict[str, Program]:
        """Return the programs that were started, by name.

        Raises:
            LabError: The namespaces have ended.
        """
        answer, _ = self._ask({"op": "look"})
        return {name: Program(**one) for name, one in answer["programs"].items()}

    def close(self) -> None:
        """End everything in the namespaces; returns when it has ended."""
        # other processes may have copies of the descriptor, from a fork
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        with self._lock:
            if self._ended:
                return
            self._ended = True
            self._control.close()
            os.close(self._errors)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.pid, 0)

    def _ask(self, request: dict[str, Any], descriptor: int | None = None) -> tuple[dict[str, Any], int | None]:
        with self._lock:
            if self._ended:
                raise LabError("the control plane was ended")
            try:
                socket.send_fds(
                    self._control, [json.dumps(request).encode()], [] if descriptor is None else [descriptor]
                )
                data, fds, _, _ = socket.recv_fds(self._control, LONGEST_MESSAGE, 1)
            except OSError as error:
                with contextlib.suppress(OSError):  # a late answer would be taken for that of the next request
                    self._control.shutdown(socket.SHUT_RDWR)
                raise LabError(f"the supervisor of the control plane: {error}; {self._said()}") from error
        if not data:
            raise LabError(f"the supervisor of the control plane has ended: {self._said()}")
        answer = json.loads(data)
        if "error" in answer and request["op"] != "connect":
            raise LabError(f"the supervisor of the control plane: {request['op']}: {answer['error']}")
        return answer, next(iter(fds), None)

    def _said(self) -> str:
        os.set_blocking(self._errors, False)
        try:
            text = os.read(self._errors, _LONGEST_ERROR).decode("utf-8", "replace").strip()
        except OSError:
            text = ""
        return text or "it said nothing"
