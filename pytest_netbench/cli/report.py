"""netbench report: make one HTML page of the results of runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.reporting.page.overview import Comparison


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which results, where to, and what they are compared with."""
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help=runs.HELP)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("report.html"), metavar="FILE", help="the page (default: report.html)"
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="show the verdict of the gate: file of --netbench-save-baseline"
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help="policy of the gate (default: a loss of 0.02)")


def run(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is; return 1 if there are no results."""
    from pytest_netbench.reporting.page.writing import check, trials_of, write_page  # imports pydantic
    from pytest_netbench.results.store import ResultsDir
    from pytest_netbench.results.verdicts import with_verdicts

    check(arguments.output)
    if arguments.policy and not arguments.baseline:
        raise UsageError("--policy says how to compare: give --baseline FILE, too")
    arguments.directories = runs.chosen(arguments.directories)
    stores = [ResultsDir(directory) for directory in arguments.directories]
    results, record_of = trials_of(
        ([with_verdicts(store, one) for one in store.results()], store.record_of) for store in stores
    )
    if not results:
        print("no results in " + ", ".join(map(str, arguments.directories)))
        return 1
    size = write_page(
        arguments.output,
        results,
        record_of,
        comparison=_comparison(arguments, results),
        progress=_progress if sys.stderr.isatty() else None,
    )
    print(f"{arguments.output}: {len(results)} trials, {size / 1e6:.1f} MB")
    return 0


def _comparison(arguments: argparse.Namespace, results: Sequence[TrialResult]) -> Comparison | None:
    """What the gate says of the results; each directory is a look."""
    if arguments.baseline is None:
        return None
    from pytest_netbench.regression_gate.baseline import load_baseline  # imports pydantic
    from pytest_netbench.regression_gate.judging import judge_run
    from pytest_netbench.regression_gate.policy import Policy, load_policy
    from pytest_netbench.regression_gate.wording import HEADLINES, entries
    from pytest_netbench.results.merged import lack_of

    for directory in arguments.directories:
        if (lack := lack_of(directory)) is not None:
            return f"NOT JUDGED: {lack}", ()
    policy = Policy() if arguments.policy is None else load_policy(arguments.policy)
    baseline = load_baseline(arguments.baseline)
    found = judge_run(results, baseline.results, policy, look=len(arguments.directories))
    return HEADLINES[found.outcome], tuple(entries(found))


def _progress(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\r{done} of {total} trials", end=end, file=sys.stderr, flush=True)
