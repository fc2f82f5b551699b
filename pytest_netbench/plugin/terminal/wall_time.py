"""Says which tasks take minutes because their labs run in wall time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pytest_netbench.errors import InputError
from pytest_netbench.plugin.items.node_ids import source_of
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.terminal.forecast import Announcer

if TYPE_CHECKING:
    from pytest_netbench.model.events import Action
    from pytest_netbench.model.task import Task
    from pytest_netbench.model.testcase import Testcase

_LONG_S: Final = 120.0
"""A task whose events may take less is not named."""
_SHOWN: Final = 5


class WallTime(Announcer):
    """Names the tasks whose events take minutes, if the backend cannot let time pass faster."""

    def lines(self, node_ids: Sequence[str]) -> list[str]:
        """One line, or none."""
        from pytest_netbench.lab.protocols import PacesTime  # imports pydantic
        from pytest_netbench.lab.resources import backend_of

        backend = backend_of("lab", run_of(self._config).backend)
        if isinstance(backend, PacesTime) and backend.paces_time:
            return []
        long = {task.slug: seconds for task in self._tasks(node_ids) if (seconds := events_s(task)) >= _LONG_S}
        return [_line(backend.name, long)] if long else []

    def _tasks(self, node_ids: Sequence[str]) -> list[Task]:
        sources = {str(source): source for one in node_ids if (source := source_of(one, self._config)) is not None}
        found = []
        for source in sources.values():
            try:
                task = source.load()
            except InputError:
                continue  # its item says what is wrong
            found += [task] if task.has_network else []
        return found


def events_s(task: Task) -> float:
    """Seconds that the events of a task take at most, if the network reacts as late as its testcases allow."""
    testcases: Sequence[Testcase] = getattr(task.payload, "testcases", ())
    events: Mapping[str, Sequence[Action]] = getattr(task.payload, "events", {})
    return sum(max((one.within_s for one in testcases if one.under == name), default=0.0) for name in events)


def _line(backend: str, long: Mapping[str, float]) -> str:
    ordered = sorted(long, key=lambda slug: -long[slug])
    named = ", ".join(f"{slug} {long[slug] / 60:.0f} min" for slug in ordered[:_SHOWN])
    more = f" and {len(long) - _SHOWN} more" if len(long) > _SHOWN else ""
    return f"netbench: backend {backend} runs in wall time; events take minutes at most in {named}{more}"
