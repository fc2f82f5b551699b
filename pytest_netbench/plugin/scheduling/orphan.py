"""Ends a worker process, and its labs, as soon as the process that started it has ended."""

from __future__ import annotations

import os
import select
import threading

_ORPHANED = 70


def end_with_parent() -> None:
    """Watch the parent process from a thread; end this process, without any cleaning up, once the parent has ended.

    xdist notices the end of its controller only when a worker's test has finished. Until then the worker's lab would
    stay up.
    """
    parent = os.getppid()
    try:
        handle = os.pidfd_open(parent)
    except OSError:  # gone already, or a system without it: xdist notices later
        return
    if os.getppid() != parent:
        os.close(handle)
        return

    def watch() -> None:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        poller.poll()
        os._exit(_ORPHANED)

    threading.Thread(target=watch, name="netbench-orphan", daemon=True).start()
