"""How long ``update-cfg`` takes in a small and in a large network: ``python benchmarks/update_cfg.py [--branches N]``.

The same lines are typed on the first router of a line of two routers with a host each, and of a tree of 155 nodes. In
both networks a port is shut down, and the flows between all hosts are watched.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))

from pytest_netbench import parts
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.generators.networks import NetworkParameters, draw_network, flow_groups
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.stage import Stage

FAULT = "port-shutdown"
BRANCHES = 7
CHANGES = 4
MOST_LONGER_S = 1.0


class Typist:
    """Types a line after the other on the first router, and notes how long each took."""

    info = AgentInfo(id="typist", strategy="typist")

    def __init__(self, changes: int) -> None:
        self._changes = changes
        self.seconds: list[float] = []

    def run(self, brief: Brief, ani: Ani) -> Submission:
        router = next(name for name, platform in brief.devices.items() if platform != "linux")
        for number in range(self._changes):
            before = time.monotonic()
            ani.update_cfg(router, ["interface Loopback9", f" ip address 10.99.{number}.1 255.255.255.255"])
            self.seconds.append(time.monotonic() - before)
        return Submission()


def network(shape: str, sizes: dict[str, int]) -> Task:
    """A network of IOS routers and hosts, of which one has a port that is shut down."""
    drawn = draw_network(
        NetworkParameters(shape=shape, routing="ospf", platform="cisco_ios", names="plain", sizes=sizes)
    )
    fault = parts.load("faults", FAULT)()
    *_, broken = fault.places(drawn)
    fields: dict[str, Any] = {
        **drawn.fields(),
        "flows": flow_groups(drawn),
        "faults": [{"fault": FAULT, "parameters": broken.model_dump(mode="json")}],
    }
    return Task.model_validate(
        {"task_name": "many hosts", "slug": "many-hosts", "family": "repair", "domain": "routing", **fields}
    )


def seconds(task: Task, changes: int = CHANGES) -> list[float]:
    """Return how long each change took in a network."""
    typist = Typist(changes)
    with Stage(task) as stage:
        stage.work(typist)
    return typist.seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--branches", type=int, default=BRANCHES, help="of the root of the large tree, and of each branch"
    )
    small = network("line", {"routers": 2, "hosts": 1})
    large = network("tree", {"depth": 2, "branches": parser.parse_args().branches, "hosts": 2})
    found = [seconds(task) for task in (small, large)]
    for task, each in zip((small, large), found, strict=True):
        nodes = len(request_of(task).topology.nodes)
        print(f"{nodes:>4} nodes: {' '.join(f'{one:.2f}' for one in each)} s, median {statistics.median(each):.2f} s")
    return int(statistics.median(found[1]) - statistics.median(found[0]) > MOST_LONGER_S)


if __name__ == "__main__":
    raise SystemExit(main())
