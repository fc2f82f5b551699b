"""``--netbench-resume``: trials that an earlier run has finished are not run again.

The results directory is read once, in the process that reads the command line. Workers are given what is done: results
that are written meanwhile must not change what they collect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from pytest_netbench import parts
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.plugin.items.item import TaskItem
from pytest_netbench.plugin.selection.sharding import check_directory
from pytest_netbench.plugin.settings.run_options import run_of
from pytest_netbench.text import clean

if TYPE_CHECKING:
    from pytest_netbench.model.trial import AgentInfo, TrialResult
    from pytest_netbench.plugin.settings.run_options import Run

WORKER_DONE: Final = "netbench_done"


class Done(NamedTuple):
    """A trial that need not be run again, as long as its task is the same."""

    node_id: str
    trial: int
    digest: str


class Resumed:
    """Leaves out what is done, and gives its results to the summary.

    Args:
        config: Of the run.

    Raises:
        pytest.UsageError: The results cannot be read.
    """

    def __init__(self, config: pytest.Config) -> None:
        workerinput: Mapping[str, Any] = getattr(config, "workerinput", {})
        self.results: dict[Done, TrialResult] = {}
        """Results that were scored; in workers empty."""
        if WORKER_DONE in workerinput:
            self._done = {Done(*one) for one in workerinput[WORKER_DONE]}
            return
        run = run_of(config)
        if run.shard is None:
            check_directory(run.results, None)
        try:
            self.results = dict(_scored(run))
        except (ResultsError, UsageError) as error:
            raise pytest.UsageError(str(error)) from error
        self._done = set(self.results)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Deselect what is done, of what is selected: shards are made of all items of the run."""
        done = [item for item in items if _key(item) in self._done]
        if done:
            config.hook.pytest_deselected(items=done)
            items[:] = [item for item in items if _key(item) not in self._done]

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what is done."""
        node.workerinput[WORKER_DONE] = [list(one) for one in sorted(self._done)]

    def kept(self) -> list[TrialResult]:
        """The results of earlier runs that count in this one."""
        return list(self.results.values())

    def changed(self, result: TrialResult) -> str | None:
        """What to say if the agent of ``result`` is another one than in earlier results."""
        earlier = next((one for one in self.results.values() if one.agent.id == result.agent.id), None)
        if earlier is None or result.status == "error" or _same(earlier.agent, result.agent):
            return None
        return (
            f"agent {result.agent.id} was changed since {earlier.started_at}: the results are of two agents; begin anew"
            " without --netbench-resume"
        )


def _scored(run: Run) -> Iterator[tuple[Done, TrialResult]]:
    """Results that are complete: the agent was judged, all was kept, and no score is missing that is made later."""
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    if not run.results.is_dir():
        raise UsageError("no such results directory; give the --netbench-results of a run", path=run.results)
    contents = ResultsDir(run.results).read()
    begun_again = {(one.node_id, one.trial) for one in contents.open}
    for result in contents.results:
        if result.status == "error" or (result.node_id, result.trial) in begun_again:
            continue
        # the controller's line may be there although the worker died before it kept the transcript
        if result.transcript is None and result.sealed is None:
            continue
        expected = run.scorer_names(parts.load("families", result.family).scorers)
        if set(expected) <= {score.metric for score in result.scores}:
            yield Done(result.node_id, result.trial, result.task_digest), result


def _key(item: pytest.Item) -> Done | None:
    if not isinstance(item, TaskItem) or item.task is None or item.agent_choice is None:
        return None
    digest = item.task.digest if item.sealed is None else item.sealed.digest_of(item.task)
    return Done(clean(item.nodeid), item.number, digest)


def _same(one: AgentInfo, other: AgentInfo) -> bool:
    return one.model_dump() == other.model_dump()
