"""A fabric of P4 switches: how long it takes to deploy, the memory of a switch, and the packets that pass.

    python benchmarks/p4_fabric.py [--spines N] [--leaves N] [--hosts N] [--runs N]

Needs bmv2's ``simple_switch`` and ``iperf3``. Packets go from a host of the first leaf to one of the second leaf, over
three switches, and between two hosts of the first leaf, over one.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from pytest_netbench import parts
from pytest_netbench.generators.networks import DrawnNetwork, NetworkParameters, draw_network
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.platforms.p4 import switch

_SMALL = 64
_LARGE = 1400
_RATES = (1_000, 5_000, 20_000)
_SECONDS = 4


def deployed(network: DrawnNetwork) -> tuple[Any, float]:
    """A lab with the network, and the seconds until a ping between its first and last hosts is answered."""
    fields = {"task_name": "p4", "slug": "p4", "intents": [{"text": "none"}], **network.fields()}
    backend = parts.load("backends", "netns")()
    began = time.monotonic()
    lab = backend.deploy(request_of(Task.model_validate(fields)))
    first, last = network.hosts[0], network.hosts[-1]
    (echo,) = lab.prober.probe([Probe(source=first, target=network.addresses[last], timeout_s=5.0)])
    assert echo.answered, f"{last} does not answer {first}"
    return lab, time.monotonic() - began


def processes() -> set[Path]:
    """The folders of the switches that run on this machine."""
    found = set()
    for name in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):  # it has ended
            if name.read_text().strip() == switch.NAME:
                found.add(name.parent)
    return found


def resident_mb(process: Path) -> float:
    """The resident memory of a process."""
    fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) / 1024


def busy_s(own: set[Path]) -> float:
    """The processor time that switches have used."""
    used = (process.joinpath("stat").read_text().rpartition(")")[2].split() for process in own)
    return sum(int(fields[11]) + int(fields[12]) for fields in used) / os.sysconf("SC_CLK_TCK")


def serve(lab: Any, *targets: str) -> None:
    """Start servers of iperf3."""
    for target in targets:
        lab.nodes[target].start(["/usr/bin/iperf3", "-s"], lab_time=False)


def datagrams(
    lab: Any, network: DrawnNetwork, source: str, target: str, *, rate: int, size: int
) -> tuple[float, float]:
    """UDP datagrams that arrive in a second, and the share of those that were sent which is lost."""
    words = ["-u", "-b", str(rate * size * 8), "-l", str(size), "-t", str(_SECONDS)]
    done = _iperf(lab, network, source, target, words)["end"]["sum"]
    lost = done["lost_packets"] / max(done["packets"], 1)
    return done["packets"] * (1 - lost) / done["seconds"], lost


def megabits(lab: Any, network: DrawnNetwork, source: str, target: str) -> float:
    """What one TCP connection carries, in Mbit/s."""
    done = _iperf(lab, network, source, target, ["-t", str(_SECONDS)])
    return float(done["end"]["sum_received"]["bits_per_second"]) / 1e6


def _iperf(lab: Any, network: DrawnNetwork, source: str, target: str, words: list[str]) -> Any:
    client = ["/usr/bin/iperf3", "-J", "-c", network.addresses[target], *words]
    for _ in range(50):
        found = json.loads(lab.nodes[source].run(client, timeout_s=60).stdout)
        if "error" not in found:
            return found
        time.sleep(0.1)  # the server is not up yet
    raise SystemExit(f"iperf3: {found['error']}")


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("spines", 3), ("leaves", 4), ("hosts", 2), ("runs", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    sizes = {"spines": chosen.spines, "leaves": chosen.leaves, "hosts": chosen.hosts}
    network = draw_network(NetworkParameters(shape="p4-leaf-spine", sizes=sizes))
    times, others = [], processes()
    for run in range(chosen.runs):
        lab, took = deployed(network)
        times.append(took)
        if run < chosen.runs - 1:
            lab.destroy()
    try:
        took_s = f"median {statistics.median(times):.2f} s of {', '.join(f'{one:.2f}' for one in times)}"
        print(f"{len(network.topology.nodes)} nodes: {took_s}")
        own = processes() - others
        memory = [resident_mb(process) for process in own]
        print(f"memory of a switch: {min(memory):.0f} to {max(memory):.0f} MB ({len(memory)} switches)")
        serve(lab, "h1x2", "h2x1")
        for switches, target in ((1, "h1x2"), (3, "h2x1")):
            print(f"{switches} switches, TCP: {megabits(lab, network, 'h1x1', target):.1f} Mbit/s")
            for size, rate in product((_SMALL, _LARGE), _RATES):
                before = busy_s(own)
                got, lost = datagrams(lab, network, "h1x1", target, rate=rate, size=size)
                each = (busy_s(own) - before) / (got * _SECONDS * switches) * 1e6
                print(
                    f"{switches} switches, UDP of {size} bytes, {rate}/s: {got:.0f}/s arrive, {100 * lost:.1f} % lost,"
                    f" {each:.0f} us of processor time for each packet and switch"
                )
    finally:
        lab.destroy()


if __name__ == "__main__":
    main()
