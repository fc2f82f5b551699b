"""netbench export atif, netbench export otel: stored trials in the formats of other tools."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs
from pytest_netbench.errors import NetbenchError, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.store import ResultsDir


def run(arguments: argparse.Namespace) -> int:
    """Export the trials of results directories; return 1 if there is none."""
    if arguments.generate:
        raise UsageError(f"{arguments.format} is of trials: give results directories instead of --generate")
    directories = [*arguments.paths, *arguments.results]
    if arguments.content and arguments.format != "otel":
        raise UsageError("--content is for otel; trajectories have all that was said")
    trials = list(_trials(runs.chosen(directories), arguments))
    if arguments.format == "atif":
        return _atif(trials, Path(arguments.output), version=arguments.atif_version)
    return _otel(trials, arguments)


def _trials(directories: Sequence[Path], arguments: argparse.Namespace) -> Iterator[tuple[ResultsDir, TrialResult]]:
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    families, agents, least = set(arguments.family), set(arguments.agent), dict(arguments.min_score)
    for directory in directories:
        store = ResultsDir(directory)
        for result in store.results():
            chosen = (not families or result.family in families) and (not agents or result.agent.id in agents)
            if chosen and reaches(result, least):
                yield store, result


def _atif(trials: Sequence[tuple[ResultsDir, TrialResult]], folder: Path, *, version: str) -> int:
    from pytest_netbench.exports.atif import trajectory  # imports pydantic
    from pytest_netbench.results.files import replace_file, safe_name
    from pytest_netbench.text import plain_json

    if folder.exists() and not folder.is_dir():
        raise UsageError("trajectories are written to a folder, one file each, and this is a file", path=folder)
    left_out: Counter[str] = Counter()
    count = 0
    for store, result in trials:
        try:
            record = store.record_of(result)
            if record is None:
                raise UsageError("no transcript was kept")
            text = plain_json(trajectory(record, result, version=version), indent=1) + "\n"
        except NetbenchError as error:
            left_out[str(error)] += 1
            print(f"{result.node_id} trial {result.trial}: left out: {error}", file=sys.stderr)
            continue
        # trials of several directories may have the same name
        replace_file(folder / f"{safe_name(result.node_id, result.trial, result.started_at)}.json", text)
        count += 1
    print(f"wrote {count} trajectories to {folder}" if count else "there is no trajectory to write")
    for reason, times in left_out.most_common():
        print(f"left out {times}: {reason}")
    return 0 if count else 1


def _otel(trials: Sequence[tuple[ResultsDir, TrialResult]], arguments: argparse.Namespace) -> int:
    from pytest_netbench.exports.otlp import check, export  # imports pydantic

    check(arguments.output, folder=Path.cwd())
    if not trials:
        print("there is no trial to export")
        return 1
    stores = {id(result): store for store, result in trials}
    results = [result for _, result in trials]
    print(
        export(
            results,
            lambda one: stores[id(one)].record_of(one),
            arguments.output,
            folder=Path.cwd(),
            content=arguments.content,
        )
    )
    return 0


def reaches(result: TrialResult, least: Mapping[str, float]) -> bool:
    """Whether each of these scores was measured and is high enough."""
    values = {metric: result.score(metric) for metric in least}
    return all(value is not None and value >= least[metric] for metric, value in values.items())
