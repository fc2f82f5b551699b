"""Distribution of items to xdist workers: longest first, and only as many labs at a time as fit in memory.

A worker starts an item only after it was given the next one, or was told that there is none. So each worker is assigned
one item in advance. A worker waits for memory by not being assigned the next item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from xdist.workermanage import WorkerController

from pytest_netbench.plugin.scheduling.estimates import Estimate, available_mb, estimates
from pytest_netbench.plugin.settings.adversarial import WORKER_SOUGHT, plain_choices
from pytest_netbench.plugin.settings.run_options import WORKER_RESULTS, run_of
from pytest_netbench.plugin.settings.startup import WORKER_REFUSED


class Distribution:
    """Hooks the scheduler into xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Pass the results directory, and what a search chose, to a worker."""
        run = run_of(self._config)
        node.workerinput[WORKER_RESULTS] = str(run.results)
        node.workerinput[WORKER_REFUSED] = [one.spec for one in run.refused]
        node.workerinput[WORKER_SOUGHT] = plain_choices(run.draws.series)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config) -> LabScheduling | None:
        """Return our scheduler, unless the user selected another one."""
        return LabScheduling(config) if config.option.dist == "load" else None


class LabScheduling:
    """xdist's ``Scheduling`` protocol."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._expected = len(config.option.tx)
        self._collections: dict[WorkerController, list[str]] = {}
        self._given: dict[WorkerController, list[int]] = {}
        self._pending: list[int] = []
        self._estimates: list[Estimate] = []
        self._memory_mb = 0.0
        self.collection: list[str] | None = None

    # what xdist asks

    @property
    def nodes(self) -> list[WorkerController]:
        return list(self._given)

    @property
    def collection_is_completed(self) -> bool:
        return len(self._collections) >= self._expected

    @property
    def tests_finished(self) -> bool:
        return self.collection_is_completed and not self.has_pending

    @property
    def has_pending(self) -> bool:
        return bool(self._pending) or any(self._given.values())

    # what xdist tells

    def add_node(self, node: WorkerController) -> None:
        self._given[node] = []

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        self._collections[node] = list(collection)

    def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
        self._given[node].remove(item_index)
        self._advance()

    def mark_test_pending(self, item: str) -> None:
        assert self.collection is not None
        self._pending.append(self.collection.index(item))
        self._advance()

    def remove_pending_tests_from_node(self, node: WorkerController, indices: Sequence[int]) -> None:
        raise NotImplementedError("items are never taken back from a worker")

    def remove_node(self, node: WorkerController) -> str | None:
        given = self._given.pop(node)
        if not given:
            return None
        assert self.collection is not None
        running, *promised = given
        self._pending += promised
        self._advance()
        return self.collection[running]

    def schedule(self) -> None:
        if self.collection is None:
            collections = list(self._collections.values())
            if any(one != collections[0] for one in collections):
                self._report_difference()
                return
            self.collection = collections[0]
            self._estimates = estimates(self.config, self.collection)
            self._memory_mb = available_mb()
            self._pending = list(range(len(self.collection)))
        self._advance()

    def _report_difference(self) -> None:
        text = "xdist workers collected different items; task files must not change while a run starts"
        report = pytest.CollectReport(nodeid="netbench", outcome="failed", longrepr=text, result=[])
        self.config.hook.pytest_collectreport(report=report)

    # the decisions

    def _advance(self) -> None:
        """Give every waiting worker the items that it may start."""
        self._pending.sort(key=lambda index: (-self._estimates[index].seconds, index))
        for node, given in self._given.items():
            if not given and self._pending and not node.shutting_down and node in self._collections:
                self._give(node, self._pending[0])
        for node, given in self._given.items():
            if node.shutting_down or node not in self._collections:
                continue
            if not given:
                node.shutdown()
            elif len(given) == 1 and self._fits(given[0]):
                self._promise(node)

    def _promise(self, node: WorkerController) -> None:
        """Let ``node`` start its item by assigning it the next item of the plan."""
        mine = plan({one: self._load(one) for one in self._working()}, self._pending, self._estimates)[node]
        if mine:
            self._give(node, mine[0])
        else:
            node.shutdown()

    def _working(self) -> list[WorkerController]:
        return [node for node, given in self._given.items() if given and not node.shutting_down]

    def _give(self, node: WorkerController, index: int) -> None:
        self._pending.remove(index)
        self._given[node].append(index)
        node.send_runtest_some([index])

    def _load(self, node: WorkerController) -> float:
        return sum(self._estimates[index].seconds for index in self._given[node])

    def _fits(self, index: int) -> bool:
        running = [given[0] for node, given in self._given.items() if given and (len(given) > 1 or node.shutting_down)]
        needed = sum(self._estimates[one].memory_mb for one in (*running, index))
        return not running or needed <= self._memory_mb


def plan(loads: Mapping[Any, float], pending: Sequence[int], estimates: Sequence[Estimate]) -> dict[Any, list[int]]:
    """Assign items longest first, each to the worker that is free first.

    Args:
        loads: Seconds of work that each worker has already.
        pending: Indices into ``estimates`` still to be given, longest first.
        estimates: What items cost.
    """
    until = dict(loads)
    plans: dict[Any, list[int]] = {worker: [] for worker in loads}
    for index in pending:
        first = min(until, key=lambda worker: until[worker])
        plans[first].append(index)
        until[first] += estimates[index].seconds
    return plans
