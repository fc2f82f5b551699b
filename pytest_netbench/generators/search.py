"""A search for failures: which draws of a series come next, so that an agent fails more often.

It knows nothing of the generator: it draws more tasks than are needed and chooses among them by their regions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from pytest_netbench.errors import InputError
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.series import Series
from pytest_netbench.model.search import Sought
from pytest_netbench.model.task import digest_of
from pytest_netbench.stats.regions import Regions, Tally

CANDIDATES: Final = 20
"""How many tasks are drawn for each one that is chosen."""

_Cell = tuple[tuple[str, tuple[str, ...]], ...]
"""Regions as a key: tasks of a cell are alike to the search."""


def sought(series: Series, tally: Tally, *, start: int) -> dict[int, Sought]:
    """Choose ``series.count`` of the next draws of a series, by index and in the order of their indices.

    For each choice, a chance of failure is drawn for every region from the verdicts on it. The cell whose product over
    the axes is largest is chosen; on an axis with several values, the largest counts. Equal arguments choose equal
    draws.

    Args:
        series: Says what is drawn, and how many.
        tally: The verdicts on the agent so far.
        start: The index of the first candidate: that after the last one that was used.

    Raises:
        InputError: None of the candidates can be drawn.
    """
    cells = _cells(series, range(start, start + CANDIDATES * series.count))
    candidates = sum(map(len, cells.values()))
    digest = digest_of([start, tally.total, tally.axes])
    source = random_of(f"search/{series.generator}", seed=series.seed, index=start)
    chosen: dict[int, Sought] = {}
    for _ in range(min(series.count, candidates)):
        chances = _chances(cells, tally, source)
        best = max(cells, key=lambda cell: (_product(cell, chances), -cells[cell][0]))
        regions = [(axis, value) for axis, values in best for value in values]
        chosen[cells[best].pop(0)] = Sought(
            history=digest,
            trials=tally.total.trials,
            candidates=candidates,
            chances={f"{axis}={value}": round(chances[axis, value], 6) for axis, value in regions},
            known={f"{axis}={value}": tuple(tally.of(axis, value)) for axis, value in regions},
        )
        if not cells[best]:
            del cells[best]
    return dict(sorted(chosen.items()))


def _cells(series: Series, indices: Sequence[int]) -> dict[_Cell, list[int]]:
    """By cell: the indices of the draws that are in it. Draws that fail are left out."""
    cells: dict[_Cell, list[int]] = {}
    last: InputError | None = None
    for index in indices:
        try:
            regions: Regions = series.source(index).load().regions
        except InputError as error:
            last = error
            continue
        cells.setdefault(tuple((axis, tuple(values)) for axis, values in regions.items()), []).append(index)
    if not cells and last is not None:
        raise last
    return cells


def _chances(cells: Mapping[_Cell, Sequence[int]], tally: Tally, source: random.Random) -> dict[tuple[str, str], float]:
    """By region of the candidates: the chance of failure that is drawn for it."""
    regions = {(axis, value) for cell in cells for axis, values in cell for value in values}
    return {(axis, value): tally.chance(axis, value, source) for axis, value in sorted(regions)}


def _product(cell: _Cell, chances: Mapping[tuple[str, str], float]) -> float:
    return prod(max(chances[axis, value] for value in values) for axis, values in cell if values)
