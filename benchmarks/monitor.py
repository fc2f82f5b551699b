"""One sweep of the monitor over a star: ``python benchmarks/monitor.py [--runs N]``.

Processor time is that of this process and of all processes of the lab.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table, verdict
from benchmarks.prober import _addresses, star
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.watch import WatchedFlow

Row = tuple[str, str, str, str]
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
CUT_OFF = 10
"""Hosts whose packets are dropped: of the pairs of 33 nodes, half have one of them at an end."""


def flows(hosts: int) -> list[WatchedFlow]:
    """Pings between all nodes."""
    addresses = _addresses(hosts)
    return [
        WatchedFlow(source=source, target=target, address=addresses[target])
        for source, target in itertools.permutations(addresses, 2)
    ]


@contextmanager
def deployed(hosts: int) -> Iterator[Any]:
    """A star that is up."""
    lab = NetnsBackend().deploy(request_of(star(hosts)))
    try:
        yield lab
    finally:
        lab.destroy()


def sweeps(lab: Any, sweep: Callable[[], object], runs: int) -> tuple[list[float], float]:
    """Wall milliseconds of each sweep, and processor milliseconds of a sweep on average."""
    began, own = _processor_ms(lab), time.process_time()
    walls = []
    for _ in range(runs):
        started = time.monotonic()
        sweep()
        walls.append((time.monotonic() - started) * 1000)
    time.sleep(0.2)  # processes that only close sockets end a little later
    return walls, (_processor_ms(lab) - began + (time.process_time() - own) * 1000) / runs


def _processor_ms(lab: Any) -> float:
    """Of the supervisor and all its children that have ended, in ticks of the kernel."""
    fields = Path(f"/proc/{lab.supervisor_pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * TICK_MS


def row(name: str, lab: Any, sweep: Callable[[], object], *, runs: int, wall: float | None, busy: float | None) -> Row:
    """One row of the table."""
    walls, processor = sweeps(lab, sweep, runs)
    goals = [verdict(min(walls), wall, "ms")] if wall is not None else []
    goals += [f"processor {verdict(processor, busy, 'ms')}"] if busy is not None else []
    return (
        name,
        f"{min(walls):.0f} ms",
        ", ".join(goals),
        f"processor {processor:.0f} ms, slowest {max(walls):.0f} ms",
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    rows = []
    with deployed(16) as lab:
        watched = flows(16)
        sweeper = Sweeper(lab, watched)
        every = range(len(watched))
        name = f"17 nodes, {len(watched)} flows"
        rows.append(row(name, lab, lambda: sweeper.look(every), runs=runs, wall=None, busy=30))
    with deployed(32) as lab:
        watched = flows(32)
        sweeper = Sweeper(lab, watched)
        every = range(len(watched))
        name = f"33 nodes, {len(watched)} flows"
        rows.append(row(name, lab, lambda: sweeper.look(every), runs=runs, wall=150, busy=None))
        hosts = ", ".join(f"10.{number}.0.10" for number in range(1, CUT_OFF + 1))
        for command in (
            "nft add table ip cut",
            "nft add chain ip cut forward { type filter hook forward priority 0 ; }",
            f"nft add rule ip cut forward ip saddr {{ {hosts} }} drop",
        ):
            done = lab.nodes["r"].run(command.split())
            assert done.returncode == 0, done.stderr
        wrong = [number for number, is_wrong in sweeper.look(every).items() if is_wrong]
        name += f", {len(wrong)} dead"
        rows.append(row(f"{name} since now", lab, lambda: sweeper.look(every), runs=runs, wall=400, busy=None))
        again = row(f"{name} and known", lab, lambda: sweeper.look(every, silent=wrong), runs=runs, wall=400, busy=None)
        rows.append(again)
    table("Monitor", rows)


if __name__ == "__main__":
    main()
