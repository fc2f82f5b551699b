"""The prober with many probes: ``python benchmarks/prober.py [--runs N] [--loops N] [--hosts N] [--many N]``.

Runs with the code of any version that has ``lab.prober.probe``: start it in a checkout of another commit to compare.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table, verdict
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.model.task import Task

try:
    from pytest_netbench.lab.probing import Probe
except ImportError:  # before the prober had a module of its own
    from pytest_netbench.lab.protocols import Probe  # type: ignore[attr-defined,no-redef]
try:
    from pytest_netbench.lab.request import request_of
except ImportError:  # before backends read a request instead of a task

    def request_of(task):  # type: ignore[misc]
        return task


TIMEOUT_S = 0.1
Row = tuple[str, str, str, str]


def star(hosts: int) -> Task:
    """A router and hosts, each in a network of its own."""
    names = [f"h{number}" for number in range(1, hosts + 1)]
    router = "sysctl -w net.ipv4.ip_forward=1\n"
    router += "".join(f"ip address add 10.{number}.0.1/24 dev eth{number}\n" for number in range(1, hosts + 1))
    configs = {
        name: f"ip address add 10.{number}.0.10/24 dev eth0\nip route add default via 10.{number}.0.1\n"
        for number, name in enumerate(names, start=1)
    }
    links = [
        {"endpoints": [{"node": "r", "interface": f"eth{number}"}, {"node": name, "interface": "eth0"}]}
        for number, name in enumerate(names, start=1)
    ]
    return Task.model_validate(
        {
            "task_name": "star",
            "slug": "star",
            "platform": "linux",
            "intents": [{"text": "none"}],
            "topology": {"nodes": [{"name": name} for name in ("r", *names)], "links": links},
            "startup_configs": {"r": router, **configs},
        }
    )


def matrix(hosts: int, count: int | None = None) -> list[Probe]:
    """Echo probes from every node to every other; again from the start until there are ``count``."""
    addresses = _addresses(hosts)
    named = [
        Probe(source=source, target=addresses[target], timeout_s=TIMEOUT_S, **_arrival(target))
        for source, target in itertools.permutations(addresses, 2)
    ]
    return named if count is None else list(itertools.islice(itertools.cycle(named), count))


def _arrival(target: str) -> dict[str, Any]:
    return {"arrives_at": (target,)} if "arrives_at" in Probe.__dataclass_fields__ else {}


def _addresses(hosts: int) -> dict[str, str]:
    return {"r": "10.1.0.1", **{f"h{number}": f"10.{number}.0.10" for number in range(1, hosts + 1)}}


def broken(probe: Probe) -> bool:
    """Whether a probe has no path once the router forwards nothing: to a host or router address in another network."""
    return "r" not in (probe.source, _node(probe.target))


def _node(address: str) -> str:
    network, host = address.split(".")[1], address.rpartition(".")[2]
    return "r" if host == "1" else f"h{network}"


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Run busy loops in parallel."""
    processes = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(loops)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass


def measure(lab: Any, probes: list[Probe], *, runs: int, target_ms: float | None, name: str, healthy: bool) -> Row:
    """One row: time of a call, and verdicts that are wrong, over several runs."""
    times, wrong = [], []
    for _ in range(runs):
        started = time.monotonic()
        results = lab.prober.probe(probes)
        times.append((time.monotonic() - started) * 1000)
        wrong.append(
            sum(
                result.delivered == (broken(probe) and not healthy)
                for probe, result in zip(probes, results, strict=True)
            )
        )
    goal = "" if target_ms is None else verdict(min(times), target_ms, "ms")
    notes = f"median {statistics.median(times):.0f} ms, wrong: {sum(wrong)} in {runs} runs (most in one: {max(wrong)})"
    return (name, f"{min(times):.0f} ms", goal, notes)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--loaded-runs", type=int, default=10)
    parser.add_argument("--loops", type=int, default=4, help="busy loops beside")
    parser.add_argument("--hosts", type=int, default=32)
    parser.add_argument("--many", type=int, default=10_000)
    options = parser.parse_args()
    lab = NetnsBackend().deploy(request_of(star(options.hosts)))
    probes = matrix(options.hosts)
    many = matrix(options.hosts, options.many)
    rows = []
    try:
        rows.append(measure(lab, probes, runs=options.runs, target_ms=150, name=f"{len(probes)} healthy", healthy=True))
        if many:
            rows.append(measure(lab, many, runs=2, target_ms=None, name=f"{len(many)} healthy", healthy=True))
        with busy(options.loops):
            name = f"{len(probes)} healthy, {options.loops} busy loops"
            rows.append(measure(lab, probes, runs=options.loaded_runs, target_ms=None, name=name, healthy=True))
        lab.nodes["r"].run(["sysctl", "-w", "net.ipv4.ip_forward=0"])
        name = f"{len(probes)} mostly dead"
        rows.append(measure(lab, probes, runs=options.runs, target_ms=400, name=name, healthy=False))
        with busy(options.loops):
            name += f", {options.loops} busy loops"
            rows.append(measure(lab, probes, runs=options.loaded_runs, target_ms=None, name=name, healthy=False))
        if many:
            rows.append(measure(lab, many, runs=1, target_ms=None, name=f"{len(many)} mostly dead", healthy=False))
    finally:
        lab.destroy()
    table("Prober", rows)


if __name__ == "__main__":
    main()
