"""netbench summarize: results of runs by group, with intervals."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final

from pytest_netbench.cli import runs
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.reporting.terminal import Part
    from pytest_netbench.results.store import Contents

OF_RESULT: Final = ("domain", "family", "task")
OF_DRAW: Final = ("generator", "scenario")
REASON: Final = "reason"
"""The axis that groups trials by why they failed."""
DERIVED: Final = ("size", "fault-domain")
SMALL, MEDIUM = 15, 40
"""The most nodes of a small and of a medium network."""
HEALTHY: Final = "healthy"
_ANY_WIDTH: Final = 100_000
INTERVALS: Final = ("clustered", "bootstrap", "wilson", "clopper-pearson")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which results, and how they are grouped."""
    parser.add_argument("directories", nargs="*", type=Path, metavar="DIR", help=runs.HELP)
    parser.add_argument(
        "--by",
        default="domain",
        metavar="AXIS",
        help="domain, family, task, generator, scenario, size, fault-domain, or an axis of drawn tasks: label, level,"
        " devices, platform, fault, faults, place, …; or reason: why trials failed, and how agents worked (default:"
        " domain)",
    )
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        default=INTERVALS[0],
        help="how the intervals of 95 %% are computed: clustered and bootstrap are for claims about tasks that were not"
        " run, the others take trials as independent (default: clustered)",
    )
    parser.add_argument(
        "--cluster",
        default="task",
        metavar="AXIS",
        help="trials with the same value on this axis tell alike: task, scenario, size, … (default: task)",
    )
    parser.add_argument(
        "--attempts",
        type=_attempts,
        default=(),
        metavar="K[,K…]",
        help="show pass@k (at least one of k attempts passes) and pass^k (all of k pass), for each number K",
    )
    parser.add_argument(
        "--tasks",
        action="store_true",
        help="show the agents side by side with all tasks; without it only of several agents, with at most 20 tasks",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown, with all tasks")


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 1 if no trial was scored."""
    from pytest_netbench.reporting.common import common_lines  # imports pydantic
    from pytest_netbench.reporting.groups import Columns, group_table, metrics_of  # imports pydantic
    from pytest_netbench.reporting.intervals import METHODS  # imports statistics
    from pytest_netbench.reporting.terminal import Part, agents_parts

    if arguments.by == REASON:
        return _by_reason(arguments)
    contents = list(_contents(runs.chosen(arguments.directories)))
    results = [result for one in contents for result in one.results]
    unfinished = sum(len(one.open) for one in contents)
    scored = [one for one in results if one.status != "error"]
    if not scored:
        print(f"no trial was scored ({len(results)} infrastructure errors)")
        for line in _open_lines(unfinished):
            print(line)
        return 1
    for option, axis in (("--by", arguments.by), ("--cluster", arguments.cluster)):
        if not any(groups(one, axis) for one in scored):
            known = sorted({*OF_RESULT, *OF_DRAW, *DERIVED, REASON, *(axis for one in scored for axis in one.regions)})
            raise UsageError(f"{option} {axis}: no result has it (known: {', '.join(known)})")
    columns = Columns(
        by=arguments.by,
        task_of=lambda one: groups(one, "task")[0],
        cluster_of=lambda one: " ".join(groups(one, arguments.cluster)),
        metrics=metrics_of(scored),
        method=METHODS[arguments.interval],
        attempts=arguments.attempts,
    )
    table = group_table(scored, lambda one: groups(one, arguments.by), columns)
    notes = [f"95 %: {columns.method.words.format(cluster=arguments.cluster)}"]
    if len(scored) < len(results):
        notes.append(f"infrastructure errors, not scored: {len(results) - len(scored)}")
    notes += _open_lines(unfinished)
    parts = [Part(table=table, notes=[*notes, *common_lines(results)])]
    if arguments.tasks or arguments.markdown or len({one.agent.id for one in scored}) > 1:
        every = arguments.tasks or arguments.markdown
        parts += agents_parts(scored, width=_width(arguments), all_tasks=every, with_endings=True)
    _print(parts, as_markdown=arguments.markdown)
    return 0


def _by_reason(arguments: argparse.Namespace) -> int:
    """Print why trials failed and how agents worked; return 1 if no trial was scored."""
    from pytest_netbench.reporting.conduct import conduct_table  # imports pydantic
    from pytest_netbench.reporting.intervals import METHODS  # imports statistics
    from pytest_netbench.reporting.reasons import reasons_table
    from pytest_netbench.reporting.terminal import Part
    from pytest_netbench.results.store import ResultsDir
    from pytest_netbench.results.verdicts import with_verdicts

    stores = [ResultsDir(directory) for directory in runs.chosen(arguments.directories)]
    scored = [with_verdicts(store, one) for store in stores for one in store.results() if one.status != "error"]
    if not scored:
        print("no trial was scored")
        return 1
    if not any(groups(one, arguments.cluster) for one in scored):
        raise UsageError(f"--cluster {arguments.cluster}: no result has it")
    method = METHODS[arguments.interval]
    table, notes = reasons_table(scored, method=method, cluster_of=lambda one: " ".join(groups(one, arguments.cluster)))
    parts = [Part(table=table, notes=[f"95 %: {method.words.format(cluster=arguments.cluster)}", *notes])]
    conduct = conduct_table(scored)
    parts += [] if conduct is None else [Part(table=conduct, notes=[])]
    _print(parts, as_markdown=arguments.markdown)
    return 0


def _print(parts: Sequence[Part], *, as_markdown: bool) -> None:
    if as_markdown:
        print("\n".join(line for part in parts for line in part.markdown()))
    else:
        print("\n\n".join("\n".join(part.lines(None)) for part in parts))


def _open_lines(count: int) -> list[str]:
    again = "to run them again: pytest … --netbench-resume DIR"
    return [f"open, begun and not finished: {count} ({again})"] if count else []


def _width(arguments: argparse.Namespace) -> int:
    """Characters of a line of the agents x tasks table. A Markdown table and a file may be as wide as they are."""
    is_for_reading = sys.stdout.isatty() and not arguments.markdown
    return max(get_terminal_size().columns, 80) - 1 if is_for_reading else _ANY_WIDTH


def _attempts(text: str) -> tuple[int, ...]:
    numbers = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in numbers):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers from 1 on, such as 1,3,5")
    return tuple(dict.fromkeys(map(int, numbers)))


def _contents(directories: Iterable[Path]) -> Iterable[Contents]:
    from pytest_netbench.results.store import ResultsDir  # imports pydantic

    for directory in directories:
        yield ResultsDir(directory).read()


def groups(one: TrialResult, axis: str) -> tuple[str, ...]:
    """The groups of a result on an axis; none if it has no such axis."""
    if axis == "task":
        from pytest_netbench.results.pairing import task_id  # imports pydantic

        return (task_id(one).rpartition("::")[2],)
    if axis in OF_RESULT:
        return (getattr(one, axis),)
    if axis in OF_DRAW:
        value = getattr(one.drawn, axis, None)
        return () if value is None else (value,)
    return _derived(one, axis) if axis in DERIVED else tuple(one.regions.get(axis, ()))


def _derived(one: TrialResult, axis: str) -> tuple[str, ...]:
    if axis == "size":
        return tuple(map(_size, one.regions.get("devices", ())))
    if "fault" not in one.regions:
        return ()
    return tuple(sorted(set(map(_domain, one.regions["fault"])))) or (HEALTHY,)


def _size(nodes: str) -> str:
    count = int(nodes)
    return f"S (to {SMALL})" if count <= SMALL else f"M (to {MEDIUM})" if count <= MEDIUM else "L"


def _domain(fault: str) -> str:
    from pytest_netbench.model.faulty import fault_of  # imports faults

    try:
        return str(getattr(fault_of(fault), "domain", "other"))
    except UsageError:
        return "unknown"  # of a package that is not installed
