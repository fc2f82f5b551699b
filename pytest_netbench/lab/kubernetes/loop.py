"""An event loop in a thread of its own, in which everything that watches the API runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from pytest_netbench import deadline
from pytest_netbench.errors import LabError

T = TypeVar("T")
_END_S = 10.0


class EventLoop:
    """Runs coroutines beside the threads of the process that owns it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="netbench-cluster", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T], *, timeout_s: float = 60.0) -> T:
        """Run ``work`` and return its result. Not from the loop's own thread.

        Raises:
            LabError: It takes longer than ``timeout_s``.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(deadline.left(timeout_s))
        except TimeoutError:
            future.cancel()
            deadline.check()
            raise LabError(f"the cluster did not answer in {timeout_s:g} s") from None

    def close(self) -> None:
        """End all that runs, and the thread. Idempotent."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result(_END_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_S)
        self._loop.close()


async def _cancel_all() -> None:
    here = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not here]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
