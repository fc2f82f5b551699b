"""Joins results directories: shards of a run, runs that were gone on with, results of several machines.

Reads and decides; writing is apart. What comes out does not depend on the order of the directories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_netbench.errors import UsageError
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.merged import Dropped, Lacking, named
from pytest_netbench.results.opened import NOT_RUN, OpenTrial
from pytest_netbench.results.partition import Partition
from pytest_netbench.results.sources import Key, Keys, Source, common_partition, lack_of_result
from pytest_netbench.text import plain_json


def without_result(
    sources: Sequence[Source],
    partition: Partition | None,
    keys: Keys,
    kept: Iterable[Key],
    broken: Mapping[Key, str],
) -> tuple[tuple[Lacking, ...], tuple[Lacking, ...]]:
    """Items that are missing, and those that were skipped."""
    have = set(kept)
    missing = dict(_expected(sources, partition, keys))
    skipped: dict[Key, Lacking] = {}
    for source in sources:
        for begun in source.contents.not_run:
            told = missing if begun.reason == NOT_RUN else skipped
            told[keys.of_open(begun)] = _of_open(begun, begun.reason or "skipped")
        for lack in source.merged.skipped if source.merged else ():
            skipped[keys.of(lack.task_digest, lack.agent, lack.trial, lack.node_id)] = lack
    for source in sources:
        for result in source.contents.results:
            if (key := keys.of_result(result)) in broken:
                agent, trial, digest = result.agent.id, result.trial, result.task_digest
                missing[key] = _lacking(result.node_id, agent, trial, digest, broken[key])
                skipped.pop(key, None)
        for begun in source.contents.open:
            missing[keys.of_open(begun)] = _of_open(begun, f"was begun at {begun.started_at}, and did not end")
            skipped.pop(keys.of_open(begun), None)
    lacking = {key: one for key, one in missing.items() if key not in have and key not in skipped}
    left = {key: one for key, one in skipped.items() if key not in have}
    if keys.expected is not None:
        lacking, left = ({key: side[key] for key in keys.expected if key in side} for side in (lacking, left))
    return _sorted(lacking), _sorted(left)


def _expected(sources: Sequence[Source], partition: Partition | None, keys: Keys) -> Iterator[tuple[Key, Lacking]]:
    """All items of the partition, and why each would be missing; without one, what was missing in earlier merges."""
    before = {
        keys.of(one.task_digest, one.agent, one.trial, one.node_id): one
        for source in sources
        if source.merged is not None
        for one in source.merged.missing
    }
    yield from before.items()
    for one in () if partition is None else partition.items:
        given = any(source.shard is not None and source.shard.shard == one.shard for source in sources)
        key = keys.of(one.task_digest, one.agent, one.trial, one.node_id)
        why = f"was not run by shard {one.shard}" if given else f"of shard {one.shard}, which is not there"
        if given or key not in before:
            yield key, _lacking(one.node_id, one.agent, one.trial, one.task_digest, why)


def _of_open(one: OpenTrial, why: str) -> Lacking:
    return _lacking(one.node_id, one.agent, one.trial, one.task_digest, why)


def _lacking(node_id: str, agent: str, trial: int, task_digest: str, why: str) -> Lacking:
    return Lacking(node_id=node_id, agent=agent, trial=trial, task_digest=task_digest, why=why)


def _sorted(lacking: Mapping[Key, Lacking]) -> tuple[Lacking, ...]:
    return tuple(sorted(lacking.values(), key=lambda one: (one.node_id, one.trial)))


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What comes out.

    Attributes:
        sources: The directories, as given.
        partition: Of the run; ``None`` if no directory has one.
        kept: The results, sorted by node id and trial, and where each comes from.
        missing: Items that have no result, and why.
        skipped: Items that a machine could not run, as in a run of one machine.
        dropped: How many results were left out for others of the same trial.
    """

    sources: tuple[Source, ...]
    partition: Partition | None
    kept: tuple[tuple[Source, TrialResult], ...]
    missing: tuple[Lacking, ...]
    skipped: tuple[Lacking, ...]
    dropped: Dropped


def merge(sources: Sequence[Source]) -> Merge:
    """Join directories.

    A trial is known by the digest of its task, its agent and its number. Of two results of one trial, a finished one
    wins over an infrastructure error; of two of a kind the one that started earlier.

    Raises:
        UsageError: They are not of one run.
    """
    partition = common_partition(sources)
    keys = Keys(sources, partition)
    found: dict[Key, list[tuple[Source, TrialResult]]] = {}
    broken: dict[Key, str] = {}
    for source in sources:
        for result in source.contents.results:
            if (lack := lack_of_result(source, result)) is None:
                found.setdefault(keys.of_result(result), []).append((source, result))
            else:
                broken[keys.of_result(result)] = lack
    kept = {key: min(several, key=_rank) for key, several in found.items()}
    _check_tasks(kept.values())
    _check_agents(kept.values())
    missing, skipped = without_result(sources, partition, keys, kept.keys(), broken)
    return Merge(
        sources=tuple(sources),
        partition=partition,
        kept=tuple(sorted(kept.values(), key=lambda one: (one[1].node_id, one[1].trial))),
        missing=missing,
        skipped=skipped,
        dropped=_dropped(found.values()),
    )


def _rank(one: tuple[Source, TrialResult]) -> tuple[bool, str, str, str]:
    """What is smaller wins. The last part makes the choice between copies the same in any order."""
    result = one[1]
    return (result.status == "error", result.started_at, result.node_id, plain_json(result.model_dump(mode="json")))


def _dropped(groups: Iterable[Sequence[tuple[Source, TrialResult]]]) -> Dropped:
    counts: Counter[str] = Counter()
    for group in groups:
        ranked = sorted(group, key=_rank)
        won = ranked[0][1]
        for _, lost in ranked[1:]:
            same = (lost.status == "error") == (won.status == "error")
            copy = same and (lost.node_id, lost.started_at) == (won.node_id, won.started_at)
            counts["copies" if copy else "later" if same else "errors"] += 1
    return Dropped(**counts)


def _check_tasks(kept: Iterable[tuple[Source, TrialResult]]) -> None:
    """Refuse two tasks under one node id: a results directory has room for one."""
    seen: dict[tuple[str, int], tuple[Source, TrialResult]] = {}
    for source, result in kept:
        other = seen.setdefault((result.node_id, result.trial), (source, result))
        if other[1] is not result:
            raise UsageError(
                f"{result.node_id} is not the same task in {other[0].path} (digest {other[1].task_digest}) and"
                f" {source.path} (digest {result.task_digest}); merge results of the same tasks"
            )


def _check_agents(kept: Iterable[tuple[Source, TrialResult]]) -> None:
    """Refuse two agents under one id."""
    seen: dict[str, tuple[Source, TrialResult]] = {}
    for source, result in kept:
        if result.status == "error":
            continue
        other, first = seen.setdefault(result.agent.id, (source, result))
        one, two = first.agent.model_dump(mode="json"), result.agent.model_dump(mode="json")
        if one != two:
            raise UsageError(
                f"agent {result.agent.id} is not the same in {other.path} and {source.path}:"
                f" {named(sorted(_different(one, two)))} differ; merge results of one agent"
            )


def _different(one: Mapping[str, object], two: Mapping[str, object]) -> Iterator[str]:
    """The names of values that differ, those of settings by their own."""
    for name in {*one, *two}:
        first, second = one.get(name), two.get(name)
        if isinstance(first, dict) and isinstance(second, dict):
            yield from (f"{name}.{inner}" for inner in _different(first, second))
        elif first != second:
            yield name
