"""Child processes that measure: how they are started, and what becomes of what they say."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import pytest_netbench
from pytest_netbench.errors import LabError, RequirementMissing, UsageError
from pytest_netbench.probing.namespaces import NO_RIGHTS
from pytest_netbench.probing.worker import PERMISSION, READY, USAGE

_BOOT = (
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from pytest_netbench.probing.worker import main; main()"
)
_LONGEST_MESSAGE = 4000
_CHUNK = 65_536


class Process(Protocol):
    """A process that runs."""

    def kill(self) -> None:
        """Kill it. No effect on one that has ended."""
        ...

    def wait(self) -> int:
        """Wait for its end; its exit status. Called once, and last.

        Raises:
            OSError: Nobody can tell any more.
        """
        ...


Start = Callable[[tuple[int, int, int], Sequence[int]], Process]
"""Starts a process that calls ``worker.main``: with descriptors 0, 1 and 2, and others that keep their numbers."""


def start(stdio: tuple[int, int, int], passed: Sequence[int]) -> Process:
    """Start a child of this process. A ``Start``."""
    stdin, stdout, stderr = stdio
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _BOOT, str(Path(pytest_netbench.__file__).parent.parent)],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(passed),
        env={"LANG": "C.UTF-8"},
    )


class Child:
    """A process that makes one call.

    Args:
        descriptors: The network namespaces, by name of node.
        interfaces: Those that must be there, by name of node.
        call: What to do, see ``worker``.
        given: What the call needs.
        started_by: Starts it.

    Raises:
        LabError: It cannot be started.
    """

    def __init__(
        self,
        descriptors: Mapping[str, int],
        interfaces: Mapping[str, tuple[str, ...]],
        call: str,
        given: Mapping[str, Any],
        *,
        started_by: Start = start,
    ) -> None:
        self._call = call
        request = {"networks": dict(descriptors), "interfaces": dict(interfaces), "call": call, "given": given}
        self._request = json.dumps(request).encode() + b"\n"
        self._said: dict[int, bytearray] = {}
        self._open: list[int] = []
        read, self._input = os.pipe()
        ends = [read]
        try:
            for _ in range(2):
                output, written = os.pipe()
                self._said[output] = bytearray()
                self._open.append(output)
                ends.append(written)
            self._process = started_by((ends[0], ends[1], ends[2]), tuple(descriptors.values()))
        except OSError as error:
            self._close()
            raise LabError(f"{call}: the process that measures cannot be started: {error}") from None
        finally:
            for one in ends:
                os.close(one)
        os.set_blocking(self._input, False)

    def await_ready(self) -> bool:
        """Wait until a capture has begun; returns whether it has, or else ``finish`` says why not."""
        output = next(iter(self._said))
        while self._request and self._write():
            select.select([], [self._input], [])
        begun = os.read(output, 1)
        self._said[output] += begun
        return begun == READY

    def finish(self, timeout_s: float) -> Any:
        """Wait for the result; a capture ends now.

        Args:
            timeout_s: Wall seconds to wait.

        Raises:
            UsageError: Something that the call names does not exist.
            RequirementMissing: This user may not do it.
            LabError: The call failed, or took too long.
        """
        try:
            self._follow(time.monotonic() + timeout_s)
            status = self._process.wait()
        except TimeoutError:
            self.kill()
            raise LabError(f"{self._call}: the process that measures did not end within {timeout_s:g} s") from None
        except OSError as error:
            raise LabError(f"{self._call}: the process that measures is lost: {error}") from None
        finally:
            self._close()
        output, errors = self._said.values()
        if status:
            said = errors.decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:]
            raise LabError(f"{self._call}: the process that measures failed: {said or status}")
        answer = json.loads(output)
        if "error" in answer:
            kind, text = answer["error"]
            if kind == PERMISSION:
                raise RequirementMissing(text, NO_RIGHTS)
            raise UsageError(text) if kind == USAGE else LabError(f"{self._call}: {text}")
        return answer["result"]

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.wait()
        self._close()

    def _write(self) -> bool:
        """Write what fits of the request; whether it is read still."""
        try:
            self._request = self._request[os.write(self._input, self._request) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:  # it has ended: its outputs say why
            self._request = b""
            return False
        return True

    def _follow(self, ends_at: float) -> None:
        """Write what is left of the request, then close it; read both outputs to their ends.

        Raises:
            TimeoutError: They have not ended then.
        """
        poller = select.poll()
        for output in self._said:
            poller.register(output, select.POLLIN)
        poller.register(self._input, select.POLLOUT)
        unread = {*self._said}
        while unread:
            left_s = ends_at - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            for descriptor, _ in poller.poll(left_s * 1000):
                if descriptor == self._input:
                    self._write()
                    if not self._request:
                        poller.unregister(descriptor)
                        self._close_input()
                elif data := os.read(descriptor, _CHUNK):
                    self._said[descriptor] += data
                else:
                    poller.unregister(descriptor)
                    unread.remove(descriptor)

    def _close_input(self) -> None:
        if self._input >= 0:
            os.close(self._input)
            self._input = -1

    def _close(self) -> None:
        """Close all pipes. Idempotent."""
        self._close_input()
        while self._open:
            os.close(self._open.pop())
