"""What a run is worth that is killed: ``python benchmarks/resume.py [--kills N] [--workers N] [--seed N]``.

The same tasks run twice on real labs, by an agent that passes and one that does not. One run is left alone. The other
one is killed (``kill -9`` of the pytest process) at so many random moments, and goes on each time with
``--netbench-resume``. In the end both must have the same final file, up to times and what was measured in them, and
nothing of a lab may be left.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
TASKS: Final = ("tasks/security", "tasks/qos")
TIMES: Final = ("started_at", "duration_s", "deploy_s", "agent_s", "evaluate_s", "budget_used", "environment")
MEASURED: Final = ("latency", "outage")
"""Scores that are times."""


def command(folder: Path, option: str, workers: int) -> list[str]:
    """A run of the tasks that stores its results in ``folder``."""
    agents = ("--agent=oracle", "--agent=nop")
    return [
        *(sys.executable, "-m", "pytest", *TASKS, *agents, "-q", "-p", "no:cacheprovider", "--tb=no"),
        *("-n", str(workers), f"{option}={folder}"),
    ]


def final(folder: Path) -> list[dict[str, Any]]:
    """The final file without times: each line with the verdict of each testcase, without what it measured."""
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    for line in lines:
        for name in TIMES:
            line.pop(name)
        line["testcase_results"] = [[one["name"], one["status"]] for one in line["testcase_results"]]
        for score in line["scores"]:
            if score["metric"] in MEASURED:
                score.clear()
            score.pop("explanation", None)
            score.pop("evidence", None)
    return lines


def done(folder: Path) -> int:
    """How many results a run that was cut off has stored."""
    return sum(len(file.read_text().splitlines()) for file in folder.glob("results-*.jsonl"))


def left_behind() -> list[str]:
    """Processes of labs that still run."""
    listed = subprocess.run(["ps", "-e", "-o", "args="], check=True, capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if "/usr/lib/frr/" in line or "pytest_netbench" in line]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10, help="how often the run is killed (10)")
    parser.add_argument("--workers", type=int, default=2, help="workers of xdist (2)")
    parser.add_argument("--seed", type=int, default=1, help="draws the moments (1)")
    chosen = parser.parse_args()
    source = random.Random(chosen.seed)
    before = left_behind()
    with tempfile.TemporaryDirectory(prefix="resume-") as name:
        whole, cut = Path(name, "whole"), Path(name, "cut")
        began = time.monotonic()
        subprocess.run(command(whole, "--netbench-results", chosen.workers), cwd=ROOT, check=False, capture_output=True)
        took = time.monotonic() - began
        print(f"left alone: {took:.0f} s, {len(final(whole))} trials", flush=True)
        for number in range(chosen.kills):
            option = "--netbench-resume" if cut.exists() else "--netbench-results"
            process = subprocess.Popen(
                command(cut, option, chosen.workers), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            moment = source.uniform(0, took / 4)
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
            print(f"kill {number + 1:2} after {moment:5.1f} s: {done(cut)} results stored", flush=True)
        option = "--netbench-resume" if cut.exists() else "--netbench-results"
        subprocess.run(command(cut, option, chosen.workers), cwd=ROOT, check=False, capture_output=True)
        ours, theirs = final(cut), final(whole)
    differing = [(one, other) for one, other in zip(ours, theirs, strict=False) if one != other]
    for one, other in differing:
        print(f"differs: {one['node_id']}: {[key for key in one if one[key] != other.get(key)]}")
    ends_at = time.monotonic() + 15
    while (left := [line for line in left_behind() if line not in before]) and time.monotonic() < ends_at:
        time.sleep(0.2)
    print(f"{len(ours)} of {len(theirs)} trials, {len(differing)} differ, {len(left)} processes left")
    sys.exit(len(ours) != len(theirs) or bool(differing) or bool(left))


if __name__ == "__main__":
    main()
