"""What the self-test showed, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def table(reports: Sequence[dict[str, Any]]) -> list[str]:
    """One row per task, then the ground-truth lines that may be left out, with the reasons."""
    ordered = sorted(reports, key=lambda report: str(report["slug"]))
    columns = list(dict.fromkeys(name for report in ordered for name in report["shown"]))
    rows = [["task", *columns, "labs", "seconds", ""]]
    for report in ordered:
        cells = [report["shown"].get(name, "-") for name in columns]
        rows.append([report["slug"], *cells, str(report["labs"]), f"{report['seconds']:.1f}", report["verdict"]])
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    survivors = [
        f"  {report['slug']} {one['node']}: {one['line']!r}: {one['reason'] or 'not explained'}"
        for report in ordered
        for one in report["survivors"]
    ]
    return [*lines, *(["lines that no testcase misses:", *survivors] if survivors else [])]
