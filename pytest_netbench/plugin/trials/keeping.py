"""The labs of trials that did not pass, left for a person (``--netbench-keep``)."""

from __future__ import annotations

import contextlib
import os
import select
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import pytest

from pytest_netbench.errors import NetbenchError
from pytest_netbench.plugin.items.failures import printable
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.settings.run_options import run_of

if TYPE_CHECKING:
    from pytest_netbench.ani.protocol import OpenAni
    from pytest_netbench.trial import Stage

_MOST: Final = 10
"""So many labs are kept by a process at most; each takes memory."""
_TERMINAL: Final = "/dev/tty"
_NO_LIMIT: Final = dict.fromkeys(("calls", "commands", "wall_s", "tokens", "lab_s"))
_BY_SSH: Final = "no logins by SSH (fix: pip install 'pytest-netbench[ssh]')"


class Keeper:
    """Keeps labs, and says how they are entered. Labs that end with this process are held until a person is done.

    Raises:
        pytest.UsageError: Labs end with their process, and nobody could enter them meanwhile.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._held: list[tuple[Stage, OpenAni | None]] = []
        self._kept = 0
        self._lines: list[str] = []
        run = run_of(config)
        if not run.is_worker and not run.selftest:
            self._check(distributes=run.distributes)

    def _check(self, *, distributes: bool) -> None:
        from pytest_netbench import parts
        from pytest_netbench.lab.keeping import RemovesKept  # imports pydantic
        from pytest_netbench.lab.resources import by_kind

        name = by_kind(run_of(self._config).backend)["lab"]
        if isinstance(parts.load("backends", name)(), RemovesKept):
            return
        why = f"--netbench-keep: labs of backend {name} end with the process that has them"
        if distributes:
            raise pytest.UsageError(f"{why}, and workers end with the run: leave -n out")
        if not _is_a_terminal():
            raise pytest.UsageError(f"{why}, which waits for a person then: run it in a terminal")

    def keeps(self, item: pytest.Item, stage: Stage) -> bool:
        """Whether the lab of an item stays; the caller removes the stage otherwise."""
        if not isinstance(item, TaskItem) or item.outcome is None or item.outcome.status == "passed":
            return False
        if stage.lab is None or item.sealed is not None:
            return False
        if self._kept >= _MOST:
            item.kept = (f"not kept: {_MOST} labs are kept already",)
            return False
        try:
            item.kept = tuple(self._keep(stage))
        except NetbenchError as error:
            item.kept = (f"not kept: {error}",)
            return False
        self._kept += 1
        return True

    def _keep(self, stage: Stage) -> list[str]:
        from pytest_netbench.lab.keeping import Keeps  # imports pydantic

        lab: object = stage.lab
        if not isinstance(lab, Keeps):
            return self._hold(stage)
        left = lab.keep()
        return [left.name, *(f"  {node}: {command}" for node, command in left.enter.items())]

    def _hold(self, stage: Stage) -> list[str]:
        from pytest_netbench.model.trial import AgentInfo  # imports pydantic
        from pytest_netbench.reporting.item import ssh_text
        from pytest_netbench.trial import open_ani, terms_for

        if find_spec("asyncssh") is None:
            self._held.append((stage, None))
            return [_BY_SSH]
        person = AgentInfo(id="person", strategy="")
        opened = open_ani(stage.lab, terms_for(stage.task, person, budget=_NO_LIMIT, ssh=True))
        self._held.append((stage, opened))
        return [] if opened.ssh is None else ssh_text(opened.ssh).splitlines()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report tell the process that prints the summary."""
        report = yield
        if call.when == "teardown" and isinstance(item, TaskItem) and item.kept:
            report.netbench_kept = list(item.kept)  # type: ignore[attr-defined]
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what was kept, also by workers."""
        for number, line in enumerate(getattr(report, "netbench_kept", ())):
            self._lines += [report.nodeid] if number == 0 else []
            self._lines.append(f"  {line}")

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how kept labs are entered; hold those of this process until a person is done."""
        if not self._lines:
            return
        terminalreporter.write_sep("=", "labs that were kept")
        for line in self._lines:
            terminalreporter.write_line(printable(line))
        if not self._held:
            terminalreporter.write_line("to remove them: netbench clean --kept")
            return
        terminalreporter.write_line("they end with this process: press Enter, or Ctrl-C")
        try:
            with self._terminal() as descriptor:
                select.select([descriptor], [], [])
        except KeyboardInterrupt:
            terminalreporter.write_line("")

    @contextlib.contextmanager
    def _terminal(self) -> Iterator[int]:
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        descriptor = os.open(_TERMINAL, os.O_RDONLY | os.O_CLOEXEC)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def pytest_unconfigure(self) -> None:
        """End what was held, also if nothing was printed."""
        while self._held:
            stage, opened = self._held.pop()
            if opened is not None:
                opened.close()
            stage.destroy()


def _is_a_terminal() -> bool:
    try:
        os.close(os.open(_TERMINAL, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


KEEPER = pytest.StashKey[Keeper]()
