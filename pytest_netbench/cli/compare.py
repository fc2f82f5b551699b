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
    from pytest_netbench.results.store import ResultsDir
    from pytest_netbench.stats.paired import Comparison, Pair
    from pytest_netbench.stats.regression import Verdict

    _Row = tuple[Comparison, Verdict | None]

PASSED: Final = "passed"
ALL: Final = "all"
LEVEL: Final = 0.05
_NAMED: Final = 3
_NONE: Final = "\N{EN DASH}"
_LEFT: Final = (0, 6, 9)


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
    from pytest_netbench.results.pairing import pair  # imports pydantic

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
    print("\n".join([*_table(compared, arguments.by, arguments.metric), *_left_out(paired), *_reasons(paired)]))
    return 0


def _reasons(paired: Paired) -> Iterator[str]:
    """Yield why trials of both sides failed at the tasks that are compared."""
    from pytest_netbench.reporting.reasons import both_sides, counted, meanings

    first, second = ([one for sides in paired.trials.values() for one in sides[at]] for at in (0, 1))
    table = both_sides(first, second)
    if table is not None:
        yield ""
        yield from table.lines()
        yield from meanings(counted([*first, *second]))


def _sides(arguments: argparse.Namespace) -> tuple[list[TrialResult], list[TrialResult]]:
    from pytest_netbench.results.pairing import of_agent  # imports pydantic
    from pytest_netbench.results.store import ResultsDir

    folders = runs.chosen([one for one in (arguments.first, arguments.second) if one is not None])
    arguments.first, arguments.second = folders[0], folders[-1]
    stored = [_stored(ResultsDir(folder)) for folder in folders]
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


def _stored(store: ResultsDir) -> list[TrialResult]:
    from pytest_netbench.results.verdicts import with_verdicts

    return [with_verdicts(store, one) for one in store.results()]


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
    from pytest_netbench.stats.paired import Pair

    for name, sides in paired.trials.items():
        first, second = (tuple(v for one in side if (v := value_of(one)) is not None) for side in sides)
        if first and second:
            yield name, Pair(first=first, second=second)


def _comparisons(paired: Paired, pairs: Mapping[str, Pair], axis: str) -> Iterator[tuple[str, _Row]]:
    members: dict[str, list[Pair]] = {}
    for name, one in pairs.items():
        for group in groups(paired.trials[name][0][0], axis):
            members.setdefault(group, []).append(one)
    if not members:
        raise UsageError(f"--by {axis}: no result has it")
    if len(members) > 1:
        yield from ((group, _row(members[group])) for group in sorted(members))
    yield ALL, _row(list(pairs.values()))


def _row(pairs: Sequence[Pair]) -> _Row:
    from pytest_netbench.stats.paired import compare
    from pytest_netbench.stats.regression import judge

    is_share = all(0 <= value <= 1 for pair in pairs for value in (*pair.first, *pair.second))
    return compare(pairs), judge(pairs, tolerance=0.0, level=LEVEL, ahead=False) if is_share else None


def _table(compared: Mapping[str, _Row], axis: str, metric: str) -> Iterator[str]:
    """Yield a row for each group. The p-values of groups are adjusted for their number, that of all is not."""
    from pytest_netbench.stats.paired import holm

    within = [name for name in compared if name != ALL]
    adjusted = dict(zip(within, holm([compared[name][0].p for name in within]), strict=True))
    heads = ("B - A", "these tasks", "verdict", "other tasks", "p", "test")
    rows = [(axis, "tasks", f"A {metric}", f"B {metric}", *heads)]
    for name, (one, verdict) in compared.items():
        p = adjusted.get(name, one.p)
        means = (f"{one.first:.2f}", f"{one.second:.2f}", f"{one.difference:+.2f}")
        gate = (_NONE, _NONE) if verdict is None else (_span(-verdict.high, -verdict.low), verdict.kind)
        other = _NONE if one.interval is None else _span(one.interval.low, one.interval.high)
        rows.append((name, str(one.tasks), *means, *gate, other, "<0.001" if p < 0.001 else f"{p:.3f}", one.method))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(
            f"{cell:<{width}}" if at in _LEFT else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
    yield from _notes(compared, within)


def _notes(compared: Mapping[str, _Row], within: Sequence[str]) -> Iterator[str]:
    """Yield what the columns mean."""
    verdicts = sum(verdict is not None for _, verdict in compared.values())
    if verdicts:
        sure = f"each {1 - LEVEL:.0%} sure, no loss accepted"
        yield f"these tasks: bounds of B - A if these tasks are run again, and the gate's verdict; {sure}"
    if verdicts > 1:
        joint = min(1.0, verdicts * LEVEL)
        yield f"{verdicts} verdicts, each with its own level: at most {joint:.0%} that any of them is wrong"
    if any(one.interval is not None for one, _ in compared.values()):
        yield "other tasks: 95% interval of B - A for tasks like these (bootstrap over tasks)"
    yield "p: the chance that equal agents differ as much on these tasks, in either direction"
    if len(within) > 1:
        yield f"p of the groups is adjusted for {len(within)} comparisons (Holm)"


def _span(low: float, high: float) -> str:
    return f"{low:+.2f} to {high:+.2f}"


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
