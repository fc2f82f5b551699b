"""``--netbench-ray``: the loop of a session whose trials run on a cluster.

An item stays an item: when its trial has come back, it is set up, called, reported and torn down here like any other,
and its result is written. Items that have to run in this process follow when all others have come back.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest

from pytest_netbench.agents import run_budget
from pytest_netbench.distributed.cluster import connected
from pytest_netbench.distributed.ledger import Ledger
from pytest_netbench.distributed.orders import Delivery, Order
from pytest_netbench.distributed.pool import Pool
from pytest_netbench.distributed.sizes import size_of
from pytest_netbench.errors import NetbenchError, UsageError
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.scheduling.estimates import estimate_of
from pytest_netbench.plugin.scheduling.ray_options import RayOptions
from pytest_netbench.plugin.scheduling.ray_trials import FarTrial, Orders, is_trial, reason_to_stay
from pytest_netbench.plugin.settings.run_options import run_of

_EVERY_S: Final = 1.0
_PATIENCE_S: Final = 30.0


class RayLoop:
    """Sends trials away and reports them as they come back.

    Args:
        config: Of the run.
        options: The cluster.
        begin: Keeps that the trial of an item begins.
    """

    def __init__(self, config: pytest.Config, options: RayOptions, *, begin: Callable[[TaskItem], None]) -> None:
        self._config = config
        self._options = options
        self._begin = begin
        self._opened = ExitStack()
        self._far: dict[int, TaskItem] = {}
        self._numbers: dict[TaskItem, int] = {}
        self._came: dict[int, Delivery] = {}
        self._here: Counter[str] = Counter()
        self._memory_mb: dict[int, float] = {}
        self._pool: Pool | None = None
        self._ledger: Ledger | None = None
        self._orders: Orders | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the items of the session; pytest's own loop, but in another order."""
        if session.config.option.collectonly or (
            session.testsfailed and not session.config.option.continue_on_collection_errors
        ):
            return None
        here = self._divide(session)
        try:
            if self._far:
                self._open()
            remaining = len(session.items)
            for item in self._in_order(here):
                remaining -= 1
                # what comes back next is not known yet: only what belongs to the whole session stays set up
                following: Any = session if remaining else None
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
                self._forget(item)
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
                if session.shouldstop:
                    raise session.Interrupted(session.shouldstop)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from error
        finally:
            self._opened.close()
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report of the set-up have the time that the trial took where it ran."""
        report = yield
        if isinstance(item, TaskItem) and item.far is not None and call.when == "setup":
            report.duration = item.far.seconds
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say which trials did not run on the cluster."""
        for reason, count in self._here.items():
            trials = "1 trial" if count == 1 else f"{count} trials"
            terminalreporter.write_line(f"netbench: {trials} ran here and not on the cluster: {reason}")

    def _divide(self, session: pytest.Session) -> list[pytest.Item]:
        """Note the trials that go away; return all other items."""
        here: list[pytest.Item] = []
        for item in session.items:
            reason = reason_to_stay(item) if is_trial(item) and isinstance(item, TaskItem) else ""
            if reason is None:
                assert isinstance(item, TaskItem)
                number = len(self._far)
                self._far[number], self._numbers[item] = item, number
                item.far = FarTrial(self._fetch)
                continue
            here.append(item)
            if reason:
                self._here[reason] += 1
        return here

    def _open(self) -> None:
        cluster = self._opened.enter_context(connected(self._options.address))
        run = run_of(self._config)
        costs = {number: estimate_of(item.task, run) for number, item in self._far.items() if item.task is not None}
        longest_first = sorted(costs, key=lambda number: (-costs[number].seconds, number))
        self._memory_mb = {number: costs[number].memory_mb for number in longest_first}
        nodes = cluster.nodes()
        size = size_of(
            nodes, list(self._memory_mb.values()), at_once=self._options.at_once, workers=self._options.workers
        )
        self._orders = Orders(self._config, side_by_side=size.side_by_side)
        self._ledger = Ledger(dict(self._memory_mb), at_once=size.at_once, room_mb=size.room_mb)
        self._pool = Pool(
            cluster,
            size=size,
            ledger=self._ledger,
            order=self._order,
            variables=self._variables(),
            run_budget=run_budget.current(),
        )
        self._opened.callback(self._pool.close)
        workers, with_cores = _counted(size.workers, "worker"), sum(node.cores > 0 for node in nodes.values())
        self._say(f"{len(self._far)} trials go to {workers} on {_counted(with_cores, 'node')}")

    def _variables(self) -> dict[str, str]:
        """The variables that files of agents name."""
        from pytest_netbench.agents.resolve import variables_of

        run = run_of(self._config)
        names = {name for one in run.agents for name in variables_of(one.spec, rootdir=self._config.rootpath)}
        return {name: os.environ[name] for name in sorted(names) if name in os.environ}

    def _order(self, number: int) -> Order | None:
        assert self._orders is not None
        shared = run_budget.current()
        if shared is not None and shared.closed() is not None:
            self._far[number].far = None  # its set-up says that nothing is left
            self._came[number] = Delivery()
            return None
        try:
            self._begin(self._far[number])
            return self._orders.of(self._far[number])
        except NetbenchError as error:
            self._came[number] = Delivery(error=error)
            return None

    def _in_order(self, here: list[pytest.Item]) -> Iterator[pytest.Item]:
        """Items as they can be reported: trials as they come back, then the others."""
        reported: set[int] = set()
        began, told = time.monotonic(), False
        while len(reported) < len(self._far):
            assert self._pool is not None
            self._came |= self._pool.next(_EVERY_S)
            for number in [one for one in self._came if one not in reported]:
                reported.add(number)
                yield self._far[number]
            if not told and self._pool.is_waiting_for_nodes and time.monotonic() - began > _PATIENCE_S:
                told = True
                self._say("the cluster has no room for a worker yet; waiting")
        yield from here

    def _fetch(self, item: TaskItem) -> Delivery:
        """What came of a trial; run it once more if that was fetched before (``--reruns``)."""
        number = self._numbers[item]
        if number not in self._came:
            assert self._ledger is not None
            assert self._pool is not None
            self._ledger.add_trial(number, self._memory_mb[number])
            while number not in self._came:
                self._came |= self._pool.next(_EVERY_S)
        return self._came.pop(number)

    def _forget(self, item: pytest.Item) -> None:
        """Results are on disk now; ten thousand items would keep theirs until the session ends."""
        if isinstance(item, TaskItem) and item in self._numbers:
            item.outcome = item.result = item.tape = None

    def _say(self, text: str) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(f"netbench: {text}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
