"""Closing taps without waiting for it. Standard library only.

The kernel closes a packet socket only after an RCU grace period, some 10 ms for each. Sockets that are closed in
parallel share that wait, and in a separate process it delays no request.
"""

from __future__ import annotations

import _thread
import contextlib
import os
from collections.abc import Sequence

_MOST_AT_ONCE = 16
"""Threads. They count among the processes that the commands of agents may start in the lab."""


def close_elsewhere(descriptors: Sequence[int]) -> None:
    """Let another process close ``descriptors``; this one is about to end."""
    if not descriptors:
        return
    if os.fork():
        return
    try:
        for number in (0, 1, 2):
            os.close(number)
        waiting = [_thread.allocate_lock() for _ in descriptors[:_MOST_AT_ONCE]]
        for first, lock in enumerate(waiting):
            lock.acquire()
            _thread.start_new_thread(_close, (descriptors[first::_MOST_AT_ONCE], lock))
        for lock in waiting:
            lock.acquire()
    finally:
        os._exit(0)


def _close(descriptors: Sequence[int], done: _thread.LockType) -> None:
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    done.release()
