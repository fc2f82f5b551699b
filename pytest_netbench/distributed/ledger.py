"""Which worker carries which trial, and what becomes of trials whose worker or node is lost. Pure; it knows no Ray.

A worker is a process with room for several trials: a number of them, and memory of their labs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

NODES_TO_LOSE: Final = 3
"""A trial that so many nodes were lost with is not tried again."""


@dataclass(frozen=True, kw_only=True)
class Lost:
    """Trials that are not tried again.

    Attributes:
        by_nodes: By trial, the nodes that were lost with it.
        by_worker: Trials that have ended their worker twice, the second time alone.
    """

    by_nodes: dict[int, tuple[str, ...]] = field(default_factory=dict)
    by_worker: tuple[int, ...] = ()


@dataclass
class _Worker:
    open: set[int] = field(default_factory=set)
    is_kept_free: bool = False


class Ledger:
    """Trials by number, in the order in which they are to begin, and workers by name.

    Args:
        memory_mb: By trial, the memory of its lab.
        at_once: Trials that a worker carries at a time.
        room_mb: Memory that the labs of a worker may have together. One that needs more has a worker to itself.
    """

    def __init__(self, memory_mb: dict[int, float], *, at_once: int, room_mb: float) -> None:
        self._memory_mb = memory_mb
        self._at_once = at_once
        self._room_mb = room_mb
        self._waiting = deque(memory_mb)
        self._alone: deque[int] = deque()
        self._suspected: set[int] = set()
        self._nodes: dict[int, list[str]] = {}
        self._workers: dict[str, _Worker] = {}

    @property
    def is_done(self) -> bool:
        """Whether no trial waits or is carried."""
        return not self.waiting and not any(worker.open for worker in self._workers.values())

    @property
    def waiting(self) -> int:
        """How many trials wait for a worker."""
        return len(self._waiting) + len(self._alone)

    def carried_by(self, worker: str) -> frozenset[int]:
        """The trials that a worker has; none if it is not known."""
        return frozenset(self._workers[worker].open) if worker in self._workers else frozenset()

    def add_worker(self, worker: str) -> None:
        """A worker is ready."""
        self._workers[worker] = _Worker()

    def add_trial(self, trial: int, memory_mb: float) -> None:
        """A trial is to be run as well, before all others."""
        self._memory_mb[trial] = memory_mb
        self._waiting.appendleft(trial)

    def drop(self, trials: Iterable[int]) -> None:
        """Trials that wait are not to be run after all."""
        gone = set(trials)
        self._waiting = deque(trial for trial in self._waiting if trial not in gone)
        self._alone = deque(trial for trial in self._alone if trial not in gone)

    def assign(self) -> list[tuple[str, int]]:
        """Give waiting trials to workers that have room; return who carries which."""
        given = self._assign_alone()
        while self._waiting:
            worker = self._with_room(self._waiting[0])
            if worker is None:
                break
            given.append((worker, self._waiting.popleft()))
            self._workers[worker].open.add(given[-1][1])
        return given

    def finished(self, worker: str, trial: int) -> None:
        """A trial came back."""
        kept = self._workers[worker]
        kept.open.discard(trial)
        kept.is_kept_free = kept.is_kept_free and bool(kept.open)

    def worker_ended(self, worker: str) -> Lost:
        """The process of a worker has ended, and its node is there: each of its trials is run once more, alone."""
        carried = self._workers.pop(worker, _Worker()).open
        twice = tuple(sorted(carried & self._suspected))
        again = sorted(carried - self._suspected)
        self._suspected |= carried
        self._alone.extend(again)
        return Lost(by_worker=twice)

    def node_lost(self, worker: str, node: str) -> Lost:
        """The node of a worker is gone: its trials are run elsewhere, each at most on a few nodes."""
        carried = self._workers.pop(worker, _Worker()).open
        over: dict[int, tuple[str, ...]] = {}
        for trial in sorted(carried, reverse=True):
            nodes = self._nodes.setdefault(trial, [])
            nodes.append(node)
            if len(nodes) >= NODES_TO_LOSE:
                over[trial] = tuple(nodes)
            else:
                (self._alone if trial in self._suspected else self._waiting).appendleft(trial)
        return Lost(by_nodes=over)

    def _assign_alone(self) -> list[tuple[str, int]]:
        given = []
        for worker, kept in self._workers.items():
            if self._alone and not kept.open:
                given.append((worker, self._alone.popleft()))
                kept.open.add(given[-1][1])
                kept.is_kept_free = True
        busy = [kept for kept in self._workers.values() if kept.open and not kept.is_kept_free]
        emptying = sum(kept.is_kept_free and not self._is_alone(kept) for kept in self._workers.values())
        for kept in sorted(busy, key=lambda one: len(one.open))[: max(0, len(self._alone) - emptying)]:
            kept.is_kept_free = True
        return given

    def _is_alone(self, worker: _Worker) -> bool:
        return bool(worker.open) and worker.open <= self._suspected

    def _with_room(self, trial: int) -> str | None:
        """The worker that has least to do among those with room."""
        fitting = [name for name, kept in self._workers.items() if self._fits(kept, trial)]
        return min(fitting, key=lambda name: len(self._workers[name].open)) if fitting else None

    def _fits(self, worker: _Worker, trial: int) -> bool:
        if worker.is_kept_free or len(worker.open) >= self._at_once:
            return False
        used = sum(self._memory_mb[one] for one in worker.open)
        return not worker.open or used + self._memory_mb[trial] <= self._room_mb
