"""How fast incidents are: ``python benchmarks/incidents.py [--runs N] [--incidents N]``.

First, for each size of ``clos``: the time from nothing to a network that is proven healthy with its traffic. Then whole
incidents of size 1 by the scripted expert, two at a time, as a run has them: deployment, traffic, injection,
verification, agent, scores, and the end of the lab.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench.generators.series import read_series
from pytest_netbench.trial.stage import Stage

SIZES = ("s", "m", "l")


def healthy_s(size: str, platform: str, index: int) -> tuple[int, float]:
    """The number of nodes of a network, and the seconds until it is proven healthy."""
    series = read_series(
        f"diagnose:scenario=dc_clos,platforms={platform},routings=bgp,size={size},hosts=1,healthy=1,n={index + 1}"
    )
    task = series.source(index).load()
    began = time.monotonic()
    stage = Stage(task)
    try:
        stage.prepare()
        stage.health()
        return len(task.network.topology.nodes), time.monotonic() - began
    finally:
        stage.destroy()


def incidents_per_hour(count: int, platform: str) -> float:
    """Incidents that a run with two workers does in an hour."""
    drawn = f"diagnose:scenario=dc_clos,platforms={platform},size=s,faults=1,n={count},seed=5"
    argv = [
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--agent=runbook-expert",
        "--netbench-generate",
        drawn,
        "--netbench-unproven",
    ]
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, *argv, "--rootdir", folder], check=False, cwd=folder, capture_output=True, text=True
        )
        took = time.monotonic() - began
    print("\n".join(line for line in done.stdout.splitlines() if "routing " in line or "passed" in line))
    return count / took * 3600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="networks of each size (3)")
    parser.add_argument("--incidents", type=int, default=60, help="incidents in the run (60)")
    parser.add_argument("--platform", default="frr", help="frr or cisco_ios")
    chosen = parser.parse_args()
    for size in SIZES:
        found = [healthy_s(size, chosen.platform, index) for index in range(chosen.runs)]
        times = [seconds for _, seconds in found]
        print(
            f"{size}: {found[0][0]} nodes, {statistics.median(times):.1f} s ({min(times):.1f} to {max(times):.1f})",
            flush=True,
        )
    print(f"{incidents_per_hour(chosen.incidents, chosen.platform):.0f} incidents an hour")


if __name__ == "__main__":
    main()
