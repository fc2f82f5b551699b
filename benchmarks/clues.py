"""What tells a faulty network from a healthy one: ``benchmarks/clues.py [--pairs N] [--jobs N] [--series SERIES]``.

Each drawn network is deployed twice, once with its fault and once healthy, and an agent collects all that it can see
and that is no part of the configuration: files, processes, environment, interface names and MAC addresses of hosts;
users, files, clock and history of devices; counters; of a cluster who made which object, its generation, and events.
Texts must be equal. Of numbers (the age of a node, how many
counters are zero, how much was counted) it is measured whether the faulty network has the greater one more often than
chance would have it.

``--kept FILE`` keeps each pair as it is done, one line of JSON. Pairs of the same series and commit that are in the
file are not looked at again.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.looker import Seen, look
from pytest_netbench import parts
from pytest_netbench.generators.series import read_series

_PLACED = re.compile(r"\b\d+: (\w+)@if\d+:")
"""The interface of a pod: where it is placed is not the same twice, with or without a fault."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


@dataclass(frozen=True)
class Pair:
    """What a faulty network shows beside what the same network shows without its fault.

    Attributes:
        label: The fault.
        is_told_alike: Whether the briefs are equal.
        lines: Commands, and lines that only one of the two networks shows.
        faulty: What can be counted with the fault.
        healthy: The same without it.
    """

    label: str
    is_told_alike: bool
    lines: list[tuple[str, str]]
    faulty: dict[str, float]
    healthy: dict[str, float]


def pair(index: int, of: str) -> Pair:
    """Look at a draw of a series with its fault and without it."""
    series = read_series(of)
    faulty, healthy = (
        parts.load("generators", series.generator)().draw(
            series.parameters.model_copy(update={"healthy": share}), seed=series.seed, index=index
        )
        for share in (0.0, 1.0)
    )
    assert faulty.drawn is not None
    # what grows while the machine is used must not look like a clue
    theirs = look(healthy) if index % 2 else None
    ours = look(faulty)
    theirs = theirs or look(healthy)
    return Pair(
        faulty.drawn.label,
        ours.brief == theirs.brief,
        list(differences(ours.texts, theirs.texts)),
        measures(ours.numbers),
        measures(theirs.numbers),
    )


class Kept:
    """The pairs of one series at the present commit.

    Args:
        series: What is drawn.
        path: The file that has them; ``None`` keeps nothing.
    """

    def __init__(self, series: str, path: Path | None) -> None:
        self._series = series
        self._path = path
        commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, text=True).strip()
        self._place = {"commit": commit, "series": series}
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        found = [one for one in map(json.loads, lines) if one["place"] == self._place]
        self._pairs = {one["index"]: Pair(**one["pair"]) for one in found}

    def pairs(self, count: int, *, jobs: int) -> list[Pair]:
        """The pairs of the first draws, in their order; those that are not there are looked at by so many processes.

        A pair whose lab breaks, or in which a command is cut short, is left out, and looked at again by the next run.
        """
        missing = [index for index in range(count) if index not in self._pairs]
        with ProcessPoolExecutor(jobs) as pool:
            asked = {pool.submit(pair, index, self._series): index for index in missing}
            for done in as_completed(asked):
                if (error := done.exception()) is None:
                    self._add(asked[done], done.result())
                else:
                    print(f"draw {asked[done]} is left out: {error!r}", file=sys.stderr, flush=True)
        return [self._pairs[index] for index in range(count) if index in self._pairs]

    def _add(self, index: int, found: Pair) -> None:
        self._pairs[index] = found
        if self._path is not None:
            with self._path.open("a") as file:
                file.write(json.dumps({"place": self._place, "index": index, "pair": asdict(found)}) + "\n")


def differences(faulty: Seen, healthy: Seen) -> Iterator[tuple[str, str]]:
    """Commands, and lines that only one of the two networks shows."""
    for key, text in faulty.items():
        ours, theirs = (Counter(_PLACED.sub(r"\1:", one).splitlines()) for one in (text, healthy[key]))
        for sign, lines in (("+", ours - theirs), ("-", theirs - ours)):
            for line in lines:
                yield f"{key[0]}: {key[1]}", f"{sign} {line.strip()}"


def measures(numbers: Seen) -> dict[str, float]:
    """What can be counted in the answers, each over all nodes."""
    found: dict[str, float] = defaultdict(float)
    for (_, command), text in numbers.items():
        values = [float(one) for one in _NUMBER.findall(text)]
        found[f"{command}: sum"] += sum(values)
        found[f"{command}: zeros"] += values.count(0.0)
    return dict(found)


def chance(more: int, less: int) -> float:
    """How probable so uneven a split is or a more uneven one, if both sides are equally likely (sign test)."""
    n = more + less
    return min(1.0, 2.0 * sum(comb(n, k) for k in range(min(more, less) + 1)) / float(2**n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=60, help="networks, each deployed with its fault and without (60)")
    parser.add_argument("--jobs", type=int, default=3, help="processes, each with a lab (3)")
    parser.add_argument(
        "--series", default="diagnose:level=1,seed=1", help="which networks are drawn (diagnose:level=1,seed=1)"
    )
    parser.add_argument("--kept", type=Path, metavar="FILE", help="keep pairs, and go on from those that are there")
    chosen = parser.parse_args()
    pairs = Kept(chosen.series, chosen.kept).pairs(chosen.pairs, jobs=chosen.jobs)
    briefs = sum(not one.is_told_alike for one in pairs)
    clues = 0
    splits: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    values: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for one in pairs:
        for command, line in one.lines:
            clues += 1
            print(f"{one.label}: {command}: {line[:200]}")
        for name, value in one.faulty.items():
            other = one.healthy[name]
            splits[name][0] += value > other
            splits[name][1] += value < other
            values[name][0].append(value)
            values[name][1].append(other)
    print(f"{briefs} of {len(pairs)} briefs differ; {clues} lines differ")
    for name, (more, less) in sorted(splits.items()):
        medians = " and ".join(f"{median(one):g}" for one in values[name])
        print(
            f"{name}: greater in {more} faulty and {less} healthy networks, p = {chance(more, less):.3f},"
            f" medians {medians}"
        )


if __name__ == "__main__":
    main()
