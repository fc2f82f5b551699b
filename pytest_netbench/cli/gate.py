"""netbench gate: stored runs against a baseline, also after more trials."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_netbench.cli import runs
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.regression_gate.policy import Policy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The baseline, the runs, and the policy."""
    parser.add_argument("baseline", type=Path, nargs="?", metavar="BASELINE", help="file of --netbench-save-baseline")
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
    parser.add_argument(
        "--plan",
        action="store_true",
        help="judge nothing; print which loss eight of ten gates find, by tasks and trials",
    )
    parser.add_argument(
        "--share",
        type=_share,
        metavar="S",
        help="with --plan: how often the baseline passes (default: of BASELINE, or 0.8)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the verdicts, or the plan; return 1 unless the gate is passed."""
    from pytest_netbench.regression_gate.baseline import load_baseline  # imports pydantic
    from pytest_netbench.regression_gate.policy import Policy, load_policy

    policy = Policy() if arguments.policy is None else load_policy(arguments.policy)
    if arguments.share is not None and not arguments.plan:
        raise UsageError("--share is about a plan: give --plan, too")
    if arguments.plan:
        if arguments.directories or arguments.markdown:
            raise UsageError("--plan judges nothing: give no results directory and no --markdown")
        baseline = load_baseline(arguments.baseline).results if arguments.baseline else ()
        return _plan(policy, baseline, arguments.share)
    if arguments.baseline is None:
        raise UsageError("give BASELINE, or --plan")
    baseline = load_baseline(arguments.baseline).results
    return _judge(policy, baseline, runs.chosen(arguments.directories), arguments.markdown)


def _judge(policy: Policy, baseline: Sequence[TrialResult], directories: Sequence[Path], as_markdown: bool) -> int:
    from pytest_netbench.regression_gate.judging import judge_run  # imports pydantic
    from pytest_netbench.regression_gate.wording import lines, markdown
    from pytest_netbench.results.merged import lack_of
    from pytest_netbench.results.store import ResultsDir

    lacks = [lack for directory in directories if (lack := lack_of(directory)) is not None]
    if lacks:
        print("NOT JUDGED: " + "; ".join(lacks))
        return 1
    results: list[TrialResult] = []
    for directory in directories:
        results += ResultsDir(directory).results()
    if not results:
        raise UsageError("no results in " + ", ".join(map(str, directories)))
    found = judge_run(results, baseline, policy, look=len(directories))
    print(markdown(found) if as_markdown else "\n".join(lines(found)))
    return 0 if found.outcome == "passed" else 1


def _plan(policy: Policy, baseline: Sequence[TrialResult], share: float | None) -> int:
    from pytest_netbench.regression_gate.sizing import plan  # imports pydantic

    for at, rule in enumerate(policy.rules):
        print(*([""] if at else []), *plan(rule, baseline, share=share), sep="\n")
    return 0


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text}: give a share above 0 and at most 1, e.g. 0.8")
    return value
