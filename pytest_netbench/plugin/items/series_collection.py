"""Collection of items from generators, and how many there are of each label and level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.plugin.items.collection import items_of
from pytest_netbench.plugin.items.item import NOT_PROVEN, DrawnItem, TaskCollector
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.plugin.settings.series_ids import drawn_id

if TYPE_CHECKING:
    from pytest_netbench.generators.series import Series
    from pytest_netbench.model.drawn import Drawn

_COLLECTED = pytest.StashKey["list[Drawn]"]()


class DrawnTasks(TaskCollector):
    """A series of draws: items as those of task files, without files."""

    item_type = DrawnItem
    series: Series

    @classmethod
    def of(cls, session: pytest.Session, series: Series) -> DrawnTasks:
        """The collector of ``series``."""
        made: DrawnTasks = cls.from_parent(session, name=series.written, nodeid=series.written)
        made.series = series
        return made

    def collect(self) -> Iterable[DrawnItem]:
        draws = run_of(self.config).draws
        for index in draws.indices(self.series):
            for item in items_of(self, self.series.source(index)):
                assert isinstance(item, DrawnItem)
                drawn = None if item.task is None else item.task.drawn
                if draws.selects("" if drawn is None else drawn.id, item.name):
                    item.sought = (self.series.sought or {}).get(index)
                    yield item


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Collect series beside the paths of the command line."""
    report = yield
    if isinstance(collector, pytest.Session) and report.passed:
        series = run_of(collector.config).draws.series
        report.result = [*report.result, *(DrawnTasks.of(collector, one) for one in series)]
    return report


def pytest_collection_finish(session: pytest.Session) -> None:
    """Remember what was drawn and not deselected."""
    tasks = [item.task for item in session.items if isinstance(item, DrawnItem) and item.task is not None]
    drawn = {task.drawn.id: task.drawn for task in tasks if task.drawn is not None}
    session.config.stash[_COLLECTED] = list(drawn.values())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many tasks were dropped; with ``--collect-only``, the number of tasks of each label and level."""
    skipped = terminalreporter.stats.get("skipped", ())
    dropped = {_task_in(report.nodeid) for report in skipped if NOT_PROVEN in str(report.longrepr)}
    if dropped:
        what = "1 drawn task was dropped: it" if len(dropped) == 1 else f"{len(dropped)} drawn tasks were dropped: they"
        terminalreporter.write_line(f"netbench: {what} could not be proven", yellow=True)
    if not config.option.collectonly:
        return
    drawn = config.stash.get(_COLLECTED, [])
    for line in counts(drawn):
        terminalreporter.write_line(line)


def _task_in(node_id: str) -> tuple[str, int, int] | None:
    found = drawn_id(node_id)
    return None if found is None else (found.generator, found.seed, found.index)


def counts(drawn: Iterable[Drawn]) -> list[str]:
    """Lines that say how many tasks there are by generator, level and label."""
    by_generator: dict[str, list[Drawn]] = {}
    for one in drawn:
        by_generator.setdefault(one.generator, []).append(one)
    lines = []
    for generator, tasks in by_generator.items():
        lines.append(f"netbench: {len(tasks)} {'task' if len(tasks) == 1 else 'tasks'} drawn by {generator}")
        levels = Counter(one.level for one in tasks)
        for level in sorted(levels):
            labels = Counter(one.label for one in tasks if one.level == level)
            listed = ", ".join(f"{label} {labels[label]}" for label in sorted(labels))
            lines.append(f"  level {level}: {levels[level]} ({listed})")
    return lines
