"""A status line while a run lasts: what is running, for how long, at what cost, and what is left.

On a terminal it is the line below pytest's own output. It is taken away before pytest writes, so that pytest finds the
screen as it left it. Elsewhere, if it is asked for, it is a line of its own now and then.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.plugin.terminal.tally import Tally

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult

EVERY_S: Final = 1.0
"""Seconds from one status to the next on a terminal."""
LINES_EVERY_S: Final = 30.0
"""Seconds from one line to the next elsewhere."""
# down one line, which scrolls at the bottom, and up again: what follows does not move what is saved
_DRAW: Final = "\x1bD\x1b[A\x1b7\x1b[B\r\x1b[2K\x1b[2m{}\x1b[0m\x1b8"
_ERASE: Final = "\x1b7\x1b[B\r\x1b[2K\x1b8"


def is_wanted(config: pytest.Config) -> bool:
    """Whether a run shows its progress: ``on`` or ``off``, else on a terminal where nobody asked for less output."""
    option = config.option
    if option.netbench_progress != "auto":
        return bool(option.netbench_progress == "on")
    distributed = bool(getattr(option, "tx", None))
    return (
        sys.stdout.isatty()  # the terminal reporter may not be there yet
        and os.environ.get("TERM", "dumb") != "dumb"
        and not os.environ.get("CI")
        and config.get_verbosity() >= 0
        and not option.usepdb
        and not option.trace
        and (option.capture != "no" or distributed)  # else tests write to the terminal, too
        and not option.collectonly
    )


class Progress:
    """Shows the status of a run from a thread.

    Args:
        config: Of the run.
        clock: Monotonic seconds.
    """

    def __init__(self, config: pytest.Config, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._tally = Tally(clock=clock)
        self._lock = RLock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._descriptor: int | None = None
        self._on_terminal = False
        self._shown = False
        self._paused = False

    # what pytest and xdist tell

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self) -> None:
        """Take hold of the terminal before tests' output is captured."""
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        try:
            self._descriptor = os.dup(1)
        except OSError:
            return  # closed: nobody looks
        self._on_terminal = bool(reporter.isatty) and os.isatty(self._descriptor)
        writer, cache = self._config.get_terminal_writer(), getattr(self._config, "cache", None)
        self._tally.know_durations({} if cache is None else cache.get("netbench/durations", {}))
        if self._on_terminal:
            writer.write = self._yielding(writer.write)  # type: ignore[method-assign]

    def _yielding(self, write: Callable[..., None]) -> Callable[..., None]:
        """``write``, after the status was taken away."""

        def written(*args: Any, **kwargs: Any) -> None:
            with self._lock:
                self._erase()
                write(*args, **kwargs)

        return written

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note what will run, in one process."""
        if session.items:
            self._begin([item.nodeid for item in session.items], workers=1)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Note what will run, with xdist."""
        self._begin(ids, workers=len(self._config.option.tx))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note a start, in this process or in a worker."""
        with self._lock:
            self._tally.start(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what failed."""
        if report.failed:
            with self._lock:
                self._tally.fail(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note an end."""
        with self._lock:
            self._tally.finish(nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str) -> None:
        """Note an end together with that of the worker."""
        with self._lock:
            self._tally.finish(crashitem)

    @pytest.hookimpl
    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Note what a trial cost."""
        usage = result.usage
        with self._lock:
            self._tally.spend(cost_usd=usage.cost_usd, tokens=usage.prompt_tokens + usage.completion_tokens)

    @pytest.hookimpl(tryfirst=True)
    def pytest_enter_pdb(self) -> None:
        """Leave the terminal to a debugger."""
        with self._lock:
            self._erase()
            self._paused = True

    def pytest_leave_pdb(self) -> None:
        """Go on after it."""
        self._paused = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Show nothing any more."""
        self._end()

    def pytest_unconfigure(self) -> None:
        """The same, for a session that was never begun or finished."""
        self._end()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    # the thread

    def _begin(self, node_ids: Sequence[str], *, workers: int) -> None:
        with self._lock:
            self._tally.plan(node_ids, workers=workers)
        if self._thread is None and self._descriptor is not None:
            self._thread = Thread(target=self._show_until_end, name="netbench progress", daemon=True)
            self._thread.start()

    def _show_until_end(self) -> None:
        while not self._stop.wait(EVERY_S if self._on_terminal else LINES_EVERY_S):
            with self._lock:
                if not self._paused and not self._stop.is_set():
                    self._show()

    def _show(self) -> None:
        if not self._on_terminal:
            self._put(f"\nnetbench: {self._tally.line(width=200)}\n")
            return
        width, height = _size(self._descriptor)
        if height > 1:
            self._put(_DRAW.format(self._tally.line(width=width - 1)))
            self._shown = True

    def _erase(self) -> None:
        if self._shown:
            self._put(_ERASE)
            self._shown = False

    def _put(self, text: str) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(OSError):  # the terminal is gone: pytest will tell
                os.write(self._descriptor, text.encode("utf-8", errors="replace"))

    def _end(self) -> None:
        self._stop.set()
        with self._lock:
            self._erase()
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def _size(descriptor: int | None) -> tuple[int, int]:
    try:
        columns, lines = os.get_terminal_size(1 if descriptor is None else descriptor)
    except OSError:
        columns = lines = 0
    return (columns, lines) if columns and lines else shutil.get_terminal_size()
