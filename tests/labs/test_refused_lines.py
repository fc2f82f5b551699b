"""Lines that devices refuse: named with their places by ``validate --boot``, ``record``, the self-test and pytest."""

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

from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.cli.main import main
from pytest_netbench.lab.request import request_of
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.selftest import REFUSED, selftest
from tests.support.netns_networks import pair

REPOSITORY = Path(__file__).parents[2]
TASK = """\
task_name: Two hosts and a router
platform: linux
intents: [a reaches b]
topology:
  nodes: [a, b, {name: r, platform: frr}]
  links: [a eth0 <-> b eth0, b eth1 <-> r eth0]
startup_configs:
  a: |
    ip address add 10.0.0.1/24 dev eth0
    # a comment

    ip adress add 10.0.0.9/24 dev eth0
  b:
    - ip address add 10.0.0.2/24 dev eth0
    - ip route add 10.9.0.0/16 via 10.0.0.9 table nine
  r: |
    interface eth0
     ip address 10.0.1.1/24
     ip ospf netwrk broadcast
ground_truth_configs:
  b: |
    ! what b lacks
    ip address add 10.0.0.3/24 dev eth0
    ip link set eth0 upp
testcases:
  - {name: t, kind: reachability, from: a, to: 10.0.0.3, within: 2s}
"""
GOOD = (
    TASK.replace("ip adress add 10.0.0.9", "ip address add 10.0.0.9")
    .replace(" table nine", "")
    .replace("     ip ospf netwrk broadcast\n", "")
    .replace("    ip link set eth0 upp\n", "")
)


@pytest.fixture(autouse=True)
def _labs_can_run() -> None:
    lack = NetnsBackend().lacks(request_of(pair()))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


