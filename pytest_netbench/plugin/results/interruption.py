"""What a run that was cut off has done, and the command that goes on with it."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.items.node_ids import is_from_a_task
from pytest_netbench.plugin.settings.run_options import run_of

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.plugin.selection.resume import Resumed

_PLACES: Final = ("--netbench-results", "--netbench-resume")


class Interruption:
    """Counts trials in the process that reports the run. SIGTERM ends the run as Ctrl-C does.

    Args:
        config: Of the run.
        resumed: The run that this one goes on with.
    """

    def __init__(self, config: pytest.Config, *, resumed: Resumed | None = None) -> None:
        self._config = config
        self._run = run_of(config)
        self._planned: set[str] = set()
        self._done: set[str] = {one.node_id for one in resumed.kept()} if resumed else set()
        self._earlier = len(self._done)
        self._begun = False
        self._interrupted = False
        self._before: Any = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        """Let SIGTERM interrupt the run, as it ends a job in CI."""
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGTERM, _interrupt)

    def pytest_unconfigure(self) -> None:
        """Let SIGTERM do what it did."""
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)
            self._before = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the trials of a run in one process."""
        self._planned |= {item.nodeid for item in session.items if isinstance(item, TaskItem)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Note the trials of a distributed run."""
        self._planned |= {node_id for node_id in ids if is_from_a_task(node_id)}

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Make the results directory when the first trial begins: from then on there is a run to go on with."""
        if self._begun or not is_from_a_task(nodeid):
            return
        self._begun = True
        from pytest_netbench.results.store import ResultsDir  # imports pydantic

        versions = {"pytest": pytest.__version__, "python": platform.python_version()}
        with contextlib.suppress(ResultsError, UsageError):  # whoever writes a result reports it
            ResultsDir.create(self._run.results).describe(argv=self._arguments(), versions=versions)

    @pytest.hookimpl
    def pytest_netbench_result(self, result: TrialResult) -> None:
        """Note a trial that need not be repeated."""
        if result.status != "error":
            self._done.add(result.node_id)

    def pytest_keyboard_interrupt(self) -> None:
        """Note that the run was cut off."""
        self._interrupted = True

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how far the run came, and how to go on."""
        total = self._earlier + len(self._planned)
        if not self._interrupted or not self._planned:
            return
        terminalreporter.write_sep("=", "netbench: interrupted")
        terminalreporter.write_line(f"{len(self._done)} of {total} trials done")
        if self._run.results.is_dir():
            terminalreporter.write_line(f"go on with: {printable(self.command())}")

    def command(self) -> str:
        """The command line that goes on with this run, for a shell in the folder where it was started."""
        folder = Path(self._config.invocation_params.dir)
        results = self._run.results
        where = os.path.relpath(results, folder) if results.is_relative_to(folder) else str(results)
        program = ["python", "-m", "pytest"] if Path(sys.argv[0]).name == "__main__.py" else ["pytest"]
        return shlex.join([*program, *_without_place(self._arguments()), f"--netbench-resume={where}"])

    def _arguments(self) -> list[str]:
        return [str(argument) for argument in self._config.invocation_params.args]


def _without_place(arguments: Iterable[str]) -> Iterator[str]:
    """The arguments without those that say where results are."""
    left = iter(arguments)
    for argument in left:
        if argument in _PLACES:
            next(left, None)
        elif not argument.startswith(tuple(f"{option}=" for option in _PLACES)):
            yield argument


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
