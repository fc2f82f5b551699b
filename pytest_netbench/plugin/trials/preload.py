"""Slow loading while labs deploy: a thread loads litellm and scorers, a process loads the embedding model.

It loads only what the collected tasks need. Code that needs one of these loads it again. That waits for the thread or
the process and reports an error of the load.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

import pytest

from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.items.node_ids import group_of, is_from_a_task, source_of
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.trials.embedder import ProcessEmbedder

if TYPE_CHECKING:
    from pytest_netbench.scorers.protocol import Scorer

BOUNDS = ("oracle", "nop")
"""Agents without reasoning, or with the task's own: comparing it needs no model."""


class Preload:
    """Starts loading once it is known that tasks will run, and has the scorers of this process."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._run = run_of(config)
        self._distributes = self._run.distributes or config.option.netbench_ray is not None
        self._stop = Event()
        self._thread: Thread | None = None
        self._scorers: dict[str, Scorer] = {}
        self._making = Lock()
        self._embedder = ProcessEmbedder()

    def scorer(self, name: str) -> Scorer:
        """Return the scorer of this name, always the same one: it keeps what it has loaded.

        Raises:
            UsageError: There is no such scorer.
        """
        from pytest_netbench import parts  # only for a benchmark
        from pytest_netbench.scorers.netconfbench import DraftReasoningScorer  # imports pydantic
        from pytest_netbench.scorers.reasoning import ReasoningScorer

        with self._making:
            if name not in self._scorers:
                kind = parts.load("scorers", name)
                embeds = kind in {ReasoningScorer, DraftReasoningScorer}
                self._scorers[name] = kind(embedder=self._embedder) if embeds else kind()
            return self._scorers[name]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Without xdist, or in a worker."""
        items = [item for item in session.items if isinstance(item, TaskItem) and item.task is not None]
        agents = {item.agent_choice.spec for item in items if item.agent_choice is not None}
        if items:
            self._start(lambda: {item.task.family for item in items if item.task is not None}, agents)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:  # a hook's names
        """On the controller of xdist."""
        if any(map(is_from_a_task, ids)):
            self._start(partial(self._families_of, tuple(ids)), {agent.spec for agent in self._run.agents})

    def pytest_unconfigure(self) -> None:
        """End the embedding process and start no further load. A thread's load must end before the interpreter."""
        self._stop.set()
        self._embedder.close()

    def _start(self, families: Callable[[], Iterable[str]], agents: set[str]) -> None:
        if self._thread is not None or self._run.selftest or self._config.option.collectonly:
            return
        self._thread = Thread(target=self._load, args=(families, agents), name="netbench-preload")
        self._thread.start()

    def _load(self, families: Callable[[], Iterable[str]], agents: set[str]) -> None:
        for step in self._steps(families, agents):
            if self._stop.is_set():
                return
            # an error is not lost: the code that needs the import repeats it and reports the error
            with contextlib.suppress(Exception):
                step()

    def _steps(self, families: Callable[[], Iterable[str]], agents: set[str]) -> Iterator[Callable[[], Any]]:
        from pytest_netbench import parts  # only for a benchmark
        from pytest_netbench.agents.resolve import preload  # only for a benchmark

        by_default = [name for family in families() for name in parts.load("families", family).scorers]
        for name in self._run.scorer_names(tuple(by_default)):
            yield partial(self._prepare, name, agents)
        if not self._distributes and self._config.option.netbench_replay is None:
            for agent in sorted(agents):
                yield partial(preload, agent, rootdir=self._config.rootpath)

    def _prepare(self, name: str, agents: set[str]) -> None:
        scorer = self.scorer(name)
        here = not self._run.is_worker if scorer.on_controller else not self._distributes
        if here and not (scorer.on_controller and agents <= set(BOUNDS)):
            getattr(scorer, "prepare", _nothing)()

    def _families_of(self, node_ids: tuple[str, ...]) -> set[str]:
        """Return the families of these items; no more files are read, and tasks drawn, than it takes."""
        from pytest_netbench import parts  # only for a benchmark
        from pytest_netbench.errors import InputError

        found: set[str] = set()
        installed = set(parts.names("families"))
        for node_id in {group_of(node_id): node_id for node_id in node_ids}.values():
            source = source_of(node_id, self._config)
            if source is not None:
                with contextlib.suppress(InputError):  # its item says what is wrong with it
                    found.add(source.load().family)
            if found == installed:
                break
        return found


def _nothing() -> None:
    """Most scorers have no ``prepare``."""
