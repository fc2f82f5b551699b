"""Collection of items from task files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_netbench.errors import InputError, TaskFileError
from pytest_netbench.plugin.items import item as items
from pytest_netbench.plugin.items.failures import cleaned
from pytest_netbench.plugin.items.item import TaskCollector, TaskItem
from pytest_netbench.plugin.items.node_ids import SUFFIXES, file_source, is_from_a_task
from pytest_netbench.plugin.settings.run_options import SELFTEST, Run, label_of, run_of

if TYPE_CHECKING:
    from pytest_netbench.generators.sources import Source
    from pytest_netbench.model.task import Task
    from pytest_netbench.results.reference import ReferenceStore

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
    """Show errors outside the call like those in it, and list a skipped task under its own file."""
    report = yield
    if not isinstance(item, TaskItem):
        return report
    if report.failed and call.excinfo is not None:
        report.longrepr = item.repr_failure(call.excinfo)
    elif report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        report.longrepr = (_place(item, reason), 1, cleaned(reason))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line for each reason why tasks were skipped, unless pytest lists skips itself."""
    if terminalreporter.hasopt("skipped"):
        return
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple) and is_from_a_task(report.nodeid)
    )
    for reason, count in reasons.items():
        tasks = "1 task" if count == 1 else f"{count} tasks"
        terminalreporter.write_line(f"netbench: {tasks} skipped: {cleaned(reason)}", yellow=True)


class TaskFile(pytest.File, TaskCollector):
    """A task file: one item per agent and trial, or one for the self-test."""

    item_type = TaskItem

    def collect(self) -> Iterable[TaskItem]:
        return items_of(self, file_source(self.path, self.config))


def items_of(parent: TaskCollector, source: Source) -> Iterator[TaskItem]:
    """The items of the task of ``source``: trials, or its self-test."""
    run = run_of(parent.config)
    try:
        task = source.load()
    except InputError as error:
        yield items.broken(parent, name=source.stem, error=_nearer(error, parent.config.rootpath))
        return
    lack = _no_testcase(task, source, parent)
    if lack is None and run.agents and not run.selftest and not is_sealed(source):
        lack = _no_reference(task, source, parent)
    if lack is not None:
        yield items.broken(parent, name=source.stem, error=lack)
    elif run.selftest:
        yield _marked(items.selftest(parent, task, name=source.item_name(task, SELFTEST)), task)
    elif not run.agents and run.refused:
        return  # no agent can start, and the gate says so
    elif not run.agents:
        skipped = _marked(items.unassigned(parent, task, name=source.item_name(task)), task)
        skipped.add_marker(pytest.mark.skip(reason=NO_AGENT))
        yield skipped
    else:
        yield from _matrix(parent, run, task, source)


def is_sealed(source: Source) -> bool:
    """Whether ``source`` is a task of a bundle, which holds its records."""
    from pytest_netbench.generators.sealed import SealedSource  # imports pydantic

    return isinstance(source, SealedSource)


def _no_testcase(task: Task, source: Source, parent: pytest.Collector) -> InputError | None:
    """The error of a task that every answer would pass."""
    from pytest_netbench.taskfile.places import Places  # imports pydantic
    from pytest_netbench.taskfile.review import NO_TESTCASES, lacks_testcases  # imports pydantic

    if not lacks_testcases(task):
        return None
    if not parent.path.is_file() or is_sealed(source):
        return TaskFileError(NO_TESTCASES, path=str(source))
    line, column = Places(parent.path).of(("testcases",))
    return TaskFileError(NO_TESTCASES, path=_relative(parent.path, parent.config.rootpath), line=line, column=column)


def _no_reference(task: Task, source: Source, parent: pytest.Collector) -> InputError | None:
    """The error of a task whose testcases compare with a record that there is not."""
    from pytest_netbench.results.reference import lack_of  # imports pydantic

    path = _relative(parent.path, parent.config.rootpath) if parent.path.is_file() else str(source)
    lack = lack_of(task, references_of(parent), Path(path))
    return None if lack is None else TaskFileError(lack, path=path)


def references_of(node: pytest.Collector | pytest.Item) -> ReferenceStore:
    """The recorded behaviours near the task of ``node``."""
    from pytest_netbench.lab.resources import by_kind  # imports pydantic
    from pytest_netbench.results.reference import ReferenceStore

    folder = node.path if node.path.is_dir() else node.path.parent
    backend = by_kind(run_of(node.config).backend)["lab"]
    return ReferenceStore.around(folder, root=node.config.rootpath, backend=backend)


def _nearer(error: InputError, root: Path) -> InputError:
    """``error`` with the path as seen from the rootdir."""
    if error.path is None:
        return error
    return TaskFileError(error.message, path=_relative(Path(error.path), root), line=error.line, column=error.column)


def _matrix(parent: TaskCollector, run: Run, task: Task, source: Source) -> Iterator[TaskItem]:
    for agent in run.agents:
        for number in range(1, run.trials + 1):
            name = source.item_name(task, label_of(agent, number))
            yield _marked(items.trial(parent, task, name=name, agent=agent, number=number), task)


def _marked(item: TaskItem, task: Task) -> TaskItem:
    """``item`` with what ``-m`` and ``-k`` select by: a mark for each tag, each with everything else, and keywords."""
    drawn = task.drawn
    for tag in task.tags or (None,):
        mark = pytest.mark.netbench(
            name=task.slug,
            task=task.slug,
            tag=tag,
            domain=task.domain,
            family=task.family,
            difficulty=task.difficulty,
            platform=task.network.platform if task.has_network else None,
            label=None if drawn is None else drawn.label,
            level=None if drawn is None else drawn.level,
            agent=None if item.agent_choice is None else item.agent_choice.id,
            trial=None if item.agent_choice is None else item.number,
        )
        item.add_marker(mark)
    words = () if drawn is None else (drawn.generator, drawn.label)
    item.extra_keyword_matches.update(word for word in (task.slug, task.domain, *task.tags, *words) if word)
    return item


def _is_draft(path: Path) -> bool:
    return path.suffix == ".json" and b'"task_name"' in path.read_bytes()


def _relative(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _place(item: TaskItem, reason: str) -> str:
    """Where pytest lists a skipped item: its file, or the folder directly under the rootdir, or its series of draws."""
    path, root = item.path, item.config.rootpath
    if item.parent is not None and not isinstance(item.parent, pytest.File):
        return item.parent.name
    if NO_AGENT not in reason:
        return str(path)
    return str(root / path.relative_to(root).parts[0] if path.is_relative_to(root) else path.parent)
