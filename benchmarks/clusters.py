"""Clusters on this machine: ``python benchmarks/clusters.py [--runs N]``, with the programs of a control plane at hand.

From nothing to a healthy Online Boutique with a new control plane and with one that runs already, a whole repair of it
by the oracle, the reset after it, an application of 40 workloads, and the memory of the control plane and of a pod.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.kube.binaries import find
from pytest_netbench.backends.kube.sharing import shared
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.task import Task
from pytest_netbench.trial.stage import Stage

BOUTIQUE = "repair-kubernetes:n=1,seed=1,applications=boutique,level=1,labels=RI"
LARGE = "repair-kubernetes:n=1,seed=1,applications=drawn,services=40,level=1"
PARTS = ("healthy", "fault", "repair", "verdict", "reset")


def task_of(series: str) -> Task:
    return read_series(series).source(0).load()


def repaired(task: Task) -> dict[str, float]:
    """Wall seconds of each part of a repair by the oracle; memory of a pod in MB."""
    moments = [time.monotonic()]
    stage = Stage(task)
    try:
        stage.prepare()
        stage.health()
        moments.append(time.monotonic())
        stage.inject()
        stage.settle()
        moments.append(time.monotonic())
        stage.work(Oracle())
        moments.append(time.monotonic())
        record = stage.evaluate()
        moments.append(time.monotonic())
        pod = statistics.median(pods_mb())
        lab = stage.lab
    finally:
        stage.destroy()
    assert lab is not None
    lab.await_cleanup()
    moments.append(time.monotonic())
    assert all(one.status == "pass" for one in record.testcase_results)
    took = [after - before for before, after in pairwise(moments)]
    return {**dict(zip(PARTS, took, strict=True)), "pod": pod}


def turnover(task: Task) -> float:
    """Wall seconds from the end of a trial until the next one has a healthy application."""
    first = Stage(task)
    first.prepare()
    began = time.monotonic()
    first.destroy()
    second = Stage(task)
    try:
        second.prepare()
        second.health()
        return time.monotonic() - began
    finally:
        second.destroy()


def pods_mb() -> Iterator[float]:
    """The proportional memory of the program of each pod."""
    for found in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"/opt/netbench/lib/pod.py" in found.read_bytes():
                yield pss_mb(int(found.parent.name))
        except OSError:
            continue


def pss_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from descendants(int(child))


def row(name: str, values: list[float], target: float, unit: str) -> tuple[str, str, str, str]:
    least = min(values)
    said = f"{target:g} {unit} {'met' if least <= target else 'MISSED'}"
    return name, f"{least:.2f} {unit}", said, " ".join(f"{one:.2f}" for one in values)


def cold(runs: int) -> list[float]:
    """Seconds to a healthy application, each in a process of its own, whose imports are done before."""
    code = (
        "import time\nfrom benchmarks.clusters import *\nimport pytest_netbench.backends.kube.deployment\n"
        "task = task_of(BOUTIQUE)\nprint(repaired(task)['healthy'])"
    )
    folder = Path(__file__).parents[1]
    done = [
        subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
        for _ in range(runs)
    ]
    return [float(one.stdout) for one in done]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    first = cold(runs)
    boutique, large = task_of(BOUTIQUE), task_of(LARGE)
    repaired(boutique)
    small_ones = [repaired(boutique) for _ in range(runs)]
    turnovers = [turnover(boutique) for _ in range(runs)]
    large_ones = [repaired(large)["healthy"] for _ in range(runs)]
    plane = shared(find())
    table(
        "clusters",
        [
            row("12 workloads healthy, new control plane", first, 6, "s"),
            row("12 workloads healthy", [one["healthy"] for one in small_ones], 1, "s"),
            row("fault to verdict", [one["fault"] + one["repair"] + one["verdict"] for one in small_ones], 1.5, "s"),
            row("reset", [one["reset"] for one in small_ones], 2, "s"),
            row("end of a trial to the next one healthy", turnovers, 1.5, "s"),
            row("40 workloads healthy", large_ones, 5, "s"),
            row("control plane", [sum(map(pss_mb, descendants(plane.pid)))], 600, "MB"),
            row("a pod", [one["pod"] for one in small_ones], 15, "MB"),
        ],
    )
    for part in PARTS[1:4]:
        print(f"  {part}: {' '.join(format(one[part], '.2f') for one in small_ones)} s")


if __name__ == "__main__":
    main()
