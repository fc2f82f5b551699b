"""netbench gate: stored runs against a baseline, also after more trials."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The baseline, the runs, and the policy."""
    parser.add_argument("baseline", type=Path, metavar="BASELINE", help="file of --netbench-save-baseline")
    parser.add_argument(
        "directories",
        nargs="*",
        type=Path,
        metavar="DIR",
        help="results directories of one agent's runs, the first one first: each further one is another look"
        " (default: the newest run of pytest)",
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help="policy of the gate (default: a loss of 0.02)")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")


def run(arguments: argparse.Namespace) -> int:
    """Print the verdicts; return 1 unless the gate is passed."""
    from pytest_netbench.gating.baseline import load_baseline  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.gating.judging import judge_run  # noqa: PLC0415
    from pytest_netbench.gating.policy import Policy, load_policy  # noqa: PLC0415
    from pytest_netbench.gating.wording import lines, markdown  # noqa: PLC0415
    from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415

    policy = Policy() if arguments.policy is None else load_policy(arguments.policy)
    baseline = load_baseline(arguments.baseline)
    results: list[TrialResult] = []
    arguments.directories = runs.chosen(arguments.directories)
    for directory in arguments.directories:
        results += ResultsDir(directory).results()
    if not results:
        raise UsageError("no results in " + ", ".join(map(str, arguments.directories)))
    found = judge_run(results, baseline.results, policy, look=len(arguments.directories))
    print(markdown(found) if arguments.markdown else "\n".join(lines(found)))
    return 0 if found.outcome == "passed" else 1
