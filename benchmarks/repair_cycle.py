"""A whole drawn repair compared with Mininet: ``python benchmarks/repair_cycle.py [--runs N]``, as root.

Here a cycle is a trial of the oracle at a task of ``repair-routing``: deploy, all flows of the healthy network, the
fault, the observation that it took effect, the monitor's first sweep, the repair under the monitor, its last sweep, the
verdict on the flows, and destroy with its cleanup. Mininet has no monitor. Its cycle is deploy, a matrix, the fault, a
matrix, the repair, a matrix, and destroy: what is verified here is verified there, once. The flows are the pings of all
pairs on both sides; ``--all-flows`` adds the task's TCP flows on this side. Both cycles run in turn; medians are
compared.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table
from benchmarks.mininet_star import SIZES, mininet_cycle
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.generators.series import read_series
from pytest_netbench.model.repair import Repair
from pytest_netbench.model.task import Task
from pytest_netbench.trial import run_trial


def drawn(subnets: int, hosts: int, index: int, *, all_flows: bool = False) -> Task:
    """A star with a router's interface down; its flows are pings unless all are asked for."""
    series = read_series(
        f"repair-routing:n={index + 1},seed=1,level=1,labels=DI,policy=no,subnets={subnets},hosts={hosts}"
    )
    task = series.source(index).load()
    return task if all_flows else pings_of(task)


def pings_of(task: Task) -> Task:
    """The task without its other flows."""
    payload = task.payload
    assert isinstance(payload, Repair)
    kept = [number for number, flow in enumerate(payload.all_flows) if flow.protocol == "icmp"]
    fewer = {
        "flows": tuple(group for group in payload.flows if group.protocol == "icmp"),
        "symptom": tuple(kept.index(number) for number in payload.symptom or () if number in kept),
    }
    return task.model_copy(update={"payload": Repair.model_validate(payload.model_dump(exclude_unset=True) | fewer)})


def our_cycle(task: Task) -> tuple[float, bool]:
    """Wall seconds, and whether every flow was right at the end."""
    began = time.monotonic()
    record = run_trial(task, Oracle()).record
    taken = time.monotonic() - began
    return taken, all(result.status == "pass" for result in record.testcase_results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--all-flows", action="store_true", help="watch the task's TCP flows, too")
    options = parser.parse_args()
    rows = []
    for (subnets, hosts), factor in SIZES:
        ours, theirs, wrong = [], [], 0
        for index in range(options.runs):
            theirs.append(float(mininet_cycle(subnets, hosts, repairs=True)["total"]))
            taken, right = our_cycle(drawn(subnets, hosts, index, all_flows=options.all_flows))
            ours.append(taken)
            wrong += not right
        here, there = statistics.median(ours), statistics.median(theirs)
        met = "met" if there / here >= factor and not wrong else "MISSED"
        rows.append(
            (
                f"{subnets}x{hosts}: cycle, median",
                f"{here:.3f} s, Mininet {there:.3f} s",
                f"{there / here:.1f} times as fast, {factor:g} {met}; {wrong} of {len(ours)} repairs wrong",
                f"{min(ours):.3f} to {max(ours):.3f} s",
            )
        )
    table("Deploy, baseline, inject, observe, repair under the monitor, verify, destroy", rows)


if __name__ == "__main__":
    main()
