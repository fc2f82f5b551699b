"""Results directories that are merged: what each has, which run it is of, and what its trials are known by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_netbench import parts
from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.merged import MergedRun, merged_run, named
from pytest_netbench.results.opened import OpenTrial
from pytest_netbench.results.partition import Partition, StoredShard, differences, stored_shard
from pytest_netbench.results.store import Contents, ResultsDir

Base = tuple[str, str, int]
Key = tuple[str, str, int, str]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A directory that is merged, and what it has."""

    path: Path
    contents: Contents
    shard: StoredShard | None
    merged: MergedRun | None

    @property
    def partition(self) -> Partition | None:
        """Which items belong to the run, if it says so."""
        if self.shard is not None:
            return self.shard.partition
        return None if self.merged is None else self.merged.partition


def read_source(path: Path) -> Source:
    """Read a results directory.

    Raises:
        UsageError: There are no results.
        ResultsError: They cannot be read.
    """
    if not path.is_dir():
        raise UsageError("no such results directory; give the --netbench-results of a run", path=path)
    contents, shard, merged = ResultsDir(path).read(), stored_shard(path), merged_run(path)
    if shard is None and merged is None and not (contents.results or contents.open or contents.not_run):
        raise UsageError("no results here (neither results.jsonl nor results-*.jsonl)", path=path)
    return Source(path=path, contents=contents, shard=shard, merged=merged)


class Keys:
    """What trials are known by. Where a run has a task twice, the node id tells which one it is.

    Args:
        sources: All directories.
        partition: Of the run. Its items are the only ones.
    """

    def __init__(self, sources: Sequence[Source], partition: Partition | None) -> None:
        groups: list[Iterable[tuple[Base, str]]] = [
            ((_base(one), one.node_id) for one in source.contents.results) for source in sources
        ]
        if partition is not None:
            items = partition.items
            groups.append(((one.task_digest, one.agent, one.trial), one.node_id) for one in items)
        self._twins = {base for group in groups for base in _twice(group)}
        self.expected: dict[Key, str] | None = None
        if partition is not None:
            self.expected = {
                self.of(one.task_digest, one.agent, one.trial, one.node_id): one.node_id for one in partition.items
            }
            self._check_belonging(sources)

    def of(self, digest: str, agent: str, trial: int, node_id: str) -> Key:
        """The key of a trial."""
        base = (digest, agent, trial)
        return (*base, node_id if base in self._twins else "")

    def of_result(self, result: TrialResult) -> Key:
        """The key of the trial of a result."""
        return self.of(*_base(result), result.node_id)

    def of_open(self, one: OpenTrial) -> Key:
        """The key of a trial that has begun."""
        return self.of(one.task_digest, one.agent, one.trial, one.node_id)

    def _check_belonging(self, sources: Sequence[Source]) -> None:
        assert self.expected is not None
        for source in sources:
            strange = [one.node_id for one in source.contents.results if self.of_result(one) not in self.expected]
            if strange:
                raise UsageError(
                    f"has results that do not belong to the partition of the shards: {named(strange)}; merge shards and"
                    " what was run of their items only",
                    path=source.path,
                )


def _base(result: TrialResult) -> Base:
    return result.task_digest, result.agent.id, result.trial


def _twice(group: Iterable[tuple[Base, str]]) -> Iterator[Base]:
    counts = Counter(base for base, _ in set(group))
    yield from (base for base, count in counts.items() if count > 1)


def common_partition(sources: Sequence[Source]) -> Partition | None:
    """The partition that all shards have."""
    first: tuple[Source, Partition] | None = None
    for source in sources:
        if source.partition is None:
            continue
        if first is None:
            first = (source, source.partition)
        elif source.partition.digest != first[1].digest:
            different = differences(first[1], source.partition)
            raise UsageError(
                f"{first[0].path} and {source.path} are of different partitions: {named(different)}; shards of one run"
                " have the same tasks, agents, selection, durations and version"
            )
    return None if first is None else first[1]


def lack_of_result(source: Source, result: TrialResult) -> str | None:
    """Why a result is not the whole of a trial; ``None`` if it is."""
    if any((one.node_id, one.trial) == (result.node_id, result.trial) for one in source.contents.open):
        return "was begun again, and did not end"
    if result.status == "error":
        return None
    record = result.transcript or result.sealed
    if record is None:
        return "its record was not kept"
    if not (source.path / record).is_file():
        return f"its record {record} is not in {source.path}"
    have = {score.metric for score in result.scores}
    lacking = [name for name in parts.load("families", result.family).scorers if name not in have]
    return f"lacks the score {lacking[0]}" if lacking else None
