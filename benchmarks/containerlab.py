"""Labs of containerlab: deploying beside containerlab alone, and evaluating beside netns.

``python benchmarks/containerlab.py [--runs N] [--only deploy|evaluate] [--task FILE]``

It needs root, Docker, containerlab, and images for ``frr`` and ``linux`` (``NETBENCH_KINDS``). Timers of protocols are
not counted: the networks that are deployed have static routes, and what is evaluated is the steady phase, without
events. The two sides alternate.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path.cwd()))

from benchmarks.measure import table, verdict
from benchmarks.networks import line_of_hosts
from pytest_netbench import parts
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.backends.containerlab import commands, leftovers
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.results.reference import ReferenceStore
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import Settings, Stage

TASK = Path("tasks/security/nat-port-forward.task.yaml")
MORE_S = 0.5
RATIO = 1.3


def deployed(count: int, folder: Path) -> dict[str, Any]:
    """A line of hosts, deployed by the backend and by containerlab alone; wall seconds, flows, and how many arrived."""
    task, addresses = line_of_hosts(count)
    lab = parts.load("backends", "containerlab")().deploy(request_of(task))
    file = yaml.safe_load((lab.folder / leftovers.TOPOLOGY).read_text())
    found = lab.prober.matrix(addresses, repetitions=1)
    lab.destroy()
    lab.await_cleanup()
    alone = folder / "alone.clab.yml"
    file["name"], file["mgmt"]["network"] = "alone", "netbench-alone"
    alone.write_text(yaml.safe_dump(file))
    began = time.monotonic()
    commands.containerlab("deploy", "--topo", str(alone), "--format", "json")
    alone_s = time.monotonic() - began
    commands.containerlab("destroy", "--topo", str(alone), "--cleanup")
    delivered = sum(one.delivered for one in found.values())
    return {"deploy_s": lab.deploy_s, "alone_s": alone_s, "flows": len(found), "delivered": delivered}


def evaluated(path: Path, backend: str) -> float:
    """Wall seconds of the evaluation of the ground truth, without testcases under events.

    Raises:
        SystemExit: A testcase failed.
    """
    task = _steady(load_task(path))
    behaviour = ReferenceStore.around(path.parent, root=Path.cwd()).load(load_task(path))
    settings = Settings(backend=backend, where=path.parent, reference=lambda _: behaviour)
    with Stage(task, settings) as stage:
        stage.work(Oracle())
        began = time.monotonic()
        record = stage.evaluate()
        took_s = time.monotonic() - began
    for result in record.testcase_results:
        if result.status != "pass":
            raise SystemExit(f"{backend}: {result.name}: {result.actual}")
    return took_s


def _steady(task: Task) -> Task:
    steady = tuple(one for one in task.payload.testcases if one.under is None)
    return task.model_copy(update={"payload": task.payload.model_copy(update={"testcases": steady})})


def main() -> None:
    """Measure, and print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", choices=("deploy", "evaluate"))
    parser.add_argument("--task", type=Path, default=TASK)
    parser.add_argument("--json", action="store_true", help="print one object with all runs")
    arguments = parser.parse_args()
    found: dict[str, Any] = {}
    if arguments.only != "evaluate":
        found["deploy"] = {count: _all_deployed(count, arguments.runs) for count in (2, 20)}
    if arguments.only != "deploy":
        pairs = [[evaluated(arguments.task, one) for one in ("netns", "containerlab")] for _ in range(arguments.runs)]
        found["evaluate"] = dict(zip(("netns", "containerlab"), map(list, zip(*pairs, strict=True)), strict=True))
    print(json.dumps(found)) if arguments.json else _show(found, arguments.task)


def _all_deployed(count: int, runs: int) -> dict[str, list[Any]]:
    with tempfile.TemporaryDirectory() as folder:
        all_of_them = [deployed(count, Path(folder)) for _ in range(runs)]
    return {name: [one[name] for one in all_of_them] for name in all_of_them[0]}


def _show(found: dict[str, Any], task: Path) -> None:
    for count, runs in found.get("deploy", {}).items():
        ours, alone = min(runs["deploy_s"]), min(runs["alone_s"])
        rows = [
            ("to configured", f"{ours:.2f} s", verdict(ours, round(alone + MORE_S, 2), "s"), _listed(runs["deploy_s"])),
            ("containerlab alone", f"{alone:.2f} s", "", _listed(runs["alone_s"])),
        ]
        table(f"a line of {count} hosts, {min(runs['delivered'])} of {runs['flows'][0]} flows arrive", rows)
    if (runs := found.get("evaluate")) is not None:
        ratio = min(runs["containerlab"]) / min(runs["netns"])
        rows = [(name, f"{min(seconds):.2f} s", "", _listed(seconds)) for name, seconds in runs.items()]
        table(f"evaluation of {task.name}", [*rows, ("ratio", f"{ratio:.2f}", verdict(ratio, RATIO, "times"), "")])


def _listed(values: list[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


if __name__ == "__main__":
    main()
