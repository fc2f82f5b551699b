"""Response time of a router in its persistent session: ``python benchmarks/session.py``."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import table, verdict
from benchmarks.networks import ospf_ring
from pytest_netbench import parts
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of

_COMMANDS = ("show ip route", "show ip ospf neighbor", "show interface brief", "show running-config")
_REPEATS = 100


def main() -> None:
    platform = parts.load("drivers", "frr")()
    lab = NetnsBackend().deploy(request_of(ospf_ring(4)))
    try:
        node = lab.nodes["R0"]
        started = time.perf_counter()
        platform.execute(node, "show version")
        opened = (time.perf_counter() - started) * 1000
        rows = [("first command, which opens the session", f"{opened:.0f} ms", "", "")]
        for command in _COMMANDS:
            times = []
            for _ in range(_REPEATS):
                started = time.perf_counter()
                platform.execute(node, command)
                times.append((time.perf_counter() - started) * 1000)
            median, worst = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            rows.append(
                (
                    command,
                    f"{median:.2f} ms",
                    verdict(median, 5, "ms"),
                    f"median of {_REPEATS}; 95 % within {worst:.2f}",
                )
            )
    finally:
        lab.destroy()
    table("Session", rows)


if __name__ == "__main__":
    main()
