"""Shared parts of all benchmarks: a table, the best of several runs, and the load of the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence


def best(runs: int, once: Callable[[], float]) -> tuple[float, list[float]]:
    """The least of several measurements, and all of them."""
    all_of_them = [once() for _ in range(runs)]
    return min(all_of_them), all_of_them


def table(title: str, rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Print (what, best, target, all runs)."""
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    print(f"{title}   [{cores} cores, load {load:.1f}, Linux {platform.release()}, Python {platform.python_version()}]")
    header = ("", "best", "target", "runs")
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(4)]
    for row in [header, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def verdict(value: float, target: float, unit: str) -> str:
    """The target, and whether it was met."""
    return f"{target:g} {unit} {'met' if value <= target else 'MISSED'}"
