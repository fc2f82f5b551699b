"""Which items of merged directories have no result, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_netbench.results.merged import Lacking
from pytest_netbench.results.opened import NOT_RUN, OpenTrial
from pytest_netbench.results.partition import Partition
from pytest_netbench.results.sources import Key, Keys, Source


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
