"""An event loop in a thread of its own, in which everything that watches the API runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator
from typing import Any, TypeVar

from pytest_netbench import deadline
from pytest_netbench.errors import LabError

T = TypeVar("T")
END_S = 10.0


class EventLoop:
    """Runs coroutines beside the threads of the process that owns it.

    Args:
        end_s: Wall seconds that it may take to end all that runs.
    """

    def __init__(self, *, end_s: float = END_S) -> None:
        self._end_s = end_s
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
        """End all that runs, also in threads that it waits for, and the loop's own thread. Idempotent.

        Raises:
            LabError: Something does not end, and may go on.
        """
        if self._loop.is_closed():
            return
        try:
            asyncio.run_coroutine_threadsafe(_end_all(), self._loop).result(self._end_s)
        except TimeoutError:
            raise LabError(f"what runs in the cluster's event loop did not end in {self._end_s:g} s") from None
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(self._end_s)
            if not self._thread.is_alive():
                self._loop.close()


def ended(tasks: Iterable[asyncio.Task[None]]) -> Iterator[str]:
    """Return those of some tasks that have ended, and why, a phrase each."""
    for task in tasks:
        if task.done():
            why = "it was cancelled" if task.cancelled() else repr(task.exception())
            coroutine = task.get_coro()
            yield f"{getattr(coroutine, '__qualname__', task.get_name())} has ended: {why}"


async def _end_all() -> None:
    here = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not here]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()
