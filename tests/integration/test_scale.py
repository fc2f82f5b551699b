"""The script behind the figures of docs/explanation/scale.md runs, and finds what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/scale.md"


def rows(text: str) -> dict[str, list[float]]:
    """Numbers of the rows of a table, by the first cell."""
    found = [line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| [a-z-]+, size \d", line)]
    return {name: [float(cell.split()[0]) for cell in cells] for name, *cells in found}


def test_a_lab_has_the_size_that_the_page_says() -> None:
    script = [sys.executable, "-m", "benchmarks.scale", "--labs", "ring:1"]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ((name, measured),) = rows(done.stdout).items()
    said = rows(PAGE.read_text())
    assert len(said) >= 5
    nodes, processes, memory_mb, *_, on_disk_kb, sent_kb = measured
    assert said[name][:2] == [nodes, processes]
    for at_page, now in zip((said[name][2], *said[name][-2:]), (memory_mb, on_disk_kb, sent_kb), strict=True):
        assert now / 2 < at_page < now * 2
