"""Workers of a cluster: they are placed by Ray, given orders, and replaced when they or their nodes are lost."""

from __future__ import annotations

import pickle
import queue
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, Final

from pytest_netbench.agents.run_budget import RunBudget
from pytest_netbench.distributed.cluster import Cluster, Node
from pytest_netbench.distributed.ledger import Ledger, Lost
from pytest_netbench.distributed.orders import Delivery, Order
from pytest_netbench.distributed.sizes import Size
from pytest_netbench.distributed.versions import difference, versions
from pytest_netbench.distributed.worker import About, BudgetKeeper, TrialWorker, unpacked
from pytest_netbench.errors import InfrastructureError, UsageError

_MB: Final = 1024 * 1024
UNSURE_S: Final = 60.0
"""How long it may take until it is known whether a worker that does not answer has ended, or its node."""
_LOOKS_EVERY_S: Final = 0.25
_TRIES: Final = 3


@dataclass(kw_only=True)
class _Placed:
    """A worker: its actor, what it said of itself, and the trials that it was given."""

    actor: Any
    about: About | None = None
    given: dict[int, Future[bytes]] = field(default_factory=dict)


class Pool:
    """Workers, and the trials that they carry.

    Args:
        cluster: Where they are.
        size: How many, and how large.
        ledger: Says which trial is whose.
        order: Makes the order of a trial when a worker has room for it; ``None`` drops the trial.
        variables: For the environment of workers.
        run_budget: The budget of the run.
    """

    def __init__(
        self,
        cluster: Cluster,
        *,
        size: Size,
        ledger: Ledger,
        order: Callable[[int], Order | None],
        variables: Mapping[str, str],
        run_budget: RunBudget | None,
    ) -> None:
        self._cluster, self._ray = cluster, cluster.ray
        self._size, self._ledger, self._order = size, ledger, order
        self._variables = dict(variables)
        self._events: queue.SimpleQueue[tuple[str, int | None, Future[Any]]] = queue.SimpleQueue()
        self._known: dict[str, Node] = cluster.nodes()
        self._placed: dict[str, _Placed] = {}
        self._made = self._ended_early = 0
        self._keeper = None if run_budget is None else self._budget_keeper(run_budget)
        for _ in range(size.workers):
            self._place()

    @property
    def is_waiting_for_nodes(self) -> bool:
        """Whether no worker has been placed yet, or none is left."""
        return not any(one.about for one in self._placed.values())

    def pids(self) -> list[int]:
        """The processes of workers that are ready."""
        return [one.about.pid for one in self._placed.values() if one.about is not None]

    def next(self, within_s: float) -> list[tuple[int, Delivery]]:
        """What came back meanwhile, at the latest after ``within_s``.

        Raises:
            UsageError: A node runs other versions.
        """
        self._give()
        try:
            worker, trial, done = self._events.get(timeout=within_s)
        except queue.Empty:
            return []
        came = self._taken(worker, trial, done)
        self._give()
        return came

    def close(self) -> None:
        """End all workers at once, with what they carry."""
        for one in self._placed.values():
            self._ray.kill(one.actor)
        self._placed.clear()
        if self._keeper is not None:
            self._ray.kill(self._keeper)

    # workers

    def _place(self) -> None:
        options = {
            "num_cpus": 1,
            "memory": int(self._size.memory_mb * _MB),
            "max_concurrency": self._size.at_once + 1,
            "max_restarts": 0,
            "max_task_retries": 0,
        }
        self._made += 1
        actor = self._ray.remote(TrialWorker).options(**options).remote()
        name = f"worker {self._made}"
        self._placed[name] = _Placed(actor=actor)
        begun = actor.begin.remote(variables=self._variables, keeper=self._keeper)
        self._await(name, None, begun)

    def _budget_keeper(self, run_budget: RunBudget) -> Any:
        """The actor that holds the budget, where its file is; it is started again as often as it ends."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(node_id=self._cluster.own_node(), soft=False)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": here}
        return self._ray.remote(BudgetKeeper).options(**options).remote(run_budget)

    def _await(self, worker: str, trial: int | None, ref: Any) -> Future[Any]:
        future: Future[Any] = ref.future()
        future.add_done_callback(lambda done: self._events.put((worker, trial, done)))
        return future

    def _give(self) -> None:
        given = self._ledger.assign()
        while given:
            for worker, trial in given:
                order = self._order(trial)
                if order is None:
                    self._ledger.finished(worker, trial)
                    continue
                placed = self._placed[worker]
                packed = pickle.dumps(order, protocol=5)
                placed.given[trial] = self._await(worker, trial, placed.actor.carry.remote(packed))
            given = self._ledger.assign()

    # what happens

    def _taken(self, worker: str, trial: int | None, done: Future[Any]) -> list[tuple[int, Delivery]]:
        placed = self._placed.get(worker)
        if placed is None:
            return []  # it was lost, and its trials with it
        error = done.exception()
        if isinstance(error, self._ray.exceptions.RayActorError):
            return self._lost(worker, placed, error)
        if trial is None:
            if error is not None:
                raise UsageError(f"a worker cannot begin: {error}")
            self._ready(worker, placed, done.result())
            return []
        if error is not None:  # it cannot read the order, or send what came of it
            return self._finished(worker, placed, trial, Delivery(error=InfrastructureError(str(error))))
        return self._finished(worker, placed, trial, unpacked(done.result()))

    def _finished(self, worker: str, placed: _Placed, trial: int, delivery: Delivery) -> list[tuple[int, Delivery]]:
        del placed.given[trial]
        self._ledger.finished(worker, trial)
        return [(trial, delivery)]

    def _ready(self, worker: str, placed: _Placed, about: About) -> None:
        different = difference(versions(), about.versions)
        if different is not None:
            node = self._node(about.node)
            raise UsageError(
                f"node {node} does not run what runs here ({different}): install the same versions on all nodes"
            )
        placed.about = about
        self._ended_early = 0
        self._ledger.add_worker(worker)

    def _lost(self, worker: str, placed: _Placed, error: BaseException) -> list[tuple[int, Delivery]]:
        """A worker does not answer. What it had finished before counts; another worker takes its place."""
        if placed.about is None:
            self._refuse_if_none_begins(error)
        wait(placed.given.values(), timeout=UNSURE_S)
        came = []
        for trial, future in list(placed.given.items()):
            if future.done() and future.exception() is None:
                came += self._finished(worker, placed, trial, unpacked(future.result()))
        node = self._lost_node(placed, error)
        lost = self._ledger.worker_ended(worker) if node is None else self._ledger.node_lost(worker, node)
        del self._placed[worker]
        self._ray.kill(placed.actor)
        self._place()
        return [*came, *_deliveries(lost)]

    def _refuse_if_none_begins(self, error: BaseException) -> None:
        """Do not replace for ever workers that end before they begin, for example because their nodes lack a module."""
        self._ended_early += 1
        if self._ended_early > _TRIES * self._size.workers:
            raise UsageError(f"workers end before they begin: {error}")

    def _lost_node(self, placed: _Placed, error: BaseException) -> str | None:
        """The node of a worker, if it is lost; ``None`` if the worker alone has ended."""
        if placed.about is None:
            return "unknown"
        until = time.monotonic() + UNSURE_S
        while time.monotonic() < until:
            if placed.about.node not in self._cluster.nodes():
                return self._node(placed.about.node)
            if "Worker exit type" in str(error):
                return None
            error = self._asked_again(placed) or error
            time.sleep(_LOOKS_EVERY_S)
        return self._node(placed.about.node)  # nobody there answers

    def _asked_again(self, placed: _Placed) -> BaseException | None:
        try:
            self._ray.get(placed.actor.pid.remote(), timeout=_LOOKS_EVERY_S)
        except self._ray.exceptions.RayError as error:
            return error if isinstance(error, self._ray.exceptions.ActorDiedError) else None
        return None

    def _node(self, node: str) -> str:
        self._known |= self._cluster.nodes()
        return self._known[node].shown if node in self._known else node[:8]


def _deliveries(lost: Lost) -> list[tuple[int, Delivery]]:
    by_nodes = [
        (
            trial,
            Delivery(
                error=InfrastructureError(f"the nodes of this trial were lost one after the other: {', '.join(nodes)}")
            ),
        )
        for trial, nodes in lost.by_nodes.items()
    ]
    return [*by_nodes, *((trial, Delivery(ended_worker=True)) for trial in lost.by_worker)]
