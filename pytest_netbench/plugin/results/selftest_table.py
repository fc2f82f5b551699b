"""The results of the self-test, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_netbench.trial import SelftestReport


def table(reports: Sequence[SelftestReport]) -> list[str]:
    """Return one row per task, then what the tasks' families list, e.g. ground-truth lines that no testcase misses."""
    ordered = sorted(reports, key=lambda report: report.slug)
    columns = list(dict.fromkeys(name for report in ordered for name in report.shown))
    rows = [["task", *columns, "stages", "seconds", ""]]
    for report in ordered:
        cells = [report.shown.get(name, "-") for name in columns]
        rows.append([report.slug, *cells, str(report.stages), f"{report.seconds:.1f}", report.verdict])
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    listed: dict[str, list[str]] = {}
    for report in ordered:
        for heading, entries in report.listed.items():
            listed.setdefault(heading, []).extend(f"  {report.slug} {entry}" for entry in entries)
    for heading, shown in listed.items():
        if shown:
            lines += [f"{heading}:", *shown]
    return lines
