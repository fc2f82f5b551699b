"""One cycle on NetArena's star compared with plain Mininet: ``python benchmarks/mininet_star.py [--runs N]``, as root.

A cycle is deploy, inject (a router's interface goes down), the full matrix of pings with a timeout of 100 ms, and
destroy with its cleanup. Needs Debian's packages ``mininet`` and ``bridge-utils``. Mininet pings each pair once; the
prober here sends unanswered probes a second time. Both cycles run in turn; medians are compared.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table
from benchmarks.networks import star
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import request_of

SIZES = (((2, 2), 2.5), ((4, 4), 5.0), ((8, 4), 8.0))
_TIMEOUT_S = 0.1
_PEER = Path(__file__).with_name("mininet_peer.py")
_PHASES = ("deploy", "inject", "matrix", "destroy")
Cycle = dict[str, Any]


def mininet_cycle(subnets: int, hosts: int, *, repairs: bool = False) -> Cycle:
    """The cycle on Mininet, in namespaces of its own; ``repairs``: with a repair, and matrices before and after."""
    command = (
        f"mount -t sysfs sysfs /sys && ip link set lo up && exec /usr/bin/python3 {_PEER} {subnets} {hosts}"
        f" {_TIMEOUT_S}{' repair' if repairs else ''}"
    )
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-c", command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"Mininet failed (fix: apt-get install -y mininet bridge-utils): {done.stderr}")
    return dict(json.loads(done.stdout))


def our_cycle(backend: NetnsBackend, subnets: int, hosts: int) -> Cycle:
    """The cycle on this project's labs."""
    task, where = star(subnets, hosts)
    marks = [time.monotonic()]
    lab = backend.deploy(request_of(task))
    marks.append(time.monotonic())
    lab.nodes["r0"].run(["ip", "link", "set", "eth1", "down"])
    marks.append(time.monotonic())
    probes = [
        Probe(source=source, target=address, timeout_s=_TIMEOUT_S)
        for source in where
        for name, address in where.items()
        if name != source
    ]
    results = lab.prober.probe(probes)
    answered = sum(result.delivered for result in results)
    marks.append(time.monotonic())
    lab.destroy()
    lab.await_cleanup()
    marks.append(time.monotonic())
    phases = {name: marks[number + 1] - marks[number] for number, name in enumerate(_PHASES)}
    return {**phases, "total": marks[-1] - marks[0], "answered": answered}


def expected(subnets: int, hosts: int) -> int:
    """How many pairs answer: those of the network without the second subnet, and those within that subnet."""
    others = (subnets - 1) * hosts + 1
    return others * (others - 1) + hosts * (hosts - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    backend = NetnsBackend()
    rows = []
    for (subnets, hosts), factor in SIZES:
        ours: list[Cycle] = []
        theirs: list[Cycle] = []
        for _ in range(options.runs):
            theirs.append(mininet_cycle(subnets, hosts))
            ours.append(our_cycle(backend, subnets, hosts))
        here, there = (statistics.median(cycle["total"] for cycle in cycles) for cycles in (ours, theirs))
        wrong = sum(cycle["answered"] != expected(subnets, hosts) for cycle in ours)
        met = "met" if there / here >= factor and not wrong else "MISSED"
        rows.append(
            (
                f"{subnets}x{hosts}: cycle, median",
                f"{here:.3f} s, Mininet {there:.3f} s",
                f"{there / here:.1f} times as fast, {factor:g} {met}; {wrong} of {len(ours)} matrices wrong",
                f"{_phases(ours)}; Mininet {_phases(theirs)}",
            )
        )
    table("Deploy, inject, full faulty matrix, destroy", rows)


def _phases(cycles: list[Cycle]) -> str:
    return " ".join(f"{name} {statistics.median(cycle[name] for cycle in cycles):.3f}" for name in _PHASES)


if __name__ == "__main__":
    main()
