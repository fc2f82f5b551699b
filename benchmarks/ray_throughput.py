"""What a trial on a Ray cluster costs: ``python -m benchmarks.ray_throughput [--trials N] [--waiting N]``.

The trials do nothing. A cluster of one node with eight worker processes is started in a network namespace. The costs
of a trial are the difference between a run of N and one of a tenth of it: start-up does not count. Then trials that
wait for a second are run, 32 at a time in each worker.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table
from benchmarks.noop import install
from tests.integration.ray_site import RAY, RaySite, running
from tests.support.programs import obtained

WORKERS: Final = 8
AT_ONCE: Final = 32
_EVERY_S: Final = 0.2


@dataclass(frozen=True)
class Cost:
    """Wall and processor seconds of pytest, the most memory of it and of all workers, and bytes of results."""

    wall_s: float
    processor_s: float
    driver_mb: float
    workers_mb: float
    results_bytes: int


def measured(site: RaySite, series: str, *options: str) -> Cost:
    """Run pytest on drawn tasks to its end."""
    began = time.monotonic()
    most, stop = [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(_EVERY_S):
            most[0] = max(most[0], sum(map(_resident_mb, site.workers())))

    watching = threading.Thread(target=watch)
    watching.start()
    argv = (f"--netbench-generate={series}", "--netbench-unproven", "--agent=nop", "-q", "--no-header", "--tb=no")
    with site.pytest(*argv, f"--netbench-ray-workers={WORKERS}", *options) as run:
        _, status, usage = os.wait4(run.process.pid, 0)
        run.process.returncode = os.waitstatus_to_exitcode(status)
    stop.set()
    watching.join()
    if run.process.returncode:
        raise SystemExit(run.output)
    size = sum(path.stat().st_size for path in run.results.rglob("*") if path.is_file())
    return Cost(
        wall_s=time.monotonic() - began,
        processor_s=usage.ru_utime + usage.ru_stime,
        driver_mb=usage.ru_maxrss / 1024,
        workers_mb=most[0],
        results_bytes=size,
    )


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(argv: Sequence[str] | None = None) -> None:
    """Print the costs of a trial."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--waiting", type=int, default=2_560)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        (Path(folder) / "pytest.ini").write_text("[pytest]\n")
        with running(obtained(RAY, say=print) / "site", Path(folder), nodes=1, cores=WORKERS) as site:
            few = measured(site, f"noop:n={given.trials // 10}")
            many = measured(site, f"noop:n={given.trials}")
            at_once = f"--netbench-ray-trials={AT_ONCE}"
            none = measured(site, f"noop:n={WORKERS * AT_ONCE},wait_s=0", at_once)
            waiting = measured(site, f"noop:n={given.waiting},wait_s=1", at_once)
    more = given.trials - given.trials // 10
    rate = more / (many.wall_s - few.wall_s)
    ideal_s, more_s = given.waiting / (WORKERS * AT_ONCE), waiting.wall_s - none.wall_s
    whole = given.trials / many.wall_s
    rows = [
        ("trials a second, start-up not counted", f"{rate:.0f}", "100", f"{whole:.0f} of the whole run"),
        ("driver: processor ms a trial", f"{1000 * (many.processor_s - few.processor_s) / more:.1f}", "8", ""),
        (
            "driver: kB a trial",
            f"{1024 * (many.driver_mb - few.driver_mb) / more:.1f}",
            "20",
            f"{many.driver_mb:.0f} MB",
        ),
        ("results: kB a trial on disk", f"{many.results_bytes / given.trials / 1024:.1f}", "", ""),
        (f"{WORKERS} workers: MB together", f"{waiting.workers_mb:.0f}", "4096", ""),
        (
            f"{WORKERS * AT_ONCE} that wait 1 s: % of the ideal rate",
            f"{100 * ideal_s / more_s:.0f}",
            "85",
            f"{more_s:.1f} s",
        ),
    ]
    table(f"{given.trials} trials that do nothing", rows)


if __name__ == "__main__":
    main()
