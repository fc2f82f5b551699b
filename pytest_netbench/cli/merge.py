"""netbench merge: join shards, resumed runs, or results of several machines into the results of one run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.regression_gate.judging import Judgement
    from pytest_netbench.results.merging import Merge

MOST_NAMED = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is joined, where to, and what it is judged by."""
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="results directories of one run")
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        required=True,
        metavar="DIR",
        help="the results directory that is written: a new one",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="go on if items are missing; the result is marked, and no gate passes on it",
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="judge it by the gate: file of --netbench-save-baseline"
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help="policy of the gate (default: a loss of 0.02)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="without --baseline, end with status 1 if a trial did not pass, as pytest does",
    )
    parser.add_argument("--save-baseline", type=Path, metavar="FILE", help="write the scored trials as a new baseline")
    parser.add_argument(
        "--plain-junit",
        action="store_true",
        help="leave properties of test cases out of junit.xml, for readers that validate",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the directory; return 1 if items are missing, the gate is not passed, or ``--check`` finds a failure."""
    from pytest_netbench.cli.mergereports import write_reports  # imports pydantic
    from pytest_netbench.results.files import new_directory
    from pytest_netbench.results.mergewriting import write_merge
    from pytest_netbench.results.merging import merge
    from pytest_netbench.results.sources import read_source

    target: Path = arguments.output
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} exists: give a new directory with -o")
    judge = _judge_of(arguments)
    merged = merge([read_source(path) for path in arguments.directories])
    if merged.missing and not arguments.partial:
        for line in _missing(merged):
            print(f"netbench: {line}", file=sys.stderr)
        print(
            "netbench: nothing was written. Run them (a shard that was cut off: --netbench-resume), or add --partial",
            file=sys.stderr,
        )
        return 1
    judgement = judge(merged)
    with new_directory(target) as folder:
        write_merge(merged, folder)
        notes = write_reports(
            merged, folder, judgement=judgement, shown=str(target), properties=not arguments.plain_junit
        )
    return _tell(merged, arguments, judgement, notes)


def _judge_of(arguments: argparse.Namespace) -> Any:
    """What judges a merge; the files of the gate are read before anything is done."""
    from pytest_netbench.regression_gate.baseline import load_baseline  # imports pydantic
    from pytest_netbench.regression_gate.judging import judge_run
    from pytest_netbench.regression_gate.policy import Policy, load_policy

    if arguments.baseline is None:
        if arguments.policy is not None:
            raise UsageError("--policy says how to compare: give --baseline FILE, too")
        return lambda _: None
    policy = Policy() if arguments.policy is None else load_policy(arguments.policy)
    baseline = load_baseline(arguments.baseline).results

    def judge(merged: Merge) -> Judgement | None:
        return None if merged.missing else judge_run([one for _, one in merged.kept], baseline, policy)

    return judge


def _tell(merged: Merge, arguments: argparse.Namespace, judgement: Judgement | None, notes: list[str]) -> int:
    """Print what came out; return the exit status."""
    from pytest_netbench.regression_gate.baseline import save_baseline  # imports pydantic
    from pytest_netbench.regression_gate.wording import lines
    from pytest_netbench.reporting.terminal import summary_lines

    results = [one for _, one in merged.kept]
    print(*summary_lines(results, width=get_terminal_size().columns), sep="\n")
    print(*_about(merged), *notes, f"results: {arguments.output}", sep="\n")
    status = int(arguments.check and any(one.status != "passed" for one in results))
    if judgement is not None:
        print(*lines(judgement), sep="\n")
        status = int(judgement.outcome != "passed")
    if merged.missing and (arguments.baseline or arguments.save_baseline):
        print("NOT JUDGED: a partial merge is neither judged nor saved as a baseline")
        return 1
    if arguments.save_baseline:
        count = save_baseline(arguments.save_baseline, results)
        print(f"baseline of {count} trials: {arguments.save_baseline}")
    return status


def _about(merged: Merge) -> Iterator[str]:
    shards = [source.shard for source in merged.sources if source.shard is not None]
    which = ", ".join(one.name for one in sorted(shards, key=lambda one: one.shard))
    shown = f" (shards {which})" if shards else ""
    yield f"merged: {len(merged.kept)} trials of {len(merged.sources)} directories{shown}"
    dropped = merged.dropped
    kinds = (
        (dropped.errors, "infrastructure errors of finished trials"),
        (dropped.later, "that started later than another one"),
        (dropped.copies, "copies"),
    )
    how = ", ".join(f"{count} {what}" for count, what in kinds if count)
    yield f"dropped: {dropped.total} results of trials that were run more than once" + (f": {how}" if how else "")
    if merged.skipped:
        yield f"skipped: {len(merged.skipped)} trials that a machine could not run"
        yield from (f"  {one}" for one in merged.skipped[:MOST_NAMED])
    torn = sum(len(source.contents.torn) for source in merged.sources)
    if torn:
        yield f"not read: {torn} incomplete lines of processes that were killed"
    if merged.missing:
        yield "PARTIAL: no gate passes on these results"
        yield from _missing(merged)


def _missing(merged: Merge) -> Iterator[str]:
    count = len(merged.missing)
    yield f"{count} {'item is' if count == 1 else 'items are'} missing:"
    yield from (f"  {one}" for one in merged.missing[:MOST_NAMED])
    if count > MOST_NAMED:
        yield f"  and {count - MOST_NAMED} more"
