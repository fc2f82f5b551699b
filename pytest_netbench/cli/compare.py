"""netbench compare: two agents, or two runs of one, on the same tasks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench.cli import runs
from pytest_netbench.cli.summarize import groups
from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from pytest_netbench.model.trial import TrialResult
    from pytest_netbench.results.pairing import Paired, Value
    from pytest_netbench.stats.paired import Comparison, Pair

PASSED: Final = "passed"
ALL: Final = "all"
_NAMED: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is compared, and by which numbers."""
    parser.add_argument(
        "first",
        type=Path,
        nargs="?",
        metavar="A",
        help="results directory of the first side, e.g. the baseline (default: the newest run of pytest)",
    )
    parser.add_argument(
        "second", type=Path, nargs="?", metavar="B", help="results directory of the second side (default: A)"
    )
    parser.add_argument(
        "--agents",
        nargs="+",
        metavar="ID",
        help="the agent of A and that of B; one name is of both (default: the two of a run)",
    )
    parser.add_argument(
        "--metric", default=PASSED, metavar="NAME", help="passed (default), or a score such as testcase or root_cause"
    )
    parser.add_argument(
        "--by", default="domain", metavar="AXIS", help="groups, as those of netbench summarize (default: domain)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 1 if there is nothing to compare."""
    from pytest_netbench.results.pairing import pair  # noqa: PLC0415  (imports pydantic)

    first, second = _sides(arguments)
    paired = pair(first, second)
    value_of = _value_of(arguments.metric)
    pairs = dict(_pairs(paired, value_of))
    if not pairs:
        print("nothing can be compared:", *(_left_out(paired) or ["no trial was scored"]), sep="\n")
        return 1
    print(f"A: {_side(first, arguments.first)}")
    print(f"B: {_side(second, arguments.second or arguments.first)}")
    compared = dict(_comparisons(paired, pairs, arguments.by))
    print("\n".join([*_table(compared, arguments.by, arguments.metric), *_left_out(paired)]))
    return 0


def _sides(arguments: argparse.Namespace) -> tuple[list[TrialResult], list[TrialResult]]:
    from pytest_netbench.results.pairing import of_agent  # noqa: PLC0415  (imports pydantic)
    from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415

    folders = runs.chosen([one for one in (arguments.first, arguments.second) if one is not None])
    arguments.first, arguments.second = folders[0], folders[-1]
    stored = [ResultsDir(folder).results() for folder in folders]
    names = arguments.agents or (_both(stored[0]) if len(folders) == 1 else [None])
    if len(names) > 2:
        raise UsageError("--agents: give the agent of A and that of B, or one for both")
    if len(folders) == 1 and len(set(names)) < 2:
        raise UsageError("give two results directories, or two agents of one with --agents A B")
    first, second = (
        of_agent(results, name, where=str(folder))
        for results, folder, name in zip(
            (stored[0], stored[-1]), (folders[0], folders[-1]), (names[0], names[-1]), strict=True
        )
    )
    return first, second


def _both(results: Sequence[TrialResult]) -> list[str | None]:
    """The agents of a run of two."""
    known = sorted({one.agent.id for one in results})
    return [*known] if len(known) == 2 else [None]


def _value_of(metric: str) -> Value:
    if metric == PASSED:
        return lambda one: float(one.status == PASSED)
    return lambda one: one.score(metric)


def _pairs(paired: Paired, value_of: Value) -> Iterator[tuple[str, Pair]]:
    """The tasks of which both sides have values."""
    from pytest_netbench.stats.paired import Pair  # noqa: PLC0415

    for name, sides in paired.trials.items():
        first, second = (tuple(v for one in side if (v := value_of(one)) is not None) for side in sides)
        if first and second:
            yield name, Pair(first=first, second=second)


def _comparisons(paired: Paired, pairs: Mapping[str, Pair], axis: str) -> Iterator[tuple[str, Comparison]]:
    from pytest_netbench.stats.paired import compare  # noqa: PLC0415

    members: dict[str, list[Pair]] = {}
    for name, one in pairs.items():
        for group in groups(paired.trials[name][0][0], axis):
            members.setdefault(group, []).append(one)
    if not members:
        raise UsageError(f"--by {axis}: no result has it")
    if len(members) > 1:
        yield from ((group, compare(members[group])) for group in sorted(members))
    yield ALL, compare(list(pairs.values()))


def _table(compared: Mapping[str, Comparison], axis: str, metric: str) -> Iterator[str]:
    """Yield a row for each group. The p-values of groups are adjusted for their number, that of all is not."""
    from pytest_netbench.stats.paired import holm  # noqa: PLC0415

    within = [name for name in compared if name != ALL]
    adjusted = dict(zip(within, holm([compared[name].p for name in within]), strict=True))
    rows = [(axis, "tasks", f"A {metric}", f"B {metric}", "B - A", "95 %", "p", "test")]
    for name, one in compared.items():
        interval = "\N{EN DASH}" if one.interval is None else f"{one.interval.low:+.2f} to {one.interval.high:+.2f}"
        p = adjusted.get(name, one.p)
        means = (f"{one.first:.2f}", f"{one.second:.2f}", f"{one.difference:+.2f}")
        rows.append((name, str(one.tasks), *means, interval, "<0.001" if p < 0.001 else f"{p:.3f}", one.method))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(
            f"{cell:<{width}}" if at in {0, 7} else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
    if len(within) > 1:
        yield f"p of the groups is adjusted for {len(within)} comparisons (Holm)"


def _left_out(paired: Paired) -> list[str]:
    kinds = (
        ("changed between the runs, so not compared", paired.changed),
        ("only in A", paired.only_first),
        ("only in B", paired.only_second),
    )
    return [f"{what}: {_listed(names)}" for what, names in kinds if names]


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _side(results: Iterable[TrialResult], folder: Path) -> str:
    every = list(results)
    errors = sum(one.status == "error" for one in every)
    note = f", and {errors} infrastructure errors that are not scored" if errors else ""
    return f"{every[0].agent.id}, {len(every) - errors} trials, {folder}{note}"
