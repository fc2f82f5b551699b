from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_netbench.plugin.scheduling import scheduler
from pytest_netbench.plugin.scheduling.estimates import Estimate
from pytest_netbench.plugin.scheduling.scheduler import LabScheduling


class Worker:
    """What xdist gives a scheduler to speak to a worker with; runs what a real one would."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.queue: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self.queue += indices

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def running(self) -> int | None:
        """A worker starts an item once it has the next, or was told that there is none."""
        return self.queue[0] if len(self.queue) > 1 or (self.queue and self.shutting_down) else None


class Floor:
    """A scheduler and its workers; ``run`` plays the items through and returns when each ended."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, costs: list[Estimate], *, workers: int, memory_mb: float
    ) -> None:
        monkeypatch.setattr(scheduler, "estimates", lambda config, ids: costs)
        monkeypatch.setattr(scheduler, "available_mb", lambda: memory_mb)
        config: Any = SimpleNamespace(option=SimpleNamespace(tx=["popen"] * workers))
        self.costs = costs
        self.ids = [f"t::{index}" for index in range(len(costs))]
        self.scheduling = LabScheduling(config)
        self.workers = [Worker(f"gw{index}") for index in range(workers)]
        for worker in self.workers:
            self.scheduling.add_node(worker)
        for worker in self.workers:
            self.scheduling.add_node_collection(worker, self.ids)
        self.scheduling.schedule()
        self.most_mb = 0.0

    def run(self) -> tuple[float, list[int]]:
        now, order = 0.0, []
        ends: dict[Worker, float] = {}
        while not self.scheduling.tests_finished:
            for worker in self.workers:
                if worker.running is not None and worker not in ends:
                    ends[worker] = now + self.costs[worker.running].seconds
            self.most_mb = max(self.most_mb, sum(self.costs[worker.queue[0]].memory_mb for worker in ends))
            assert ends, "nobody works although there is work"
            first = min(ends, key=lambda worker: ends[worker])
            now = ends.pop(first)
            done = first.queue.pop(0)
            order.append(done)
            self.scheduling.mark_test_complete(first, done)
        return now, order


def costs(*seconds: float, memory_mb: float = 100) -> list[Estimate]:
    return [Estimate(seconds=one, memory_mb=memory_mb) for one in seconds]


def test_every_item_runs_once(monkeypatch):
    _, order = Floor(monkeypatch, costs(*range(1, 20)), workers=4, memory_mb=1e6).run()
    assert sorted(order) == list(range(19))


def test_two_long_items_never_queue_behind_each_other(monkeypatch):
    took, _ = Floor(monkeypatch, costs(1, 1, 1, 1, 5, 5), workers=2, memory_mb=1e6).run()
    assert took == 7


def test_one_very_long_item_has_a_worker_to_itself(monkeypatch):
    took, _ = Floor(monkeypatch, costs(1, 2, 1, 9, 2, 1), workers=2, memory_mb=1e6).run()
    assert took == 9


def test_labs_wait_for_memory(monkeypatch):
    floor = Floor(monkeypatch, costs(3, 3, 3, 3, 3, memory_mb=400), workers=4, memory_mb=1000)
    took, order = floor.run()
    assert floor.most_mb == 800
    assert took == 9
    assert len(order) == 5


def test_a_lab_larger_than_memory_runs_alone(monkeypatch):
    floor = Floor(monkeypatch, costs(1, 1, 1, memory_mb=4000), workers=3, memory_mb=1000)
    took, _ = floor.run()
    assert floor.most_mb == 4000
    assert took == 3


def test_more_workers_than_items_sends_the_others_home(monkeypatch):
    floor = Floor(monkeypatch, costs(1), workers=3, memory_mb=1e6)
    assert [worker.shutting_down for worker in floor.workers] == [True, True, True]
    assert floor.run() == (1, [0])


def test_what_a_dead_worker_was_promised_is_run_by_another(monkeypatch):
    floor = Floor(monkeypatch, costs(4, 4, 1, 1, 1), workers=2, memory_mb=1e6)
    dead = floor.workers.pop(0)
    crashed = floor.scheduling.remove_node(dead)
    assert crashed == floor.ids[dead.queue[0]]
    _, order = floor.run()
    assert sorted([*order, dead.queue[0]]) == [0, 1, 2, 3, 4]


def test_a_worker_that_replaces_a_dead_one_gets_what_is_left(monkeypatch):
    floor = Floor(monkeypatch, costs(4, 3), workers=2, memory_mb=1e6)
    for worker in list(floor.workers):
        floor.workers.remove(worker)
        floor.scheduling.remove_node(worker)
    assert not floor.scheduling.has_pending
    floor.scheduling.mark_test_pending("t::0")
    replacement = Worker("gw2")
    floor.workers.append(replacement)
    floor.scheduling.add_node(replacement)
    floor.scheduling.add_node_collection(replacement, floor.ids)
    floor.scheduling.schedule()
    assert floor.run() == (4, [0])
