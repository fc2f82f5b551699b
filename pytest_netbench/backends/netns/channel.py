"""Requests to a lab's supervisor, from any thread."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import socket
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

from pytest_netbench import deadline
from pytest_netbench.backends.netns import starter
from pytest_netbench.backends.netns.supervisor import wire_format
from pytest_netbench.errors import LabDied, LabError

_BUILD_S = 60.0
_CALL_SLACK_S = 30.0
_END_S = 10.0
_LONGEST_MESSAGE = 4000
Answer = Future[tuple[dict[str, Any], Sequence[int]]]
"""The answer to a request, and the descriptors that belong to it."""


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
        begun: Answer = Future()
        built: Answer = Future()
        self._waiting = {wire_format.BEGUN: begun, wire_format.BUILT: built}
        self._dead = False
        self._pid = 0
        self._end = -1
        self._reader = threading.Thread(target=self._read, name="netbench-lab", daemon=True)
        try:
            self._start(spec, theirs, begun)
            built.result(timeout=_BUILD_S)
        except (LabError, TimeoutError) as error:
            said = self._last_words()
            self.close()
            self.await_end()
            raise LabError(f"the lab could not be built: {said or error}") from None
        except BaseException:
            # An interrupt, at any moment of this: the other end ends with the socket.
            ours.shutdown(socket.SHUT_RDWR)
            raise

    def _start(self, spec: dict[str, Any], theirs: socket.socket, begun: Answer) -> None:
        self._errors, errors = os.pipe()
        try:
            starter.begin(spec, theirs, errors)
        finally:
            theirs.close()
            os.close(errors)
        self._reader.start()
        answer, (end,) = begun.result(timeout=_BUILD_S)
        self._pid, self._end = answer["pid"], end

    def call(self, op: str, *, timeout_s: float = 30.0, **arguments: Any) -> dict[str, Any]:
        """One request and its answer.

        Raises:
            LabDied: The supervisor is gone.
            LabError: It answered with an error, or not in time.
        """
        answer, fds = self._exchange(op, timeout_s, arguments)
        for fd in fds:
            os.close(fd)
        return answer

    def call_for_fd(self, op: str, *, timeout_s: float = 30.0, **arguments: Any) -> tuple[dict[str, Any], int]:
        """One request that is answered with a descriptor, which belongs to the caller from then on."""
        answer, fds = self._exchange(op, timeout_s, arguments)
        if len(fds) != 1:
            raise LabError(f"{op}: the supervisor sent no descriptor")
        return answer, fds[0]

    def call_for_fds(
        self, op: str, *, timeout_s: float = 30.0, **arguments: Any
    ) -> tuple[dict[str, Any], Sequence[int]]:
        """One request that is answered with descriptors, which belong to the caller from then on."""
        return self._exchange(op, timeout_s, arguments)

    def _exchange(self, op: str, timeout_s: float, arguments: dict[str, Any]) -> tuple[dict[str, Any], Sequence[int]]:
        future: Answer = Future()
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
                self._resolve(message, [descriptors.popleft() for _ in range(message.get("fds", 0))])
        with self._lock:
            self._dead = True
            orphans = list(self._waiting.values())
            self._waiting.clear()
        for future in orphans:
            future.set_exception(LabDied("the lab's supervisor is gone"))

    def _resolve(self, message: dict[str, Any], fds: Sequence[int]) -> None:
        with self._lock:
            future = self._waiting.pop(message["id"], None)
        if future is None:
            for fd in fds:
                os.close(fd)
        elif "error" in message:
            future.set_exception(LabError(message["error"]))
        else:
            future.set_result((message["ok"], fds))

    def _last_words(self) -> str:
        """What the supervisor wrote on standard error; it has ended or is ended now."""
        self._kill()
        self._ends(within_s=_END_S)
        os.set_blocking(self._errors, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self._errors, 65536).decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:]
        return ""

    @property
    def pid(self) -> int:
        """The supervisor."""
        return self._pid

    def close(self) -> None:
        """End the lab; ``await_end`` waits until its processes are gone. Idempotent."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def await_end(self) -> None:
        """Wait until the processes of a closed lab are gone. Idempotent; one thread at a time."""
        if not self._ends(within_s=_END_S):
            self._kill()
            self._ends(within_s=_END_S)
        if self._reader.ident is not None:
            self._reader.join(timeout=_END_S)
        self._socket.close()
        for fd in (self._errors, self._end):
            if fd >= 0:
                os.close(fd)
        self._errors = self._end = -1

    def _kill(self) -> None:
        if self._end >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def _ends(self, *, within_s: float) -> bool:
        """Whether the supervisor ends in time, or never began. All processes of the lab end before it does."""
        if self._end < 0:
            return True
        poller = select.poll()
        poller.register(self._end, select.POLLIN)
        return bool(poller.poll(within_s * 1000))
