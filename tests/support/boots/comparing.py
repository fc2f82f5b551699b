"""Boots a task several times, and lists each line that not all of its boots print."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from pytest_netbench.errors import NetbenchError
from pytest_netbench.model.task import Task
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.support.boots.reading import State, state

LOOPS = 4
BESIDE_LOOPS = 3
"""Every third boot has busy loops beside it."""


def boots(task: Task, count: int) -> Iterator[State]:
    """Yield the state of each boot, read once when the network is healthy.

    An agent begins then, unless the task breaks something first. What a fault leaves is not compared: the network may
    still be on its way there.
    """
    for number in range(1, count + 1):
        with busy_loops(LOOPS if number % BESIDE_LOOPS == 0 else 0):
            try:
                with ExitStack() as leaving:
                    stage = Stage(task, Settings())
                    leaving.callback(stage.destroy)
                    stage.prepare()
                    stage.health()
                    assert stage.lab is not None
                    yield state(stage.lab)
            except NetbenchError as error:
                error.add_note(f"{task.slug}: boot {number}")
                raise


def differences(name: str, states: Sequence[State]) -> list[str]:
    """Return ``TASK: NODE: COMMAND: LINE in boots 1,2 but not in 3`` for each line that differs."""
    found = []
    for key in dict.fromkeys(key for one in states for key in one):
        seen = [one.get(key, {}) for one in states]
        for line in dict.fromkeys(line for one in seen for line in one):
            most = max(one.get(line, 0) for one in seen)
            there = [number for number, one in enumerate(seen, 1) if one.get(line, 0) == most]
            if len(there) < len(states):
                others = [number for number in range(1, len(states) + 1) if number not in there]
                where = f"in boots {_listed(there)} but not in {_listed(others)}"
                found.append(f"{name}: {': '.join(key)}: {line} {where}")
    return found


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep so many processes busy."""
    loops = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(count)]
    for loop in loops:
        loop.start()
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.join()


def _burn() -> None:
    while True:
        pass


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
