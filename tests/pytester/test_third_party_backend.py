"""The backend of docs/how-to/add-a-backend.md, installed by an entry point: devices that somebody else runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.how_to_package import install

PATIENCE_S = 200
TASK = """
task_name: R1 reaches the LAN of R2
platform: cisco_ios
intents: R1 must have a static route to 198.51.100.0/24 by R2 (192.0.2.2).
topology:
  nodes: [R1, R2]
  links: [R1 GigabitEthernet0/0 <-> R2 GigabitEthernet0/0]
startup_configs:
  R1: [hostname R1, interface GigabitEthernet0/0, ip address 192.0.2.1 255.255.255.0, no shutdown]
  R2: [hostname R2, interface GigabitEthernet0/0, ip address 192.0.2.2 255.255.255.0, no shutdown]
ground_truth_configs:
  R1: [ip route 198.51.100.0 255.255.255.0 192.0.2.2]
testcases:
  - {name: the route is there, kind: show, device: R1, commands: show ip route static, expected_output: "198.51.100.0"}
"""
PACKETS = "  - {name: R2 answers, kind: reachability, from: R1, to: R2}\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install("add-a-backend.md", tmp_path_factory.mktemp("site"))


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[Path]:
    """The file with logins to two routers that another process runs."""
    (tmp_path / "two.task.yaml").write_text(TASK)
    (tmp_path / "packets.task.yaml").write_text(TASK + PACKETS)
    command = [sys.executable, "-m", "pytest_netbench.cli", "lab", "two.task.yaml", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        yield Path(json.loads(lab.stdout.readline())["ssh"]["inventory"])
        lab.terminate()


def run(site: Path, cwd: Path, devices: Path | None, *words: str) -> subprocess.CompletedProcess[str]:
    given = {} if devices is None else {"MY_DEVICES": str(devices)}
    return subprocess.run(
        [sys.executable, "-m", *words],
        env=os.environ | {"PYTHONPATH": str(site)} | given,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_doctor_says_what_it_knows_and_what_is_missing(site, tmp_path, devices):
    known = run(site, tmp_path, devices, "pytest_netbench.cli", "doctor", "--backend", "my-devices")
    assert known.returncode == 0, known.stdout + known.stderr
    assert "R1, R2" in known.stdout
    missing = run(site, tmp_path, None, "pytest_netbench.cli", "doctor", "--backend", "my-devices")
    assert missing.returncode == 1
    assert "set MY_DEVICES" in missing.stdout


def test_agents_work_on_the_devices_and_are_scored(site, tmp_path, devices):
    options = ("-p", "no:cacheprovider", "--netbench-backend=my-devices", "--netbench-results=results", "-rs")
    idle = run(site, tmp_path, devices, "pytest", "two.task.yaml", "--agent=nop", *options)
    assert "1 failed" in idle.stdout, idle.stdout + idle.stderr
    right = run(site, tmp_path, devices, "pytest", "two.task.yaml", "--agent=oracle", *options)
    assert "1 passed" in right.stdout, right.stdout + right.stderr
    results = [json.loads(line) for line in (tmp_path / "results/results.jsonl").read_text().splitlines()]
    assert {one["environment"]["backend"] for one in results} == {"my-devices"}
    assert {one["environment"]["isolation"]["runs_as"] for one in results} == {"my login"}


def test_a_task_that_needs_packets_or_another_device_is_skipped_with_a_sentence(site, tmp_path, devices):
    (tmp_path / "three.task.yaml").write_text(TASK.replace("[R1, R2]", "[R1, R2, R3]"))
    done = run(
        site, tmp_path, devices, "pytest", "packets.task.yaml", "three.task.yaml", "--agent=oracle",
        "--netbench-backend=my-devices", "-rs", "-p", "no:cacheprovider",
    )  # fmt: skip
    assert "2 skipped" in done.stdout, done.stdout + done.stderr
    assert "no login to R3 is known" in done.stdout
    assert "probes" in done.stdout
