"""Task files become items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.errors import TaskFileError
from pytest_netbench.plugin import item as items
from pytest_netbench.plugin.item import TaskItem
from pytest_netbench.plugin.run import Run, run_of
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from pytest_netbench.model.task import Task

SUFFIXES = (".task.yaml", ".task.yml", ".task.json")
IN_NODE_IDS = (*SUFFIXES, ".json")  # the draft's own files have no suffix of ours; they are collected if they are named
NO_AGENT = "no agent was given: choose one with --agent=oracle, --agent=MODEL or --agent=FILE"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> TaskFile | None:
    """Collect ``*.task.yaml``, ``*.task.yml`` and ``*.task.json``, and a task in any other JSON file that is named."""
    if not file_path.name.endswith(SUFFIXES) and not (parent.session.isinitpath(file_path) and _is_draft(file_path)):
        return None
    file: TaskFile = TaskFile.from_parent(parent, path=file_path)
    return file


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let errors outside the call read like those in it, and a skipped task be listed under its own file."""
    report = yield
    if not isinstance(item, TaskItem):
        return report
    if report.failed and call.excinfo is not None:
        report.longrepr = item.repr_failure(call.excinfo)
    elif report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        where = _top(item.path, item.config.rootpath) if NO_AGENT in reason else item.path
        report.longrepr = (str(where), 1, clean(reason))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in a line per reason why tasks were skipped, unless pytest lists skips anyway."""
    if terminalreporter.hasopt("skipped"):
        return
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple) and report.nodeid.partition("::")[0].endswith(IN_NODE_IDS)
    )
    for reason, count in reasons.items():
        tasks = "1 task" if count == 1 else f"{count} tasks"
        terminalreporter.write_line(f"netbench: {tasks} skipped: {clean(reason)}", yellow=True)


class TaskFile(pytest.File):
    """A task file: one item per agent and trial, or one for the self-test."""

    def collect(self) -> Iterable[TaskItem]:
        from pytest_netbench.taskfile import load_task  # noqa: PLC0415  (imports pydantic and yaml)

        run = run_of(self.config)
        try:
            task = load_task(self.path)
        except TaskFileError as error:
            shown = _relative(self.path, self.config.rootpath)
            nearer = TaskFileError(error.message, path=shown, line=error.line)
            yield items.broken(self, name=_stem(self.path), error=nearer)
            return
        if run.selftest:
            yield self._marked(items.selftest(self, task), task)
        elif not run.agents:
            skipped = self._marked(items.unassigned(self, task), task)
            skipped.add_marker(pytest.mark.skip(reason=NO_AGENT))
            yield skipped
        else:
            yield from self._matrix(run, task)

    def _matrix(self, run: Run, task: Task) -> Iterator[TaskItem]:
        for agent in run.agents:
            for number in range(1, run.trials + 1):
                yield self._marked(items.trial(self, task, agent=agent, number=number), task)

    def _marked(self, item: TaskItem, task: Task) -> TaskItem:
        mark = pytest.mark.netbench(
            name=task.slug,
            domain=task.domain,
            family=task.family,
            difficulty=task.difficulty,
            platform=task.network.platform if task.has_network else None,
        )
        item.add_marker(mark)
        item.extra_keyword_matches.update(
            word for word in (task.slug, task.domain, task.family, task.difficulty, *task.tags) if word
        )
        return item


def _is_draft(path: Path) -> bool:
    return path.suffix == ".json" and b'"task_name"' in path.read_bytes()


def _stem(path: Path) -> str:
    for suffix in SUFFIXES:
        if path.name.endswith(suffix):
            return path.name.removesuffix(suffix)
    return path.stem


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _top(path: Path, root: Path) -> Path:
    """The folder directly under ``root`` that ``path`` is in."""
    return root / path.relative_to(root).parts[0] if path.is_relative_to(root) else path.parent
