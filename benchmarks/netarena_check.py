"""What NetArena's own check says of the same faults: ``python -m benchmarks.netarena_check [--draws N]``.

Without labs: of each label of Table 6, draws in Online Boutique as they are broken, and half repaired where there are
two faults. Packets say what is said here on paper (``make selftest``, the stage of drawn clusters).
"""

from __future__ import annotations

import argparse
from collections import Counter

from pytest_netbench.generators.kubernetes.labels import LEVELS
from pytest_netbench.generators.series import read_series
from tests.support.netarena_check import said, states


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=100, help="draws of each label (100)")
    draws = parser.parse_args().draws
    print("| label | flows wrong, the check finds nothing | one of two repaired, the check finds nothing |")
    print("|---|---|---|")
    for level, labels in LEVELS.items():
        for label in labels:
            found = Counter[int]()
            series = read_series(f"repair-kubernetes:seed=1,applications=boutique,level={level},labels={label}")
            taken = 0
            for index in range(100 * draws):
                task = series.source(index).load()
                if task.drawn is None or task.drawn.label != label:
                    continue
                taken += 1
                for number, objects in enumerate(states(task)):
                    one = said(task, objects)
                    found[number] += one.wrong > 0 and one.mismatches == 0
                if taken == draws:
                    break
            print(
                f"| `{label}` | {found[0]} of {taken} | {f'{found[1]} of {taken}' if level > 1 else ''} |", flush=True
            )


if __name__ == "__main__":
    main()
