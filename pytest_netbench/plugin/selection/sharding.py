"""``--netbench-shard``: a part of the selected items is run, and the results say which part of what.

Every process that collects computes the partition, from items and durations that are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_netbench.errors import InputError, ResultsError
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.selection.shard_options import read_durations, weights
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from pytest_netbench.results.partition import Partition

WORKER_DURATIONS: Final = "netbench_shard_durations"
_JUDGED_WHOLE: Final = ("netbench_baseline", "netbench_save_baseline", "netbench_policy", "netbench_markdown")
_BY_CACHE: Final = {"lf": "--lf", "stepwise": "--sw"}


class Sharding:
    """Deselects what other shards run, and says which shard this is.

    Args:
        config: Of the run, which has ``--netbench-shard``.

    Raises:
        pytest.UsageError: Options do not fit, the durations cannot be used, or the directory is of another shard.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._run = run_of(config)
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        self._partition: Partition | None = None
        self._durations: dict[str, float] = {}
        if workerinput:
            self._durations = workerinput[WORKER_DURATIONS]
            return
        _check_options(config)
        if config.option.netbench_shard_durations is not None:
            self._durations = read_durations(Path(config.invocation_params.dir, config.option.netbench_shard_durations))

    @property
    def _name(self) -> str:
        assert self._run.shard is not None
        return "{}/{}".format(*self._run.shard)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Give a worker the durations."""
        node.workerinput[WORKER_DURATIONS] = self._durations

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Divide what is selected by then; tests that are no items of tasks are run by the first shard."""
        from pytest_netbench.results.partition import partition_of  # imports pydantic

        assert self._run.shard is not None
        shard, shards = self._run.shard
        known = [_known(item) for item in items if isinstance(item, TaskItem)]
        self._partition = partition_of(known, weights((one[0] for one in known), self._durations), shards)
        mine = {one.node_id for one in self._partition.of_shard(shard)}
        left = [item for item in items if (clean(item.nodeid) in mine if isinstance(item, TaskItem) else shard == 1)]
        kept = set(left)
        if len(left) < len(items):
            config.hook.pytest_deselected(items=[item for item in items if item not in kept])
            items[:] = left

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the partition beside the results, also of a shard that has nothing to run."""
        if self._partition is None or self._run.selftest or session.config.option.collectonly or session.testsfailed:
            return
        from pytest_netbench.results.partition import store_shard  # imports pydantic

        assert self._run.shard is not None
        try:
            store_shard(self._run.results, self._run.shard[0], self._partition)
        except (InputError, ResultsError) as error:
            if not self._run.is_worker:
                raise pytest.UsageError(str(error)) from error
            _refuse(session, str(error))

    def pytest_report_collectionfinish(self) -> list[str]:
        """Say how much of the run it is, in a run of one process."""
        return self._lines()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Say it once in a run with workers, which have divided the items."""
        if self._partition is not None:
            return
        self._partition = self._stored()
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            for line in self._lines():
                reporter.write_line(line)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A shard for which nothing is left is no failure, if there is something for others."""
        nothing = session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED
        if nothing and self._partition is not None and self._partition.items and not self._run.is_worker:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say it again beside the summary."""
        for line in self._lines():
            terminalreporter.write_line(line)

    def _lines(self) -> list[str]:
        if self._partition is None:
            return []
        assert self._run.shard is not None
        mine, every = len(self._partition.of_shard(self._run.shard[0])), len(self._partition.items)
        items = "item" if every == 1 else "items"
        return [f"netbench: shard {self._name}: {mine} of {every} {items} (partition {self._partition.digest[:12]})"]

    def _stored(self) -> Partition | None:
        from pytest_netbench.results.partition import stored_shard  # imports pydantic

        try:
            stored = stored_shard(self._run.results)
        except ResultsError:
            return None
        return None if stored is None else stored.partition


def _refuse(session: pytest.Session, text: str) -> None:
    """Run nothing, and let the controller say why: what a worker raises here it shows as its own error."""
    session.items[:] = []
    report = pytest.CollectReport(nodeid="netbench", outcome="failed", longrepr=text, result=[])
    session.config.hook.pytest_collectreport(report=report)


def _known(item: TaskItem) -> tuple[str, str, int, str]:
    """Node id, agent, trial and digest of an item."""
    agent = "" if item.agent_choice is None else item.agent_choice.id
    digest = ""
    if item.task is not None:
        digest = item.task.digest if item.sealed is None else item.sealed.digest_of(item.task)
    return clean(item.nodeid), agent, item.number, digest


def _check_options(config: pytest.Config) -> None:
    """Refuse what would judge a part, or select by what only this machine knows; and the directory of another shard."""
    option, run = config.option, run_of(config)
    for name in _JUDGED_WHOLE:
        if getattr(option, name) is not None:
            raise pytest.UsageError(
                f"--netbench-shard runs a part: leave --{name.replace('_', '-')} out, and judge all shards together:"
                " netbench merge DIR… -o DIR --baseline FILE"
            )
    for name, shown in _BY_CACHE.items():
        if getattr(option, name, False):
            raise pytest.UsageError(f"{shown} selects by the cache of this machine: it cannot be with --netbench-shard")
    if option.collectonly or run.selftest:
        return
    check_directory(run.results, run.shard)


def check_directory(results: Path, shard: tuple[int, int] | None) -> None:
    """Refuse a results directory of another shard before anything is collected.

    Raises:
        pytest.UsageError: It is one.
    """
    from pytest_netbench.results.partition import stored_shard  # imports pydantic

    try:
        stored = stored_shard(results)
    except ResultsError as error:
        raise pytest.UsageError(str(error)) from error
    if stored is None:
        if shard is not None and any(results.glob("results*.jsonl")):
            raise pytest.UsageError(f"{results}: has results of no shard: give each shard a directory of its own")
        return
    if shard is None:
        raise pytest.UsageError(
            f"{results}: has results of shard {stored.name}: give --netbench-shard={stored.name}, too"
        )
    if shard != (stored.shard, stored.partition.shards):
        raise pytest.UsageError(
            f"{results}: has results of shard {stored.name}, and not of shard {shard[0]}/{shard[1]}: give each shard a"
            " directory of its own"
        )
