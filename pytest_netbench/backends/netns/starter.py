"""The process that starts the labs of this process (see ``supervisor.main``)."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import socket
import threading
from pathlib import Path
from typing import Any

from pytest_netbench.errors import LabError
from pytest_netbench.kernel import interpreters

_BOOT = (
    # No collection while modules are loaded: it frees nothing and takes a tenth of the start.
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); "
    "from pytest_netbench.backends.netns.supervisor.main import main; main(3)"
)
_LONGEST_MESSAGE = 4000
_ONE_AT_A_TIME = threading.Lock()


class Starter:
    """Starts labs until it ends, which it does with this process at the latest."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._errors, errors = os.pipe()
        with Path(os.devnull).open("r+b") as null, theirs:
            try:
                self.pid = interpreters.start(_BOOT, (null.fileno(), null.fileno(), errors, theirs.fileno()))
            finally:
                os.close(errors)
        atexit.register(self._socket.close)

    def begin(self, spec: dict[str, Any], control: socket.socket, errors: int) -> None:
        """Begin a lab.

        Args:
            spec: What to build.
            control: The lab's end of the socket to it.
            errors: Where the lab writes why it cannot be built.

        Raises:
            BrokenPipeError: The starter has ended.
        """
        with os.fdopen(os.memfd_create("spec"), "wb") as file:
            file.write(json.dumps(spec).encode())
            file.flush()
            socket.send_fds(self._socket, [b"lab"], [control.fileno(), file.fileno(), errors])

    def close(self) -> str:
        """Let a starter that has ended go; returns what it said."""
        atexit.unregister(self._socket.close)
        self._socket.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        with os.fdopen(self._errors, "rb") as file:
            return file.read().decode("utf-8", "replace").strip()[-_LONGEST_MESSAGE:]


@functools.cache
def _starter_of(_process: int) -> Starter:
    return Starter()


def warm_up() -> None:
    """Let the starter load its modules while this process does something else."""
    with _ONE_AT_A_TIME:
        _starter_of(os.getpid())


def begin(spec: dict[str, Any], control: socket.socket, errors: int) -> None:
    """Begin a lab of this process; one starter serves all.

    Raises:
        LabError: No starter runs, and a new one ends at once.
    """
    said = ""
    with _ONE_AT_A_TIME:
        for _ in range(2):
            starter = _starter_of(os.getpid())
            try:
                starter.begin(spec, control, errors)
            except ConnectionError:
                _starter_of.cache_clear()
                said = starter.close()
            else:
                return
    raise LabError(f"the process that starts labs ended: {said or 'it said nothing'}")
