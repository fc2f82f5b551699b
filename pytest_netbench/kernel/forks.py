"""Forked processes that begin with default signals and never return. Standard library only."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from typing import Final, NoReturn

DEFAULTED: Final = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGPIPE)
"""Signals whose default a new process has again."""


def fork(run: Callable[[], NoReturn]) -> int:
    """Fork; the child runs ``run`` and never returns. What it raises goes to its standard error."""
    pid = os.fork()
    if pid:
        return pid
    try:
        signal.set_wakeup_fd(-1)
        for number in DEFAULTED:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        run()
    except BaseException as error:  # noqa: BLE001 - a forked child must end here whatever happened
        with contextlib.suppress(OSError):
            os.write(2, f"netbench: {error}\n".encode())
    os._exit(126)
