"""Writes a merge as a results directory of one run: results, all files that they name, and what was merged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_netbench import __version__
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.cassettes import CassetteDir
from pytest_netbench.results.files import replace_file
from pytest_netbench.results.merged import MERGED_FILE, MergedRun, SourceInfo
from pytest_netbench.results.merging import Merge
from pytest_netbench.results.pairing import task_id
from pytest_netbench.results.sources import Source
from pytest_netbench.results.store import ResultsDir
from pytest_netbench.text import plain_json

CASSETTES: Final = "cassettes"
"""The folder in a results directory whose cassettes are merged with it."""
DURATIONS: Final = "durations.json"


def write_merge(merge: Merge, folder: Path) -> None:
    """Write a merge to a new folder.

    Raises:
        ResultsError: Something cannot be written.
        OSError: A file cannot be copied.
    """
    for source, result in merge.kept:
        for path in dict.fromkeys(_files(source, result)):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.path / path, target)
    results = [result for _, result in merge.kept]
    ResultsDir(folder).write(results)
    durations = {one.node_id: round(one.duration_s, 3) for one in results if one.status != "error"}
    about = described(merge)
    for name, content in (
        ("run.json", _run(merge.sources)),
        (MERGED_FILE, about.model_dump(mode="json")),
        (DURATIONS, durations),
    ):
        replace_file(folder / name, plain_json(content, indent=1) + "\n")


def described(merge: Merge) -> MergedRun:
    """What a merged directory says of itself."""
    return MergedRun(
        sources=tuple(
            SourceInfo(
                path=str(source.path),
                shard=None if source.shard is None else source.shard.name,
                results=len(source.contents.results),
            )
            for source in merge.sources
        ),
        partial=bool(merge.missing),
        missing=merge.missing,
        skipped=merge.skipped,
        dropped=merge.dropped,
        digest=None if merge.partition is None else merge.partition.digest,
        partition=merge.partition,
    )


def _files(source: Source, result: TrialResult) -> Iterator[Path]:
    """The files of a result, relative to its directory."""
    if result.sealed is not None:
        yield Path(result.sealed)
    if result.transcript is not None:
        yield Path(result.transcript)
        configs = source.path / "configs" / Path(result.transcript).stem
        yield from (path.relative_to(source.path) for path in sorted(configs.glob("*")))
    cassettes = CassetteDir(source.path / CASSETTES)
    kept = cassettes.file(agent=result.agent.id, task=task_id(result), trial=result.trial)
    if kept.is_file():
        yield kept.relative_to(source.path)
    if result.replayed is not None:
        replayed, root = Path(result.replayed.cassette).resolve(), source.path.resolve()
        if replayed.is_relative_to(root) and replayed.is_file():
            yield replayed.relative_to(root)


def _run(sources: Sequence[Source]) -> dict[str, Any]:
    """``run.json`` of the run that began first, with that of each directory."""
    each = [_run_of(source.path) for source in sources]
    first = min((one for one in each if one), key=lambda one: str(one.get("started_at")), default={})
    return {"argv": [], "versions": {"netbench": __version__}, **first, "merged": each}


def _run_of(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
