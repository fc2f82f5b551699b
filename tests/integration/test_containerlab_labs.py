"""Labs of containerlab beside each other, large ones, and events in them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from tests.integration.containerlab import NEEDED, NOTHING, TASK, Site

pytestmark = NEEDED

MOST_TIMES = 2
"""Beside other work; ``benchmarks/containerlab.py`` says what it is on a machine with nothing else to do."""
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


def test_twenty_nodes_carry_all_flows_and_their_deployment_is_compared_with_containerlabs_own(
    site: Site, say: Any
) -> None:
    shown = site.run("benchmarks/containerlab.py", "--only", "deploy", "--runs", "1", "--json")
    runs = json.loads(shown.splitlines()[0])["deploy"]["20"]
    assert runs["flows"] == runs["delivered"] == [380]
    (ours,), (alone,) = runs["deploy_s"], runs["alone_s"]
    say(f"20 nodes: {ours:.2f} s from deploy to configured, containerlab alone {alone:.2f} s")
    assert ours <= MOST_TIMES * alone
    assert site.left() == NOTHING


EVENTS = """
task_name: A detour
intents: pc reaches srv by r1 and r2, and by r3 while the cable between these is cut
platform: frr
topology:
  nodes: [r1, r2, {name: r3, control: observed}, {name: pc, platform: linux, control: observed},
    {name: srv, platform: linux, control: observed}]
  links: [r1 eth0 <-> r2 eth0, r1 eth1 <-> r3 eth0, r2 eth1 <-> r3 eth1, pc eth0 <-> r1 eth2, srv eth0 <-> r2 eth2]
startup_configs:
  r1: |
    interface eth0
     ip address 10.0.12.1/30
    interface eth1
     ip address 10.0.13.1/30
    interface eth2
     ip address 10.1.0.1/24
  r2: |
    interface eth0
     ip address 10.0.12.2/30
    interface eth1
     ip address 10.0.23.1/30
    interface eth2
     ip address 10.2.0.1/24
  r3: |
    interface eth0
     ip address 10.0.13.2/30
    interface eth1
     ip address 10.0.23.2/30
    ip route 10.1.0.0/24 10.0.13.1
    ip route 10.2.0.0/24 10.0.23.1
  pc: |
    ip address add 10.1.0.10/24 dev eth0
    ip route add default via 10.1.0.1
  srv: |
    ip address add 10.2.0.10/24 dev eth0
    ip route add default via 10.2.0.1
ground_truth_configs:
  r1: |
    ip route 10.2.0.0/24 10.0.12.2
    ip route 10.2.0.0/24 10.0.13.2 200
  r2: |
    ip route 10.1.0.0/24 10.0.12.1
    ip route 10.1.0.0/24 10.0.23.2 200
events:
  cut: {cut: r1 eth0}
  down: [{cut: r1 eth0}, {fail: r3}]
  up: [{cut: r1 eth0}, {fail: r3}, {recover: r3}, {restore: r1 eth0}]
  rebooted: {reboot: r1}
testcases:
  - {name: direct, kind: path, from: pc, to: srv, hops: [r1, r2, srv]}
  - {name: around, kind: path, from: pc, to: srv, hops: [r1, r3, r2, srv], under: cut, within: 20s}
  - {name: no way, kind: reachability, from: pc, to: srv, expected: denied, under: down, within: 20s, role: regression}
  - {name: direct again, kind: path, from: pc, to: srv, hops: [r1, r2, srv], under: up, within: 20s}
  - {name: direct after a reboot, kind: path, from: pc, to: srv, hops: [r1, r2, srv], under: rebooted, within: 30s}
"""


def test_cables_are_cut_and_nodes_go_down_and_come_back(site: Site) -> None:
    task = site.folder / "a-detour.task.yaml"
    task.write_text(EVENTS)
    shown, (result,) = site.pytest(str(task), "--agent=oracle")
    verdicts = {one["name"]: one["status"] for one in result["testcase_results"]}
    assert list(verdicts.values()) == ["pass"] * 5, shown
    assert site.left() == NOTHING
