"""The plugin on labs of the default backend: what a run leaves when a process of it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from pytest_netbench import parts
from pytest_netbench.lab.request import request_of
from pytest_netbench.taskfile import load_task

TASK = {
    "task_name": "Let two hosts speak",
    "platform": "linux",
    "intents": ["a and b reach each other"],
    "topology": {"nodes": ["a", "b"], "links": ["a eth0 <-> b eth0"]},
    "startup_configs": {"a": "ip addr add 10.0.0.1/24 dev eth0", "b": "ip link set eth0 up"},
    "ground_truth_configs": {"b": ["ip addr add 10.0.0.2/24 dev eth0"]},
    "testcases": [{"kind": "reachability", "name": "ping", "from": "a", "to": "10.0.0.2", "intent": 1, "within_s": 5}],
}
HOLD = """
import os, time
def pytest_netbench_lab_ready(lab, task):
    if task.slug == "held":
        with open("held.part", "w") as file: file.write(str(os.getpid()))
        os.rename("held.part", "held.pid")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline: time.sleep(0.05)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two tasks; the lab of ``held`` stays up until its process is killed."""
    for slug in ("held", "quick"):
        (tmp_path / f"{slug}.task.yaml").write_text(yaml.safe_dump(TASK))
    lack = parts.load("backends", "netns")().lacks(request_of(load_task(tmp_path / "quick.task.yaml")))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    (tmp_path / "conftest.py").write_text(HOLD)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "pytest", "--agent=oracle", "--netbench-results=out", *arguments]
    return subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def until(condition, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not in {seconds:g} s: {what}"
        time.sleep(0.02)


def descendants(pid: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = status.read_text()
        except OSError:
            continue
        children.setdefault(int(text.rpartition(")")[2].split()[1]), []).append(int(status.parent.name))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found.update(mine)
        waiting += mine
    return found


def alive(pids: set[int]) -> set[int]:
    living = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            living.add(pid)
    return living


def results(folder: Path) -> dict[str, str]:
    lines = (folder / "out" / "results.jsonl").read_text().splitlines()
    return {one["node_id"].partition("::")[2]: one["status"] for one in map(json.loads, lines)}


def test_the_kill_of_a_worker_leaves_no_process_and_the_rest_is_reported(folder):
    run = started(folder, "-n2")
    until((folder / "held.pid").exists, 30, "the lab is up")
    worker = int((folder / "held.pid").read_text())
    lab = descendants(worker)
    assert lab
    until(
        lambda: any('"status"' in path.read_text() for path in (folder / "out").glob("results-*.jsonl")),
        30,
        "the other item has ended",
    )
    os.kill(worker, signal.SIGKILL)
    until(lambda: not alive(lab), 1, "every process of the lab is gone")
    output, _ = run.communicate(timeout=30)
    assert "1 passed, 1 error" in output, output
    assert run.returncode == 1
    assert results(folder) == {"held[oracle]": "error", "quick[oracle]": "passed"}


def test_the_kill_of_pytest_leaves_no_process_and_whole_results(folder):
    run = started(folder, "quick.task.yaml", "held.task.yaml")
    until((folder / "held.pid").exists, 30, "the lab is up")
    lab = descendants(run.pid)
    assert lab
    os.kill(run.pid, signal.SIGKILL)
    until(lambda: not alive(lab), 1, "every process of the lab is gone")
    run.communicate(timeout=30)
    lines = [json.loads(line) for line in (folder / "out" / "results-main.jsonl").read_text().splitlines()]
    assert [one["open"] for one in lines if "open" in one] == [
        f"{name}.task.yaml::{name}[oracle]" for name in ("quick", "held")
    ]
    assert [one["node_id"] for one in lines if "open" not in one] == ["quick.task.yaml::quick[oracle]"]


def test_ctrl_c_destroys_the_lab_and_merges_what_there_is(folder):
    run = started(folder, "quick.task.yaml", "held.task.yaml")
    until((folder / "held.pid").exists, 30, "the lab is up")
    lab = descendants(run.pid)
    os.kill(run.pid, signal.SIGINT)
    output, _ = run.communicate(timeout=30)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, output
    assert not alive(lab)
    assert results(folder) == {"quick[oracle]": "passed"}
