"""The network OS of docs/how-to/add-a-network-os.md, installed by entry points: a dialect and a driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.how_to_package import install

PATIENCE_S = 100
TASK = """
task_name: The LANs of two routers reach each other
platform: brace-os
intents: The LANs 198.51.100.0/24 and 203.0.113.0/24 reach each other.
topology:
  nodes: [R1, R2, {name: A, platform: linux, control: observed}, {name: B, platform: linux, control: observed}]
  links: [R1 eth0 <-> R2 eth0, R1 eth1 <-> A eth0, R2 eth1 <-> B eth0]
startup_configs:
  R1: |
    interfaces {
        eth0 { address 192.0.2.1/24; }
        eth1 { address 198.51.100.1/24; }
    }
  R2: |
    interfaces {
        eth0 { address 192.0.2.2/24; }
        eth1 { address 203.0.113.1/24; }
    }
    routes {
        198.51.100.0/24 via 192.0.2.1;
    }
  A: [ip address add 198.51.100.10/24 dev eth0, ip route add default via 198.51.100.1]
  B: [ip address add 203.0.113.10/24 dev eth0, ip route add default via 203.0.113.1]
ground_truth_configs:
  R1: [set routes 203.0.113.0/24 via 192.0.2.2]
testcases:
  - {name: A reaches B, kind: reachability, from: A, to: B, within: 2s}
  - {name: R1 has the route, kind: route, device: R1, prefix: 203.0.113.0/24, protocol: static, next_hops: 192.0.2.2}
"""
AGENT = """
from pytest_netbench import AgentInfo, Submission


class Hasty:
    info = AgentInfo(id="hasty", strategy="hasty")

    def run(self, brief, ani):
        before = ani.get_running_cfg("R1")["running_config"]
        route = "set routes 203.0.113.0/24 via 192.0.2.2"
        refused = ani.update_cfg("R1", [route, "set interfaces eth0 adress 192.0.2.9/24"])
        assert [one["status"] for one in refused["results"]] == ["error", "error"], refused
        lost = ani.update_cfg("R1", [route, "set routes 10.0.0.0/8 via 172.16.0.1"])
        assert "not committed: " in lost["results"][0]["message"], lost
        assert ani.get_running_cfg("R1")["running_config"] == before
        assert "203.0.113.0/24" not in ani.execute_cmd("R1", "show routes")["output"]
        ani.update_cfg("R1", [route, "set interfaces eth0 address 192.0.2.9/24"])
        ani.update_cfg("R1", ["delete interfaces eth0 address 192.0.2.9/24"])
        return Submission(reasoning="R1 lacked the route.")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install("add-a-network-os.md", tmp_path_factory.mktemp("site"))


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    (tmp_path / "lans.task.yaml").write_text(TASK)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents/hasty.py").write_text(AGENT)
    return tmp_path


def run(site: Path, bench: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PYTHONPATH": str(site)},
        cwd=bench,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def scores(bench: Path) -> dict[str, dict[str, float]]:
    lines = (bench / "results/results.jsonl").read_text().splitlines()
    found = {one["agent"]["id"]: one["scores"] for one in map(json.loads, lines)}
    return {agent: {score["metric"]: score["value"] for score in given} for agent, given in found.items()}


def test_a_task_on_the_network_os_is_solved_and_scored(site, bench):
    agents = ("--agent=oracle", "--agent=nop", "--agent=hasty:Hasty")
    proof = ("--netbench-selftest", "--netbench-selftest-claims=oracle,nop,omissions", "--netbench-selftest-repeats=1")
    proven = run(site, bench, "pytest", "lans.task.yaml", *proof, "-p", "no:cacheprovider")
    assert "1 passed" in proven.stdout, proven.stdout + proven.stderr
    done = run(site, bench, "pytest", "lans.task.yaml", *agents, "-p", "no:cacheprovider", "--netbench-results=results")
    assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    found = scores(bench)
    assert found["oracle"]["command"] == found["hasty.Hasty"]["command"] == 1
    assert found["nop"]["command"] == 0


def test_a_line_of_a_startup_config_that_it_refuses_is_reported_with_its_number(site, bench):
    wrong = TASK.replace("eth1 { address 198.51.100.1/24; }", "eth1 { adress 198.51.100.1/24; }")
    (bench / "lans.task.yaml").write_text(wrong.replace("platform: brace-os", "platform: brace-os\nstrict: true"))
    done = run(site, bench, "pytest", "lans.task.yaml", "--agent=oracle", "-p", "no:cacheprovider")
    said = " ".join(done.stdout.split())
    assert "R1: startup config line 3 was rejected: 'adress 198.51.100.1/24': syntax error" in said, done.stdout
