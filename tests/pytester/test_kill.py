"""``kill -9`` of a run, and of one of its workers, in the middle of a real lab."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.ios import eventually
from tests.support.netns_networks import pair

REPOSITORY = Path(__file__).parents[2]
TASK = {
    "task_name": "Let a reach b",
    "platform": "linux",
    "intents": [{"text": "a reaches b's second address"}],
    "topology": {"nodes": ["a", "b"], "links": ["a eth0 <-> b eth0"]},
    "startup_configs": {
        "a": "ip address add 10.0.0.1/24 dev eth0",
        "b": "ip address add 10.0.0.2/24 dev eth0",
    },
    "ground_truth_configs": {"b": ["ip address add 10.0.0.3/24 dev eth0"]},
    "testcases": [
        {"kind": "reachability", "name": "second", "from": "a", "to": "10.0.0.3", "within_s": 2},
    ],
}
CONFTEST = """
import os, time
def pytest_netbench_lab_ready(lab, task):
    with open(f"labs-{task.slug}", "w") as file:
        file.write(f"{os.getpid()} {lab.supervisor_pid}")
    deadline = time.monotonic() + 60
    while task.slug == "slow" and time.monotonic() < deadline:
        time.sleep(0.02)
"""


@pytest.fixture
def folder(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    lack = NetnsBackend().lacks(request_of(pair()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeini("[pytest]\n")
    pytester.makeconftest(CONFTEST)
    tasks = pytester.mkdir("tasks")
    for slug in ("first", "slow", "third"):
        (tasks / f"{slug}.task.yaml").write_text(yaml.safe_dump(TASK))
    return pytester.path


def start(folder: Path, *options: str, agent: str = "oracle", **environment: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "pytest", "tasks", f"--agent={agent}", "-p", "no:cacheprovider", *options]
    return subprocess.Popen(
        argv,
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lab_of(folder: Path, slug: str, run: subprocess.Popen[str]) -> tuple[int, host.Lab]:
    """The process that runs the lab of a task, and what the lab has, once it is there."""
    deadline = time.monotonic() + 60
    note = folder / f"labs-{slug}"
    while not (note.exists() and " " in note.read_text()):
        assert run.poll() is None, run.stdout.read() if run.stdout else ""
        assert time.monotonic() < deadline
        time.sleep(0.02)
    owner, supervisor = map(int, note.read_text().split())
    return owner, host.Lab.of(supervisor)


def results(folder: Path) -> list[dict[str, object]]:
    """All that was written, every line of which must be whole."""
    files = sorted((folder / ".netbench").rglob("results*.jsonl"))
    lines = {line for file in files for line in file.read_text().splitlines()}
    return [one for one in map(json.loads, lines) if "open" not in one]


def test_a_run_that_is_killed_leaves_whole_results_and_no_lab(folder: Path) -> None:
    with start(folder) as run:
        owner, lab = lab_of(folder, "slow", run)
        os.kill(owner, signal.SIGKILL)
        run.wait(timeout=10)
    assert lab.left_after(1.0) == []
    statuses = {entry["node_id"].partition("::")[2]: entry["status"] for entry in results(folder)}
    assert statuses == {"first[oracle]": "passed"}


@pytest.fixture
def scratch() -> Iterator[Path]:
    # sockets have short names only
    with tempfile.TemporaryDirectory() as directory:
        yield Path(directory)


def test_a_killed_run_leaves_no_program_of_its_agent_and_no_temporary_file(folder: Path, scratch: Path) -> None:
    sleeper = ["sh", "-c", f"echo $$ > {folder}/program; exec sleep 60"]
    agent = {"strategy": "program", "access": "ssh", "program": {"command": sleeper, "confine": False}}
    (folder / "sleeper.agent.yaml").write_text(yaml.safe_dump(agent))
    with start(folder, "-k", "first", agent="sleeper.agent.yaml", TMPDIR=str(scratch)) as run:
        owner, lab = lab_of(folder, "first", run)
        assert eventually(lambda: (folder / "program").exists() and len(list(scratch.glob("netbench-*"))) == 2)
        program = int((folder / "program").read_text())
        os.kill(owner, signal.SIGKILL)
        run.wait(timeout=10)
    assert lab.left_after(1.0) == []
    assert eventually(lambda: not Path(f"/proc/{program}").exists())
    assert eventually(lambda: list(scratch.iterdir()) == [])


def test_a_lab_of_a_worker_ends_with_the_controller(folder: Path) -> None:
    with start(folder, "-n2") as run:
        owner, lab = lab_of(folder, "slow", run)
        assert owner != run.pid
        os.kill(run.pid, signal.SIGKILL)
        assert lab.left_after(1.5) == []
        assert eventually(lambda: not Path(f"/proc/{owner}").exists(), within_s=2)


def test_a_worker_that_is_killed_costs_only_its_own_trial(folder: Path) -> None:
    with start(folder, "-n2") as run:
        owner, lab = lab_of(folder, "slow", run)
        os.kill(owner, signal.SIGKILL)
        assert lab.left_after(1.0) == []
        output, _ = run.communicate(timeout=60)
    assert "2 passed" in output
    assert "1 error" in output
    statuses = {entry["node_id"].partition("::")[2]: entry["status"] for entry in results(folder)}
    assert statuses == {"first[oracle]": "passed", "slow[oracle]": "error", "third[oracle]": "passed"}
