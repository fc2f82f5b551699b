"""How the items of a run are divided among shards: the same on every machine. Pure, but for ``shard.json``.

A shard keeps the whole partition beside its results, so that whoever merges shards knows what belongs to a run.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import ValidationError

from pytest_netbench import __version__
from pytest_netbench.errors import ResultsError, UsageError
from pytest_netbench.model.base import Recorded
from pytest_netbench.text import plain_json

SHARD_FILE: Final = "shard.json"


class PartitionItem(Recorded):
    """An item of a run, and the shard that runs it. An item of an invalid task has no agent and no digest."""

    node_id: str
    agent: str = ""
    trial: int = 1
    task_digest: str = ""
    shard: int


class Partition(Recorded):
    """All selected items of a run, sorted by node id, and the number of its shards."""

    netbench: str = __version__
    shards: int
    items: tuple[PartitionItem, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the partition: equal only if the same items of the same tasks are divided in the same way."""
        data = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(data.encode(errors="surrogatepass")).hexdigest()

    def of_shard(self, shard: int) -> tuple[PartitionItem, ...]:
        """The items of one shard."""
        return tuple(one for one in self.items if one.shard == shard)


class OfPartition(Recorded):
    """What a file says of a results directory: the partition of its run, if there is one, and its digest."""

    digest: str | None = None
    partition: Partition | None = None


R = TypeVar("R", bound=OfPartition)


class StoredShard(OfPartition):
    """The content of ``shard.json``: which shard of which partition a results directory is of."""

    format: Literal[1] = 1
    shard: int
    digest: str
    partition: Partition

    @property
    def name(self) -> str:
        """For people: ``2/4``."""
        return f"{self.shard}/{self.partition.shards}"


def divided(weights: Mapping[str, int], shards: int) -> dict[str, int]:
    """Return the shard of each name, from 1: the heaviest first, each to the shard that has least to do so far.

    What weighs alike is mixed by a digest of its name: by name, a shard might get all items of one agent.

    Args:
        weights: By name, e.g. milliseconds. Whole numbers, so that sums are the same on every machine.
        shards: How many there are.
    """
    loads = [(0, 0)] * shards
    found: dict[str, int] = {}
    for name in sorted(weights, key=lambda name: (-weights[name], _mixed(name), name)):
        least = min(range(shards), key=loads.__getitem__)
        weight, count = loads[least]
        loads[least] = (weight + weights[name], count + 1)
        found[name] = least + 1
    return found


def _mixed(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()


def partition_of(items: Iterable[tuple[str, str, int, str]], weights: Mapping[str, int], shards: int) -> Partition:
    """Return the partition of items.

    Args:
        items: Node id, id of the agent, number of the trial and digest of the task of each.
        weights: By node id.
        shards: How many there are.
    """
    shard_of = divided(weights, shards)
    made = {
        node_id: PartitionItem(
            node_id=node_id, agent=agent, trial=trial, task_digest=task_digest, shard=shard_of[node_id]
        )
        for node_id, agent, trial, task_digest in items
    }
    return Partition(shards=shards, items=tuple(made[name] for name in sorted(made)))


def store_shard(folder: Path, shard: int, partition: Partition) -> None:
    """Write ``shard.json``, or check that the one that is there is the same. Several processes may do so at a time.

    Raises:
        UsageError: The directory is of another shard or partition.
        ResultsError: It cannot be written.
    """
    stored = StoredShard(shard=shard, digest=partition.digest, partition=partition)
    beside = folder / f".{SHARD_FILE}.{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_text(plain_json(stored.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")
            _place(beside, folder / SHARD_FILE)
        except FileExistsError:
            check_same(stored_shard(folder), stored, folder)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise ResultsError(f"{folder / SHARD_FILE}: cannot be written: {error.strerror}") from error


def _place(path: Path, target: Path) -> None:
    """Give a file its name, unless there is one; some file systems of networks have no links."""
    try:
        os.link(path, target)
    except OSError as error:
        if error.errno not in {errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EACCES}:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        path.replace(target)


def check_same(there: StoredShard | None, asked: StoredShard, folder: Path) -> None:
    """Check that a directory is of the shard that is asked for.

    Raises:
        UsageError: It is not.
    """
    if there is None or (there.shard, there.partition.shards) != (asked.shard, asked.partition.shards):
        what = "no shard" if there is None else f"shard {there.name}"
        raise UsageError(
            f"has results of {what}, and not of shard {asked.name}; give each shard a directory of its own", path=folder
        )
    if there.digest != asked.digest:
        raise UsageError(
            f"shard {there.name} of another partition ({_difference(there.partition, asked.partition)}); tasks, agents,"
            " selection and durations must be those of the run that is gone on with",
            path=folder,
        )


def stored_shard(folder: Path) -> StoredShard | None:
    """Return which shard a results directory is of; ``None`` if it is of none.

    Raises:
        ResultsError: ``shard.json`` cannot be read, or was changed.
    """
    return read_checked(folder / SHARD_FILE, StoredShard, what="shard")


def read_checked(path: Path, model: type[R], *, what: str) -> R | None:
    """Return what a file says of a results directory, whose digest is that of its partition; ``None`` without a file.

    Raises:
        ResultsError: It cannot be read, or was changed.
    """
    try:
        found = model.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]["msg"]
        raise ResultsError(f"{path}: not a {what} that netbench {__version__} can read: {first}") from error
    if found.partition is not None and found.digest != found.partition.digest:
        raise ResultsError(f"{path}: was changed: its digest is not that of its items")
    return found


def _difference(one: Partition, other: Partition) -> str:
    """The first difference of two partitions, in words."""
    return next(iter(differences(one, other)), "equal")


def differences(one: Partition, other: Partition) -> list[str]:
    """Return how two partitions differ, in words."""
    if one.shards != other.shards:
        return [f"{one.shards} shards and {other.shards}"]
    if one.netbench != other.netbench:
        return [f"made by netbench {one.netbench} and {other.netbench}"]
    first, second = ({item.node_id: item for item in side.items} for side in (one, other))
    found = [f"{name} is in only one of them" for name in sorted(first.keys() ^ second.keys())]
    for name in sorted(first.keys() & second.keys()):
        if first[name].task_digest != second[name].task_digest:
            found.append(f"{name} is not the same task")
        elif first[name] != second[name]:
            found.append(f"{name} is in shard {first[name].shard} and in shard {second[name].shard}")
    return found
