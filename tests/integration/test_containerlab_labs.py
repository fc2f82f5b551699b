"""Labs of containerlab beside each other, large ones, and events in them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.integration.containerlab import NEEDED, NOTHING, TASK, Site

pytestmark = NEEDED

ANOTHER = "tasks/security/zone-stateful-filter.task.yaml"


def test_two_labs_run_at_once(site: Site) -> None:
    shown, results = site.pytest(TASK, ANOTHER, "--agent=oracle", "-n", "2")
    assert {one["node_id"].rpartition("::")[2]: one["status"] for one in results} == {
        "nat-port-forward[oracle]": "passed",
        "zone-stateful-filter[oracle]": "passed",
    }, shown
    first, second = sorted(results, key=lambda one: str(one["started_at"]))
    began, next_began = (datetime.fromisoformat(one["started_at"]).timestamp() for one in (first, second))
    assert next_began < began + first["duration_s"], "one began when the other had ended"
    assert site.left() == NOTHING


LINE = """
import ipaddress, json, sys, time
from pathlib import Path
import yaml
from pytest_netbench import parts
from pytest_netbench.backends.containerlab import commands
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Topology

COUNT = 20
cables = [{"endpoints": [{"node": f"n{i}", "interface": "right"}, {"node": f"n{i + 1}", "interface": "left"}]}
          for i in range(COUNT - 1)]
topology = Topology.model_validate({"nodes": [{"name": f"n{i}"} for i in range(COUNT)], "links": cables})
configs = {}
for i in range(COUNT):
    lines = [f"address add 10.9.{i}.1/32 dev lo"]
    if i:
        lines += [f"address add 10.0.{i - 1}.2/30 dev left"]
        lines += [f"route add 10.9.{j}.1 via 10.0.{i - 1}.1 src 10.9.{i}.1" for j in range(i)]
    if i < COUNT - 1:
        lines += [f"address add 10.0.{i}.1/30 dev right"]
        lines += [f"route add 10.9.{j}.1 via 10.0.{i}.2 src 10.9.{i}.1" for j in range(i + 1, COUNT)]
    configs[f"n{i}"] = "\\n".join(["sysctl -qw net.ipv4.ip_forward=1", "ip -batch - <<END", *lines, "END"])
request = LabRequest(
    name="line", topology=topology, dialects=dict.fromkeys(configs, "linux"), startup_configs=configs, strict=True
)
backend = parts.load("backends", "containerlab")()
said = {"alone": [], "deploy": []}
for _ in range(2):
    lab = backend.deploy(request)
    said["deploy"].append(lab.deploy_s)
    file = yaml.safe_load((lab.folder / "topology.clab.yml").read_text())
    found = lab.prober.matrix({f"n{i}": f"10.9.{i}.1" for i in range(COUNT)}, repetitions=1)
    said["flows"] = [len(found), sum(one.delivered for one in found.values())]
    lab.destroy()
    lab.await_cleanup()
    alone = Path(sys.argv[1]) / "alone.clab.yml"
    file["name"], file["mgmt"]["network"] = "alone", "netbench-alone"
    alone.write_text(yaml.safe_dump(file))
    began = time.monotonic()
    commands.containerlab("deploy", "--topo", str(alone), "--format", "json")
    said["alone"].append(time.monotonic() - began)
    commands.containerlab("destroy", "--topo", str(alone), "--cleanup")
print(json.dumps(said))
"""
MORE_S = 0.5


def test_twenty_nodes_are_up_hardly_later_than_their_containers(site: Site, say: Any, tmp_path: Path) -> None:
    shown = site.run("-c", LINE, str(tmp_path))
    said = json.loads(next(line for line in shown.splitlines() if line.startswith("{")), parse_float=float)
    assert said["flows"] == [380, 380]
    ours, alone = min(said["deploy"]), min(said["alone"])
    say(f"20 nodes: {ours:.2f} s from deploy to configured, containerlab alone {alone:.2f} s")
    assert ours <= alone + MORE_S, said
    assert site.left() == NOTHING