@pytest.fixture
def write(tmp_path):
    def _write(text, name="hosts.task.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return _write


def test_validate_without_a_lab_takes_what_only_a_device_can_refuse(write, capsys):
    text = TASK.replace("     ip ospf netwrk broadcast\n", "")
    assert main(["validate", str(write(text))]) == 0, capsys.readouterr().err


def test_boot_names_the_place_of_each_refused_line(write, capsys):
    path = write(TASK)
    assert main(["validate", "--boot", str(path)]) == 1
    out, err = capsys.readouterr()
    found = [line.removeprefix(f"{path}:") for line in err.splitlines() if " s: lab " not in line]
    assert [line.partition(" refuses ")[0] for line in found] == ["12:5: a", "15:7: b", "19:6: r", "24:5: b"]
    assert found[0].startswith("12:5: a refuses 'ip adress add 10.0.0.9/24 dev eth0': Object \"adress\" is unknown")
    assert found[2].endswith("% Unknown command: ip ospf netwrk broadcast")
    assert out == ""


def test_boot_finds_the_lines_of_a_json_file_and_of_recorded_solutions(write, capsys):
    fields = yaml.safe_load(TASK)
    path = write(json.dumps(fields, indent=1), "hosts.task.json")
    lines = path.read_text().split("\n")
    (path.parent / ".solutions").mkdir()
    right = {"name": "r1", "reason": "x", "configs": {"b": ["ip address add 10.0.0.3/16 dev eth0"]}}
    wrong = {"name": "w", "reason": "x", "configs": {"a": ["ip link set eth0 downn"]}}
    solutions = {
        "right": [right, right | {"name": "r2", "configs": {"b": ["ip addr add 10.0.0.3/8 dev eth0"]}}],
        "wrong": [wrong | {"name": f"w{number}"} for number in range(5)],
    }
    recorded = path.parent / ".solutions" / "hosts.yaml"
    recorded.write_text(yaml.safe_dump(json.loads(json.dumps(solutions)), sort_keys=False))
    assert main(["validate", "--boot", str(path)]) == 1
    said = capsys.readouterr().err
    err = [line for line in said.splitlines() if " refuses " in line]
    assert err, said
    own = [line.removeprefix(f"{path}:").split(":") for line in err if line.startswith(f"{path}:")]
    assert [lines[int(line) - 1][int(column) - 1 :][:5] for line, column, *_ in own] == [
        "ip ad",
        "ip ro",
        "ip os",
        "ip li",
    ]
    assert sum(line.startswith(f"{recorded}:") and "'ip link set eth0 downn'" in line for line in err) == 5


def test_boot_of_a_good_task_finds_nothing_and_goes_on_after_a_bad_one(write, capsys):
    bad, good = write(TASK), write(GOOD, "good.task.yaml")
    assert main(["validate", "--boot", str(bad), str(good)]) == 1
    assert f"{good}: ok (good, 3 nodes, 1 testcases, no recorded solutions, digest " in capsys.readouterr().out
    assert main(["validate", "--boot", str(good)]) == 0


def test_a_network_that_cannot_be_deployed_here_is_told(write, capsys):
    path = write(GOOD + "requirements: [warp-drive]\n")
    assert main(["validate", "--boot", str(path)]) == 1
    assert f"{path}: not booted, as this machine cannot deploy it: " in capsys.readouterr().err


def test_ctrl_c_leaves_no_lab(write):
    paths = [write(GOOD, f"t{number}.task.yaml") for number in range(20)]
    command = [sys.executable, "-m", "pytest_netbench.cli", "validate", "--boot", *map(str, paths)]
    marker = f"validate-{os.getpid()}-{time.monotonic_ns()}"
    process = subprocess.Popen(
        command, cwd=REPOSITORY, env={**os.environ, "NETBENCH_TEST": marker}, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    seen = ""
    while "t2.task.yaml: 0 s: lab 1 of 1" not in seen:
        seen = process.stderr.readline()
        assert seen, "the command ended"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "netbench: interrupted"
    deadline = time.monotonic() + 20
    while (left := _with_environment(marker)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def _with_environment(marker: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and marker.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_the_self_test_lists_refused_startup_lines(write):
    text = GOOD.replace("ip address add 10.0.0.9", "ip adress add 10.0.0.9")
    report = selftest(load_task(write(text)))
    assert report.listed[REFUSED][0].startswith("a line 4: ip adress add 10.0.0.9/24 dev eth0: Object")


def test_record_names_the_place_of_refused_lines(write, capsys):
    path = write(GOOD.replace("10.0.0.3/24 dev eth0\ntest", "10.0.0.3/24 dev eth0\n    ip link set eth0 upp\ntest"))
    assert main(["record", str(path)]) == 1
    assert f"{path}:23:5: b refused 'ip link set eth0 upp': " in capsys.readouterr().err


@pytest.fixture
def shown(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeini("[pytest]\n")

    def _shown(text, *arguments):
        tasks = pytester.path / "tasks"
        tasks.mkdir(exist_ok=True)
        (tasks / "hosts.task.yaml").write_text(text)
        return pytester.runpytest_subprocess("tasks", *arguments, timeout=200)

    return _shown


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_pytest_warns_of_refused_startup_lines_and_blames_no_agent(shown, workers):
    result = shown(GOOD.replace("ip address add 10.0.0.9", "ip adress add 10.0.0.9"), "--agent=oracle", *workers)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "warning: devices refused 1 line of startup configs, which is no failure of an agent:",
            "  tasks/hosts.task.yaml:12:5: a refused 'ip adress add 10.0.0.9/24 dev eth0': *",
        ]
    )


def test_a_refused_line_of_a_strict_task_is_an_error_with_its_place(shown):
    result = shown(TASK + "strict: true\n", "--agent=nop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "tasks/hosts.task.yaml:12:5: a: startup config line 4 was rejected: *",
            "tasks/hosts.task.yaml:15:7: b: startup config line 2: *",
        ]
    )


def test_a_refused_truth_of_a_strict_task_is_an_error_and_no_failure_of_the_oracle(shown):
    text = GOOD.replace("10.0.0.3/24 dev eth0\ntest", "10.0.0.3/24 dev eth0\n    ip link set eth0 upp\ntest")
    result = shown(text + "strict: true\n", "--agent=oracle")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["tasks/hosts.task.yaml:23:5: b refused 'ip link set eth0 upp': *"])
    shown(text, "--agent=oracle").assert_outcomes(failed=1)


def test_a_task_without_testcases_is_an_error_of_pytest(shown):
    result = shown(GOOD.partition("testcases:")[0] + "testcases: []\n", "--agent=nop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["tasks/hosts.task.yaml:23:1: the task has no testcase, so every answer would pass;*"])
