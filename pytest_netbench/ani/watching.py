"""Tells a watcher of every change that an agent makes: a batch of ``update-cfg``, or of lines at a device's own prompt.

What is entered at a prompt counts as a change whatever it says: a shell does not tell what changes something. Lines
that follow each other closely at one prompt are one change. While an agent waits for the watcher, its clock stands
still.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.protocol import LooksAtParts, WorkWatcher
from pytest_netbench.errors import LabError, NetbenchError

IDLE_S = 0.25
"""Wall seconds after the end of a line in which a further line belongs to the same change."""
NOTICED_S = 1.0
"""The same after a change that a device sees itself, such as a request to an API."""
_NOTICED = "noticed"
UNENDED_S = 1.0
"""The same after the beginning of a line. Of a shell nobody knows when a line has ended before the next one begins."""


class Watching:
    """Tells a watcher, if there is one. Used from several threads.

    Args:
        meter: The agent's clock.
        broken: Is told of an error of the watcher that no request can raise.
        hurried: Entered while the watcher works.
    """

    def __init__(
        self,
        meter: Meter,
        *,
        broken: Callable[[LabError], None],
        hurried: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._meter = meter
        self._hurried = hurried
        self._broken = broken
        self.watcher: WorkWatcher | None = None
        """Who is told."""
        self._lock = threading.RLock()
        self._batch: _Batch | None = None

    def begin(self, watcher: WorkWatcher) -> None:
        """Tell ``watcher`` from now on."""
        self.watcher = watcher

    @contextmanager
    def change(self, device: str, lines: Sequence[str]) -> Iterator[None]:
        """Around the work for one request that changes a device.

        Raises:
            LabError: The watcher failed.
        """
        if self.watcher is None:
            yield
            return
        self.complete()
        change = self.watcher.changing(device, lines, at_s=self._meter.elapsed_s)
        self._enter(change)
        try:
            yield
        finally:
            self._leave(change)

    def line(self, device: str, session: str, line: str) -> AbstractContextManager[None]:
        """Around the work for one line that was entered at a prompt."""
        return self._part(device, session, line, idle_s=IDLE_S)

    def noticed(self, device: str, what: str) -> AbstractContextManager[None]:
        """Around one change that a device sees itself."""
        return self._part(device, _NOTICED, what, idle_s=NOTICED_S)

    @contextmanager
    def _part(self, device: str, session: str, line: str, *, idle_s: float) -> Iterator[None]:
        if self.watcher is None:
            yield
            return
        with self._lock:
            batch = self._batch
            if batch is None or batch.place != (device, session):
                self.complete()
                change = self.watcher.changing(device, [line], at_s=self._meter.elapsed_s)
                self._enter(change)
                batch = self._batch = _Batch((device, session), change)
            self._wait_for_more(batch, UNENDED_S)
        try:
            yield
        finally:
            with self._lock:
                if batch is self._batch:
                    self._look_after(line)
                    self._wait_for_more(batch, idle_s)

    def _look_after(self, line: str) -> None:
        watcher: object = self.watcher
        if isinstance(watcher, LooksAtParts):
            try:
                self._timed(lambda: watcher.look_after(line), agent_waits=True)
            except LabError as error:
                self._broken(error)

    def complete(self, *, agent_waits: bool = True) -> None:
        """Let the present batch of lines be complete."""
        with self._lock:
            batch, self._batch = self._batch, None
            if batch is not None:
                batch.stop_waiting()
                try:
                    self._leave(batch.change, agent_waits=agent_waits)
                except LabError as error:
                    self._broken(error)

    def _wait_for_more(self, batch: _Batch, wall_s: float) -> None:
        batch.stop_waiting()
        batch.turn = turn = batch.turn + 1
        batch.timer = threading.Timer(wall_s, lambda: self._complete_if_waiting(batch, turn))
        batch.timer.daemon = True
        batch.timer.start()

    def _complete_if_waiting(self, batch: _Batch, turn: int) -> None:
        with self._lock:
            if batch is self._batch and batch.turn == turn:
                self.complete(agent_waits=False)

    def _enter(self, change: AbstractContextManager[None]) -> None:
        self._timed(change.__enter__, agent_waits=True)

    def _leave(self, change: AbstractContextManager[None], *, agent_waits: bool = True) -> None:
        self._timed(lambda: change.__exit__(None, None, None), agent_waits=agent_waits)

    def _timed(self, work: Callable[[], object], *, agent_waits: bool) -> None:
        """Let the watcher work. Its time is not the agent's, and neither are its errors."""
        try:
            with self._hurried(), self._meter.paused() if agent_waits else nullcontext():
                work()
        except NetbenchError:
            raise
        except Exception as error:
            raise LabError(f"watching the agent's work failed: {error!r}") from error


class _Batch:
    """Lines at one prompt. ``place``: device and session."""

    def __init__(self, place: tuple[str, str], change: AbstractContextManager[None]) -> None:
        self.place = place
        self.change = change
        self.timer: threading.Timer | None = None
        self.turn = 0

    def stop_waiting(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
