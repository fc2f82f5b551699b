"""What a run survives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.support.cable import namespaces_work


def test_a_worker_that_dies_is_an_error_and_the_rest_is_reported_and_kept(bench):
    bench.task("aaa")
    bench.task("bbb")
    bench.task("ccc")
    bench.task("dies", requirements=["process-dies"])
    result = bench.run("--agent=oracle", "-n2")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(
        ["*worker 'gw*' crashed while running 'tasks/access/dies.task.yaml::dies[[]oracle[]]'*"]
    )
    (crashed,) = [entry for entry in bench.results() if entry["status"] == "error"]
    assert crashed["agent"]["id"] == "oracle"
    assert "crashed while running" in crashed["error"]
    passed = [entry for entry in bench.results() if entry["status"] == "passed"]
    assert sorted(entry["node_id"].partition("::")[2] for entry in passed) == [
        "aaa[oracle]",
        "bbb[oracle]",
        "ccc[oracle]",
    ]


def test_an_agent_that_kills_its_process_costs_no_other_result(bench):
    bench.task("aaa")
    bench.task("bbb")
    result = bench.run("--agent=oracle", "--agent=mine:Dies", "-n2")
    assert result.parseoutcomes()["passed"] == 2
    assert result.parseoutcomes()["failed"] == 2
    assert len([entry for entry in bench.results() if entry["status"] == "passed"]) == 2


def test_ctrl_c_leaves_the_finished_results_merged(bench, workers):
    bench.task("aaa")
    bench.task("slow")
    (bench.path / "conftest.py").write_text(
        "import os, time\n"
        "def pytest_netbench_lab_ready(lab, task):\n"
        "    if task.slug == 'slow':\n"
        "        deadline = time.monotonic() + 20\n"
        "        while time.monotonic() < deadline: time.sleep(0.05)\n"
    )
    argv = [sys.executable, "-m", "pytest", "tasks", "--agent=oracle", *workers]
    child = subprocess.Popen(
        argv, cwd=bench.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (bench.labs("destroy") and len(bench.labs()) == 2):
        time.sleep(0.05)
    time.sleep(0.3)  # what ended must have been reported
    os.killpg(child.pid, signal.SIGINT)
    child.communicate(timeout=30)
    assert [entry["node_id"].partition("::")[2] for entry in bench.results()] == ["aaa[oracle]"]
    assert len(bench.labs("destroy")) == 2


def test_a_result_that_cannot_be_written_makes_the_item_an_error_and_the_run_goes_on(bench, workers):
    bench.task("aaa")
    bench.task("bbb")
    (bench.path / "conftest.py").write_text(
        "import os\n"
        "def pytest_netbench_trial_finished(record):\n"
        "    path = f\"out/results-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl\"\n"
        "    if record.task.slug == 'aaa':\n"
        "        os.rename(path, 'begun')\n"
        "        os.makedirs(path)\n"
        "    elif os.path.isdir(path): os.rmdir(path)\n"
    )
    result = bench.run("--agent=oracle", "--netbench-results=out", *workers)
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*results cannot be written*give another directory with --netbench-results DIR"])
    result.stdout.fnmatch_lines(["ERROR *aaa[[]oracle[]] - *"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret == 1
    assert len(bench.labs("destroy")) == 2


@pytest.mark.skipif(not namespaces_work(), reason="needs user namespaces: sysctl kernel.unprivileged_userns_clone=1")
def test_a_full_disk_makes_the_item_an_error_and_the_run_goes_on(bench):
    bench.task("aaa")
    bench.task("bbb")
    (bench.path / "out").mkdir()
    (bench.path / "conftest.py").write_text(
        "import os\n"
        "def pytest_netbench_trial_finished(record):\n"
        "    if record.task.slug != 'aaa':\n"
        "        os.unlink('out/filler')\n"
        "        return\n"
        "    with open('out/filler', 'wb', buffering=0) as file:\n"
        "        try:\n"
        "            while True: file.write(bytes(4096))\n"
        "        except OSError: pass\n"
    )
    shell = (
        "mount -t tmpfs -o size=200k none out && "
        f"{sys.executable} -m pytest tasks --agent=oracle --netbench-results=out; code=$?; cp -r out kept; exit $code"
    )
    argv = ["unshare", "-Urm", "sh", "-c", shell]
    done = subprocess.run(argv, cwd=bench.path, capture_output=True, text=True, timeout=60, check=False)
    assert "2 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "No space left on device" in done.stdout
    assert done.returncode == 1
    entries = {one["node_id"].rpartition("::")[2]: one for one in bench.results("kept")}
    # a line may still fit into the file that has the beginnings of trials; a transcript does not
    assert entries.get("aaa[oracle]", {"transcript": None})["transcript"] is None
    assert entries["bbb[oracle]"]["transcript"] is not None


def test_many_items_on_few_workers_all_run_once(bench):
    for index in range(9):
        bench.task(f"t{index}")
    result = bench.run("--agent=oracle", "-n3", "-v")
    result.assert_outcomes(passed=9)
    assert len(bench.labs()) == 9


def test_more_workers_than_items_is_fine(bench):
    bench.task("reach")
    bench.run("--agent=oracle", "-n3").assert_outcomes(passed=1)


def test_ordinary_tests_run_beside_tasks(bench, workers):
    bench.task("reach")
    (bench.path / "tasks" / "test_plain.py").write_text("def test_a(): pass\ndef test_b(): assert 0\n")
    bench.run("--agent=oracle", *workers).assert_outcomes(passed=2, failed=1)


def test_another_dist_mode_is_left_to_xdist(bench):
    bench.task("reach")
    bench.task("other")
    bench.run("--agent=oracle", "-n2", "--dist=worksteal").assert_outcomes(passed=2)
