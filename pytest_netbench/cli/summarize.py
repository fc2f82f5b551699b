"""netbench summarize: results of runs by group, with intervals."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_netbench.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_netbench.model.trial import TrialResult

OF_RESULT: Final = ("domain", "family", "task")
OF_DRAW: Final = ("generator", "scenario")
DERIVED: Final = ("size", "fault-domain")
SMALL, MEDIUM = 15, 40
"""The most nodes of a small and of a medium network."""
HEALTHY: Final = "healthy"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which results, and how they are grouped."""
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="results directories of runs")
    parser.add_argument(
        "--by",
        default="domain",
        metavar="AXIS",
        help="domain, family, task, generator, scenario, size, fault-domain, or an axis of drawn tasks: label, level,"
        " devices, platform, fault, faults, place, … (default: domain)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the table; return 1 if no trial was scored."""
    from pytest_netbench.reporting.groups import group_table, metrics_of  # noqa: PLC0415  (imports pydantic)

    results = list(_results(arguments.directories))
    scored = [one for one in results if one.status != "error"]
    if not scored:
        print(f"no trial was scored ({len(results)} infrastructure errors)")
        return 1
    if not any(groups(one, arguments.by) for one in scored):
        known = sorted({*OF_RESULT, *OF_DRAW, *DERIVED, *(axis for one in scored for axis in one.regions)})
        raise UsageError(f"--by {arguments.by}: no result has it (known: {', '.join(known)})")
    lines = group_table(scored, lambda one: groups(one, arguments.by), by=arguments.by, metrics=metrics_of(scored))
    print("\n".join(lines))
    if len(scored) < len(results):
        print(f"infrastructure errors, not scored: {len(results) - len(scored)}")
    return 0


def _results(directories: Iterable[Path]) -> Iterable[TrialResult]:
    from pytest_netbench.results.store import ResultsDir  # noqa: PLC0415  (imports pydantic)

    for directory in directories:
        if not directory.is_dir():
            raise UsageError("no such results directory; give the --netbench-results of a run", path=directory)
        yield from ResultsDir(directory).results()


def groups(one: TrialResult, axis: str) -> tuple[str, ...]:
    """The groups of a result on an axis; none if it has no such axis."""
    if axis == "task":
        from pytest_netbench.results.pairing import task_id  # noqa: PLC0415  (imports pydantic)

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
    from pytest_netbench.model.faulty import fault_of  # noqa: PLC0415  (imports faults)

    try:
        return str(getattr(fault_of(fault), "domain", "other"))
    except UsageError:
        return "unknown"  # of a package that is not installed
