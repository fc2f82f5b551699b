"""Heavy imports and models, loaded by a thread while labs deploy.

Code that needs one of them loads it again. That waits for the thread and reports an error of the load.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.plugin.item import TaskItem
from pytest_netbench.plugin.nodeids import is_from_a_task
from pytest_netbench.plugin.run import run_of

if TYPE_CHECKING:
    from pytest_netbench.scorers.protocol import Scorer

BOUNDS = ("oracle", "nop")
"""Agents without reasoning, or with the task's own: comparing it needs no model."""


class Preload:
    """Starts loading once it is known that tasks will run.

    ``scorers`` are those that score in this process, by name; they keep what they have loaded.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._run = run_of(config)
        self._stop = Event()
        self._thread: Thread | None = None
        self.scorers: dict[str, Scorer] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without xdist, or in a worker."""
        if any(isinstance(item, TaskItem) for item in session.items):
            self._start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:  # noqa: ARG002  (a hook's names)
        """On the controller of xdist."""
        if any(map(is_from_a_task, ids)):
            self._start()

    def pytest_unconfigure(self) -> None:
        """Start no further load. A running load must end before the interpreter ends."""
        self._stop.set()

    def _start(self) -> None:
        if self._thread is not None or self._run.selftest or self._config.option.collectonly:
            return
        self._thread = Thread(target=self._load, name="netbench-preload")
        self._thread.start()

    def _load(self) -> None:
        for step in self._steps():
            if self._stop.is_set():
                return
            # an error is not lost: the code that needs the import repeats it and reports the error
            with contextlib.suppress(Exception):
                step()

    def _steps(self) -> Iterator[Callable[[], Any]]:
        if not self._run.distributes:
            from pytest_netbench.agents.resolve import preload  # noqa: PLC0415  (only for a benchmark)

            for agent in self._run.agents:
                yield partial(preload, agent.spec, rootdir=self._config.rootpath)
        for name in self._scorer_names():
            yield partial(self._prepare, name)

    def _scorer_names(self) -> tuple[str, ...]:
        from pytest_netbench import parts  # noqa: PLC0415  (only for a benchmark)

        names = [name for family in parts.names("families") for name in parts.load("families", family).scorers]
        return self._run.scorer_names(tuple(names))

    def _prepare(self, name: str) -> None:
        from pytest_netbench import parts  # noqa: PLC0415  (only for a benchmark)

        scorer = self.scorers.get(name) or parts.load("scorers", name)()
        here = not self._run.is_worker if scorer.on_controller else not self._run.distributes
        if not here or (scorer.on_controller and all(agent.spec in BOUNDS for agent in self._run.agents)):
            return
        self.scorers.setdefault(name, scorer)
        getattr(self.scorers[name], "prepare", _nothing)()


def _nothing() -> None:
    """Most scorers have no ``prepare``."""
