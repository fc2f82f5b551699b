"""Deploy and destroy times of labs: ``python benchmarks/lab_speed.py [--quick] [--runs N]``."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measure import best, table, verdict
from benchmarks.networks import (
    ospf_ring,
    proportional_memory,
    router_and_host,
    two_bgp_routers,
    two_routers_two_hosts,
)
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task

Row = tuple[str, str, str, str]
_SIDE_BY_SIDE = 8


def deploy_rows(name: str, task: Task, target_s: float, runs: int) -> tuple[list[Row], float]:
    """Rows for deploy, destroy, cleanup and memory of one network; the best deploy beside them."""
    backend = NetnsBackend()
    destroys: list[float] = []
    cleanups: list[float] = []
    memory: list[float] = []
    scales: list[float] = []
    routers = sum(task.network.platform_of(node.name) != "linux" for node in task.network.topology.nodes)

    def once() -> float:
        lab = backend.deploy(request_of(task))
        memory.append(proportional_memory(lab.supervisor_pid)["bytes"] / routers / 1e6)
        scales.append(lab.time_scale)
        lab.destroy()
        lab.await_cleanup()
        destroys.append(lab.destroy_s * 1000)
        cleanups.append(lab.cleanup_s)
        return lab.deploy_s

    least, deploys = best(runs, once)
    rows = [
        (f"{name}: deploy", f"{least:.2f} s", verdict(least, target_s, "s"), _list(deploys, 2)),
        (f"{name}: destroy", f"{min(destroys):.0f} ms", verdict(min(destroys), 50, "ms"), _list(destroys, 0)),
        (
            f"{name}: cleanup",
            f"{min(cleanups):.2f} s",
            verdict(min(cleanups), 1, "s"),
            _list(cleanups, 2),
        ),
        (
            f"{name}: memory per router",
            f"{min(memory):.1f} MB",
            verdict(min(memory), 20, "MB"),
            f"lab time x{scales[0]:g}",
        ),
    ]
    return rows, least


def memory_row(name: str, task: Task) -> Row:
    """Memory per router of a small lab, and that of the process that starts all labs."""
    lab = NetnsBackend().deploy(request_of(task))
    routers = sum(task.network.platform_of(node.name) != "linux" for node in task.network.topology.nodes)
    status = Path(f"/proc/{lab.supervisor_pid}/status").read_text()
    starter = int(next(line.split()[1] for line in status.splitlines() if line.startswith("PPid:")))
    own = proportional_memory(lab.supervisor_pid)["bytes"] / 1e6
    both = proportional_memory(starter)["bytes"] / 1e6
    lab.destroy()
    lab.await_cleanup()
    what = f"{name}: memory per router"
    return (what, f"{own / routers:.1f} MB", verdict(own / routers, 20, "MB"), f"starter {both - own:.1f} MB")


def side_by_side(runs: int) -> Row:
    """Eight labs of four routers at once."""
    task, backend = ospf_ring(4), NetnsBackend()

    def once() -> float:
        started = time.monotonic()
        with ThreadPoolExecutor(_SIDE_BY_SIDE) as pool:
            labs = list(
                pool.map(lambda _: backend.deploy(request_of(task, workers=_SIDE_BY_SIDE)), range(_SIDE_BY_SIDE))
            )
        taken = time.monotonic() - started
        for lab in labs:
            lab.destroy()
        return taken

    least, all_of_them = best(runs, once)
    return ("eight labs of four routers at once", f"{least:.2f} s", verdict(least, 4.0, "s"), _list(all_of_them, 2))


def wall_time(task: Task, quick_s: float) -> Row:
    """The same lab without scaled lab time."""
    lab = NetnsBackend().deploy(request_of(task, time_scale=1.0))
    lab.destroy()
    ratio = f"{lab.deploy_s / quick_s:.1f} times as long"
    return ("two routers, two hosts, lab time x1", f"{lab.deploy_s:.2f} s", ratio, "1 run")


def _list(values: list[float], digits: int) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the large rings")
    parser.add_argument("--runs", type=int, default=5, help="runs of a small lab; large ones run less often")
    options = parser.parse_args()
    small, quick_s = deploy_rows("two routers, two hosts", two_routers_two_hosts(), 0.8, options.runs)
    lean = (
        memory_row("an OSPF router, a host", router_and_host()),
        memory_row("two BGP routers", two_bgp_routers()),
        memory_row("OSPF ring of 4", ospf_ring(4)),
    )
    rows = [*small, *lean, wall_time(two_routers_two_hosts(), quick_s), side_by_side(min(3, options.runs))]
    for routers, target_s in () if options.quick else ((30, 6.0), (100, 12.0)):
        more, _ = deploy_rows(f"OSPF ring of {routers}", ospf_ring(routers), target_s, min(2, options.runs))
        rows += more
    table("Labs", rows)


if __name__ == "__main__":
    main()
