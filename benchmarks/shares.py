"""How often each fault is drawn, and how often refused: ``benchmarks/shares.py [--series SERIES]``.

With less access a draw is repeated if nothing that an agent may look at shows one of its faults. A fault that is
refused often would be drawn less than others if the repeated draw did not begin with its kind. Prints by kind of the
first fault its share of the tasks, and the share of its attempts that were refused. Ends with 1 if a kind has less than
2 % of the draws, or more than half of its attempts are refused. Nothing is deployed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.generators import diagnose
from pytest_netbench.generators.faulty_draws import Broken
from pytest_netbench.generators.series import read_series

LEAST_SHARE = 0.02
MOST_REFUSED = 0.5


def drawn(series: str) -> tuple[Counter[str], Counter[str]]:
    """Draw a series; return the attempts and the tasks by the kind of their first fault."""
    attempts: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    last: list[str] = []
    usual = diagnose.draw_broken

    def counted(*args: Any, **options: Any) -> Broken:
        broken = usual(*args, **options)
        attempts[broken.first] += 1
        last[:] = [broken.first]
        return broken

    diagnose.draw_broken = counted
    try:
        for source in read_series(series).sources():
            source.load()
            tasks[last[0]] += 1
    finally:
        diagnose.draw_broken = usual
    return attempts, tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", default="diagnose:level=4,healthy=0,n=1000,seed=1", help="what is drawn")
    attempts, tasks = drawn(parser.parse_args().series)
    bad = []
    print("| fault | share of draws | attempts | refused |\n|---|---|---|---|")
    for kind, tried in sorted(attempts.items()):
        share, refused = tasks[kind] / tasks.total(), 1 - tasks[kind] / tried
        print(f"| `{kind}` | {share:.1%} | {tried} | {refused:.0%} |")
        if share < LEAST_SHARE or refused > MOST_REFUSED:
            bad.append(kind)
    print(f"{tasks.total()} draws, {attempts.total()} attempts; below 2 % or refused more than half: {bad or 'none'}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
