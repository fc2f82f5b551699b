"""Tells a watcher of every change that an agent makes: a batch of ``update-cfg``, or of lines at a device's own prompt.

What is entered at a prompt counts as a change whatever it says: a shell does not tell what changes something. Lines
that follow each other closely at one prompt are one change. While an agent waits for the watcher, its clock stands
still.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.errors import LabError, NetbenchError

IDLE_S = 0.25
"""Wall seconds without a further line after which a batch of lines is complete."""


class Watching:
    """Tells a watcher, if there is one. Used from several threads.

    Args:
        meter: The agent's clock.
        broken: Is told of an error of the watcher that no request can raise.
    """

    def __init__(self, meter: Meter, *, broken: Callable[[LabError], None]) -> None:
        self._meter = meter
        self._broken = broken
        self._watcher: WorkWatcher | None = None
        self._lock = threading.RLock()
        self._batch: _Batch | None = None

    def begin(self, watcher: WorkWatcher) -> None:
        """Tell ``watcher`` from now on."""
        self._watcher = watcher

    @contextmanager
    def change(self, device: str, lines: Sequence[str]) -> Iterator[None]:
        """Around the work for one request that changes a device.

        Raises:
            LabError: The watcher failed.
        """
        if self._watcher is None:
            yield
            return
        self.complete()
        change = self._watcher.changing(device, lines, at_s=self._meter.elapsed_s)
        self._enter(change)
        try:
            yield
        finally:
            self._leave(change)

    @contextmanager
    def line(self, device: str, session: str, line: str) -> Iterator[None]:
        """Around the work for one line that was entered at a prompt."""
        if self._watcher is None:
            yield
            return
        with self._lock:
            batch = self._batch
            if batch is None or batch.place != (device, session):
                self.complete()
                change = self._watcher.changing(device, [line], at_s=self._meter.elapsed_s)
                self._enter(change)
                batch = self._batch = _Batch((device, session), change)
            batch.lines_under_way += 1
            batch.stop_waiting()
        try:
            yield
        finally:
            with self._lock:
                batch.lines_under_way -= 1
                if batch is self._batch and not batch.lines_under_way:
                    batch.wait_for_more(lambda: self._complete_late(batch))

    def complete(self) -> None:
        """Let the present batch of lines be complete."""
        with self._lock:
            batch, self._batch = self._batch, None
            if batch is not None:
                batch.stop_waiting()
                try:
                    self._leave(batch.change)
                except LabError as error:
                    self._broken(error)

    def _complete_late(self, batch: _Batch) -> None:
        with self._lock:
            if batch is self._batch and not batch.lines_under_way:
                self.complete()

    def _enter(self, change: AbstractContextManager[None]) -> None:
        self._timed(change.__enter__)

    def _leave(self, change: AbstractContextManager[None]) -> None:
        self._timed(lambda: change.__exit__(None, None, None))

    def _timed(self, work: Callable[[], object]) -> None:
        """Let the watcher work. Its time is not the agent's, and neither are its errors."""
        began = time.monotonic()
        try:
            work()
        except NetbenchError:
            raise
        except Exception as error:
            raise LabError(f"watching the agent's work failed: {error!r}") from error
        finally:
            self._meter.exclude(time.monotonic() - began)


class _Batch:
    """Lines at one prompt. ``place``: device and session."""

    def __init__(self, place: tuple[str, str], change: AbstractContextManager[None]) -> None:
        self.place = place
        self.change = change
        self.lines_under_way = 0
        self._timer: threading.Timer | None = None

    def wait_for_more(self, over: Callable[[], None]) -> None:
        self._timer = threading.Timer(IDLE_S, over)
        self._timer.daemon = True
        self._timer.start()

    def stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
