"""Overhead of the installed plugin in an ordinary pytest run: ``python benchmarks/pytest_overhead.py``."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table, verdict

_PAIRS = 15
_TEST = "def test_nothing():\n    pass\n"


def run(folder: Path, *options: str) -> float:
    """Milliseconds of one pytest run in ``folder``."""
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    started = time.perf_counter()
    subprocess.run(argv, cwd=folder, check=True, capture_output=True)
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Run with and without the plugin in turn, so that other load affects both equally."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "test_one.py").write_text(_TEST)
        (folder / "pytest.ini").write_text("[pytest]\n")
        run(folder), run(folder, "-p", "no:netbench")
        pairs = [(run(folder), run(folder, "-p", "no:netbench")) for _ in range(_PAIRS)]
    with_plugin, without = (min(pair[side] for pair in pairs) for side in (0, 1))
    medians = [statistics.median(pair[side] for pair in pairs) for side in (0, 1)]
    added = with_plugin - without
    table(
        "Ordinary pytest run",
        [
            ("without the plugin", f"{without:.0f} ms", "", f"median {medians[1]:.0f}"),
            ("with the plugin", f"{with_plugin:.0f} ms", "", f"median {medians[0]:.0f}"),
            ("added", f"{added:.0f} ms", verdict(added, 30, "ms"), f"of medians {medians[0] - medians[1]:.0f}"),
        ],
    )


if __name__ == "__main__":
    main()
