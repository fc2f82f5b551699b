"""Requests to a lab's supervisor, from any thread."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench import deadline
from pytest_netbench.backends.netns.supervisor import wire_format
from pytest_netbench.errors import LabDied, LabError

_BOOT = (
    # No collection while modules are loaded: it frees nothing and takes a tenth of the start.
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from pytest_netbench.backends.netns.supervisor.main import main; main(int(sys.argv[2]), int(sys.argv[3]))"
)
_CALL_SLACK_S = 30.0
_END_S = 10.0
_LONGEST_MESSAGE = 4000


class Channel:
    """The supervisor of one lab and the socket to it.

    Args:
        spec: What to build (see ``plan.specification``).

    Raises:
        LabError: The lab could not be built; carries what the supervisor said.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        built: Future[tuple[dict[str, Any], int | None]] = Future()
        self._waiting: dict[int, Future[tuple[dict[str, Any], int | None]]] = {0: built}
        self._dead = False
        self._reader = threading.Thread(target=self._read, name="netbench-lab", daemon=True)
        try:
            self._start(spec, theirs)
            self._reader.start()
            built.result(timeout=60)
        except (LabError, TimeoutError) as error:
            said = self._last_words()
            self.close()
            self.await_end()
            raise LabError(f"the lab could not be built: {said or error}") from None
        except BaseException:
            # An interrupt, at any moment of this: the other end ends with the socket.
            ours.shutdown(socket.SHUT_RDWR)
            raise

    def _start(self, spec: dict[str, Any], theirs: socket.socket) -> None:
        spec_reader, spec_writer = os.pipe()
        error_reader, error_writer = os.pipe()
        self._errors = error_reader
        root = str(Path(pytest_netbench.__file__).parent.parent)
        argv = [sys.executable, "-I", "-S", "-c", _BOOT, root, str(theirs.fileno()), str(spec_reader)]
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=error_writer,
                pass_fds=(theirs.fileno(), spec_reader),
                env={"LANG": "C.UTF-8"},
                cwd="/",
                # Ctrl-C is for pytest; the lab ends when pytest is done with it.
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(spec_reader)
            os.close(error_writer)
        with contextlib.suppress(BrokenPipeError), os.fdopen(spec_writer, "wb") as file:
            file.write(json.dumps(spec).encode())

    def call(self, op: str, *, timeout_s: float = 30.0, **arguments: Any) -> dict[str, Any]:
        """One request and its answer.

        Raises:
            LabDied: The supervisor is gone.
            LabError: It answered with an error, or not in time.
        """
        answer, fd = self._exchange(op, timeout_s, arguments)
        if fd is not None:
            os.close(fd)
        return answer

    def call_for_fd(self, op: str, *, timeout_s: float = 30.0, **arguments: Any) -> tuple[dict[str, Any], int]:
        """One request that is answered with a descriptor, which belongs to the caller from then on."""
        answer, fd = self._exchange(op, timeout_s, arguments)
        if fd is None:
            raise LabError(f"{op}: the supervisor sent no descriptor")
        return answer, fd

    def _exchange(self, op: str, timeout_s: float, arguments: dict[str, Any]) -> tuple[dict[str, Any], int | None]:
        future: Future[tuple[dict[str, Any], int | None]] = Future()
        with self._lock:
            if self._dead:
                raise LabDied("the lab's supervisor is gone")
            number = next(self._numbers)
            self._waiting[number] = future
            message = wire_format.encode({"id": number, "op": op, "timeout_s": timeout_s, **arguments})
            try:
                self._socket.sendall(message)
            except OSError:
                del self._waiting[number]
                raise LabDied("the lab's supervisor is gone") from None
        try:
            return future.result(timeout=deadline.left(timeout_s + _CALL_SLACK_S))
        except TimeoutError:
            deadline.check()
            raise LabError(f"{op}: the supervisor did not answer in {timeout_s + _CALL_SLACK_S:g} s") from None

    def _read(self) -> None:
        decoder = wire_format.Decoder()
        descriptors: deque[int] = deque()
        while True:
            try:
                data, fds, _, _ = socket.recv_fds(self._socket, 1 << 20, 16)
            except OSError:
                break
            if not data:
                break
            descriptors.extend(fds)
            for message in decoder.feed(data):
                self._resolve(message, descriptors.popleft() if message.get("fd") else None)
        with self._lock:
            self._dead = True
            orphans = list(self._waiting.values())
            self._waiting.clear()
        for future in orphans:
            future.set_exception(LabDied("the lab's supervisor is gone"))

    def _resolve(self, message: dict[str, Any], fd: int | None) -> None:
        with self._lock:
            future = self._waiting.pop(message["id"], None)
        if future is None:
            if fd is not None:
                os.close(fd)
        elif "error" in message:
            future.set_exception(LabError(message["error"]))
        else:
            future.set_result((message["ok"], fd))

    def _last_words(self) -> str:
        """What the supervisor wrote on standard error; it has ended or is ended now."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.set_blocking(self._errors, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self._errors, 65536).decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:]
        return ""

    @property
    def pid(self) -> int:
        """The supervisor's outer process."""
        return self._process.pid

    def close(self) -> None:
        """End the lab; ``await_end`` waits until its processes are gone. Idempotent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def await_end(self) -> None:
        """Wait until the processes of a closed lab are gone. Idempotent; one thread at a time."""
        if not _ends(self._process.pid, within_s=_END_S):
            self._process.kill()
        self._process.wait()
        if self._reader.ident is not None:
            self._reader.join(timeout=_END_S)
        self._socket.close()
        if self._errors >= 0:
            os.close(self._errors)
            self._errors = -1


def _ends(pid: int, *, within_s: float) -> bool:
    """Whether a child ends in time; it stays to be waited for. One that was waited for has ended."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        poller = select.poll()
        poller.register(process, select.POLLIN)
        return bool(poller.poll(within_s * 1000))
    finally:
        os.close(process)
