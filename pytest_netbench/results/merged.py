"""What a merged results directory says of itself, ``merged.json``; and whether a directory has a whole run."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pytest_netbench.model.base import Recorded
from pytest_netbench.results.partition import OfPartition, read_checked, stored_shard
from pytest_netbench.results.store import ResultsDir

MERGED_FILE: Final = "merged.json"


class Lacking(Recorded):
    """An item without a result, and why."""

    node_id: str
    agent: str
    trial: int
    task_digest: str
    why: str

    def __str__(self) -> str:
        return f"{self.node_id}: {self.why}"


class Dropped(Recorded):
    """How many results of trials were dropped that another directory has, too.

    ``errors``: infrastructure errors, for a finished trial. ``later``: for one that started earlier. ``copies``: for
    the same.
    """

    errors: int = 0
    later: int = 0
    copies: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.errors + self.later + self.copies


class SourceInfo(Recorded):
    """A directory that was merged: its path as given, which shard it is of, and how many results it has."""

    path: str
    shard: str | None = None
    results: int


class MergedRun(OfPartition):
    """The content of ``merged.json``. ``partial``: items were missing, and the merge was to go on without them."""

    format: Literal[1] = 1
    sources: tuple[SourceInfo, ...]
    partial: bool
    missing: tuple[Lacking, ...] = ()
    skipped: tuple[Lacking, ...] = ()
    dropped: Dropped = Dropped()


def merged_run(folder: Path) -> MergedRun | None:
    """Return what a merged directory says of itself; ``None`` if it is not a merged one.

    Raises:
        ResultsError: ``merged.json`` cannot be read, or was changed.
    """
    return read_checked(folder / MERGED_FILE, MergedRun, what="merge")


def lack_of(folder: Path) -> str | None:
    """Why the results in a directory are only a part of a run; ``None`` if they are not, as far as it says.

    Raises:
        ResultsError: It cannot be read.
    """
    shard = stored_shard(folder)
    if shard is not None and shard.partition.shards > 1:
        return f"{folder} is shard {shard.name} of a run, which is not judged: merge all shards with `netbench merge`"
    merged = merged_run(folder)
    if merged is None or not merged.partial:
        return None
    have = {(one.node_id, one.trial) for one in ResultsDir(folder).results()}
    missing = [one.node_id for one in merged.missing if (one.node_id, one.trial) not in have]
    if not missing:
        return None
    are = "1 item is" if len(missing) == 1 else f"{len(missing)} items are"
    return (
        f"{folder} is a partial merge, which is not judged: {are} missing ({named(missing)}); run what is missing, and"
        " merge again"
    )


def named(names: list[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
