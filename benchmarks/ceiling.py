"""What a program without a model reaches: ``python benchmarks/ceiling.py --results DIR [--agent NAME] [--count N]``.

A fixed draw of each family and level is given to an agent. A run that is broken off goes on when the script is started
again with the same folder. It prints a table with Wilson's interval; `netbench difficulty DIR/*` records the same.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.results.store import ResultsDir
from pytest_netbench.stats.intervals import wilson

FAMILIES = ("diagnose", "troubleshoot")
LEVELS = (1, 2, 3, 4, 5)


def series_of(family: str, level: int, arguments: argparse.Namespace) -> str:
    """The draw of a family at a level."""
    return f"{family}:level={level},n={arguments.count},seed={arguments.seed + level}"


def tried(folder: Path, family: str, level: int, arguments: argparse.Namespace) -> int:
    """Run the trials that a folder lacks; return pytest's exit status."""
    goes_on = (folder / "run.json").is_file()
    argv = [
        *(sys.executable, "-m", "pytest", "-q", "-n", str(arguments.jobs), "-p", "no:cacheprovider"),
        *(f"--agent={arguments.agent}", "--netbench-generate", series_of(family, level, arguments)),
        *(("--netbench-resume",) if goes_on else ("--netbench-results",)),
        str(folder),
    ]
    return subprocess.run(argv, check=False, stdout=sys.stderr).returncode


def row(folder: Path, family: str, level: int) -> str | None:
    """A line of the table; ``None`` if nothing was scored."""
    results = [one for one in ResultsDir(folder).results() if one.status != "error"] if folder.is_dir() else []
    if not results:
        return None
    passed = sum(one.status == "passed" for one in results)
    interval = wilson(passed, len(results))
    calls = sorted(one.budget_used.calls for one in results)[len(results) // 2]
    return f"| {family} | {level} | {passed}/{len(results)} | {interval.low:.2f}-{interval.high:.2f} | {calls} |"


def table(arguments: argparse.Namespace) -> Iterator[str]:
    """All lines that there are."""
    yield "| family | level | passed | 95 % | calls, median |"
    yield "|---|---|---|---|---|"
    for family in arguments.families:
        for level in arguments.levels:
            line = row(arguments.results / f"{family}-{level}", family, level)
            if line is not None:
                yield line


def main() -> int:
    """Run what is missing and print the table; status 1 if a run was broken off, or had infrastructure errors only."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, required=True, help="folder of the results directories")
    parser.add_argument("--agent", default="runbook-expert")
    parser.add_argument("--families", nargs="+", default=FAMILIES)
    parser.add_argument("--levels", nargs="+", type=int, default=LEVELS)
    parser.add_argument("--count", type=int, default=20, help="draws of each family and level (20)")
    parser.add_argument("--seed", type=int, default=3_800, help="of level 0; each level has the next one (3800)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--print", action="store_true", help="run nothing, and print what there is")
    arguments = parser.parse_args()
    broken = False
    for family in arguments.families:
        for level in arguments.levels:
            if not arguments.print:
                folder = arguments.results / f"{family}-{level}"
                status = tried(folder, family, level, arguments)
                broken |= status not in {0, 1} or row(folder, family, level) is None
    print("\n".join(table(arguments)))
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
