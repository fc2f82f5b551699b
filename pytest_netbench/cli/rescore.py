"""netbench rescore: score a stored run again, with no lab and no agent."""

from __future__ import annotations

import argparse
from pathlib import Path

from pytest_netbench.cli import runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which run."""
    parser.add_argument(
        "directory",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="the results directory of a run (default: the newest run of pytest)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print what changed; return 1 if a change is not explained by scorer versions, or if not everything was scored."""
    from pytest_netbench.results.rescore import rescore  # imports pydantic and the scorers

    report = rescore(arguments.directory or runs.chosen(())[0])
    for line in report.lines():
        print(line)
    return 0 if report.same and not report.unscored else 1
