"""``netbench merge``: shards that were run in clones are one run; what is not whole or not of one run is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.support.memory_tasks import TASK

SHARDS = 4
RUN = ("tasks", "--agent=oracle", "--agent=mine:Half", "-q")
TIMES = {"started_at", "duration_s", "deploy_s", "agent_s", "evaluate_s", "wall_s", "at_s", "waited_s"}
TAKEN = re.compile(r"tried \d+ times? in [\d.]+ s( \([\d.]+ lab s\))?")


def timeless(value: Any) -> Any:
    """Without what takes another time in each run."""
    if isinstance(value, dict):
        if value.get("metric") == "latency" or value.get("scorer", "").startswith("latency/"):
            return None
        return {name: timeless(one) for name, one in value.items() if name not in TIMES}
    if isinstance(value, list):
        return [timeless(one) for one in value]
    return TAKEN.sub("", value) if isinstance(value, str) else value


def pytest_in(folder: Path, *options: str, status: int | None = None) -> str:
    argv = [sys.executable, "-m", "pytest", *options]
    ended = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert status is None or ended.returncode == status, ended.stdout + ended.stderr
    return ended.stdout


def netbench(folder: Path, *arguments: str) -> tuple[int, str, str]:
    argv = [sys.executable, "-m", "pytest_netbench.cli", *arguments]
    ended = subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return ended.returncode, ended.stdout, ended.stderr


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def files(folder: Path) -> dict[str, Any]:
    """All that a run leaves for others, without times."""
    found: dict[str, Any] = {"results": [timeless(one) for one in lines(folder)]}
    for path in sorted((folder / "transcripts").glob("*.json")):
        found[path.name] = timeless(json.loads(path.read_text()))
    for path in sorted((folder / "configs").rglob("*.cfg")):
        found[str(path.relative_to(folder))] = path.read_text()
    return found


def junit(path: Path) -> list[Any]:
    cases = ET.parse(path).getroot().iter("testcase")
    return sorted((timeless_case(case) for case in cases), key=str)


def timeless_case(case: ET.Element) -> Any:
    told = [
        (one.tag, TAKEN.sub("", str(one.get("message"))), TAKEN.sub("", one.text or ""))
        for one in case
        if one.tag != "properties"
    ]
    properties = {
        str(one.get("name")): one.get("value")
        for one in case.iter("property")
        if one.get("name") not in {"netbench.agent_s", "netbench.score.latency"}
    }
    return case.get("classname"), case.get("name"), told, properties


def ctrf(path: Path) -> list[Any]:
    tests = json.loads(path.read_text())["results"]["tests"]
    for one in tests:
        for name in ("start", "stop", "duration", "trace"):
            one.pop(name, None)
    return sorted((timeless(one) for one in tests), key=lambda one: str(one["name"]))


@pytest.fixture
def clones(bench):
    """A folder with twelve tasks, and a clone of it for each shard, each with its own cache."""
    soon = [{**testcase, "within_s": 0.05} for testcase in TASK["testcases"]]
    for number in range(12):
        bench.task(f"t{number:02}", domain=f"d{number % 3}", task_name=f"t{number:02}", testcases=soon)
    origin = bench.path / "origin"
    origin.mkdir()
    for name in ("tasks", "mine.py", "tox.ini"):
        shutil.move(bench.path / name, origin / name)
    for shard in range(1, SHARDS + 1):
        clone = shutil.copytree(origin, bench.path / f"clone-{shard}")
        cache = clone / ".pytest_cache" / "v" / "netbench" / "durations"
        cache.parent.mkdir(parents=True)
        cache.write_text(
            json.dumps(
                {
                    f"tasks/d{number % 3}/t{number:02}.task.yaml::t{number:02}[oracle]": 1.0 + (number * shard) % 7
                    for number in range(12)
                }
            )
        )
    return bench.path


def run_shards(clones: Path, *options: str, shards: tuple[int, ...] = (1, 2, 3, 4)) -> list[str]:
    """The results directories of shards."""
    for shard in shards:
        workers = ("-n2",) if shard == 2 else ()
        pytest_in(
            clones / f"clone-{shard}",
            *RUN,
            f"--netbench-shard={shard}/{SHARDS}",
            "--netbench-results=run",
            *options,
            *workers,
        )
    return [f"clone-{shard}/run" for shard in shards]


def test_four_shards_are_one_run_to_the_last_digit_but_for_times(clones):
    origin = clones / "origin"
    pytest_in(
        origin,
        *RUN,
        "--netbench-results=run",
        "--junitxml=junit.xml",
        "--netbench-ctrf=ctrf.json",
        "--netbench-save-baseline=b.json",
        status=1,
    )
    shards = run_shards(clones)
    status, told, errors = netbench(clones, "merge", *shards, "-o", "merged", "--baseline=origin/b.json")
    assert (status, errors) == (0, ""), told
    assert "merged: 24 trials of 4 directories (shards 1/4, 2/4, 3/4, 4/4)" in told
    assert "dropped: 0 results of trials that were run more than once" in told
    assert "the gate is passed" in told
    merged = clones / "merged"
    assert files(merged) == files(origin / "run")
    assert len(files(merged)) > 24
    netbench(clones, "merge", *reversed(shards), "-o", "again")
    assert (merged / "results.jsonl").read_bytes() == (clones / "again" / "results.jsonl").read_bytes()
    assert junit(clones / "again" / "junit.xml") == junit(origin / "junit.xml")
    assert ctrf(merged / "ctrf.json") == ctrf(origin / "ctrf.json")
    assert json.loads((merged / "ctrf.json").read_text())["results"]["extra"]["netbench"]["complete"]
    assert (merged / "report.html").is_file()
    assert len(list((merged / "report-trials").iterdir())) == 24
    assert "the gate is passed" in (merged / "verdict.md").read_text()
    about = json.loads((merged / "merged.json").read_text())
    assert (about["partial"], about["missing"], about["skipped"]) == (False, [], [])
    # what reads results reads it as one run
    for command in (("gate", "origin/b.json", "{}"), ("summarize", "{}"), ("compare", "{}"), ("rescore", "{}")):
        ran = [netbench(clones, *(one.format(folder) for one in command))[:2] for folder in ("origin/run", "merged")]
        assert ran[0][0] == ran[1][0] == 0
        if command[0] != "summarize":
            assert ran[0][1].replace("origin/run", "merged") == ran[1][1]
    durations = json.loads((merged / "durations.json").read_text())
    assert sorted(durations) == sorted(one["node_id"] for one in lines(merged))
    assert not list(clones.glob(".merged*"))


def test_a_shard_that_is_killed_is_missing_until_it_is_resumed(clones):
    (clones / "clone-3" / "conftest.py").write_text(
        "import os, time, pathlib\n"
        "def pytest_netbench_lab_ready(lab, task):\n"
        "    if not pathlib.Path('go-on').exists() and len(list(pathlib.Path('run').glob('transcripts/*'))) == 2:\n"
        "        pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "        time.sleep(60)\n"
    )
    shards = run_shards(clones, shards=(1, 2, 4))
    argv = [sys.executable, "-m", "pytest", *RUN, "--netbench-shard=3/4"]
    with subprocess.Popen([*argv, "--netbench-results=run"], cwd=clones / "clone-3", stdout=subprocess.DEVNULL) as run:
        ends_at = time.monotonic() + 120
        while not (clones / "clone-3" / "pid").exists() and time.monotonic() < ends_at:
            time.sleep(0.02)
        os.kill(run.pid, signal.SIGKILL)
    shards.append("clone-3/run")
    status, told, errors = netbench(clones, "merge", *shards, "-o", "merged")
    assert (status, told) == (1, "")
    assert "netbench: 4 items are missing:\n" in errors
    assert len(re.findall(r"^netbench:   tasks/.*: was begun at 20.*, and did not end$", errors, re.MULTILINE)) == 1
    assert len(re.findall(r"^netbench:   tasks/.*: was not run by shard 3$", errors, re.MULTILINE)) == 3
    assert not (clones / "merged").exists()

    (clones / "clone-3" / "go-on").touch()
    pytest_in(clones / "clone-3", *RUN, "--netbench-shard=3/4", "--netbench-resume=run")
    status, told, errors = netbench(clones, "merge", *shards, "-o", "merged")
    assert (status, errors) == (0, ""), told
    pytest_in(clones / "origin", *RUN, "--netbench-results=run")
    assert files(clones / "merged") == files(clones / "origin" / "run")


def test_a_gate_never_passes_on_a_partial_merge(clones):
    shards = run_shards(clones, shards=(1, 2, 4))
    status, _, errors = netbench(clones, "merge", *shards, "-o", "merged")
    assert status == 1
    assert len(re.findall(r"of shard 3, which is not there$", errors, re.MULTILINE)) == 6
    status, told, errors = netbench(clones, "merge", *shards, "-o", "merged", "--partial")
    assert (status, errors) == (0, "")
    assert "PARTIAL: no gate passes on these results\n6 items are missing:\n" in told
    missing = [one["node_id"] for one in json.loads((clones / "merged" / "merged.json").read_text())["missing"]]
    assert len(missing) == 6
    cases = {case.get("name"): case for case in ET.parse(clones / "merged" / "junit.xml").getroot().iter("testcase")}
    assert len(cases) == 24
    assert cases[missing[0].partition("::")[2]].find("error") is not None
    report = json.loads((clones / "merged" / "ctrf.json").read_text())["results"]
    assert (report["extra"]["netbench"]["complete"], report["summary"]["pending"]) == (False, 6)
    # the baseline is of the same trials, so that nothing but the mark keeps the gate from passing
    pytest_in(clones / "origin", *RUN, "--netbench-save-baseline=b.json")
    status, told, _ = netbench(clones, "gate", "origin/b.json", "merged")
    assert status == 1
    assert told == (
        "NOT JUDGED: merged is a partial merge, which is not judged: 6 items are missing"
        f" ({', '.join(missing[:3])} and 3 more); run what is missing, and merge again\n"
    )
    netbench(clones, "report", "merged", "--baseline=origin/b.json", "-o", "page.html")
    assert "NOT JUDGED: merged is a partial merge" in (clones / "page.html").read_text()
    status, told, _ = netbench(
        clones, "merge", *shards, "-o", "other", "--partial", "--baseline=origin/b.json", "--save-baseline=new.json"
    )
    assert status == 1
    assert "NOT JUDGED: a partial merge is neither judged nor saved as a baseline" in told
    assert not (clones / "new.json").exists()
    status, told, _ = netbench(clones, "gate", "origin/b.json", "clone-1/run")
    assert status == 1
    assert "clone-1/run is shard 1/4 of a run, which is not judged" in told
    # a partial merge and the shard that was missing are a whole
    run_shards(clones, shards=(3,))
    status, told, _ = netbench(clones, "merge", "merged", "clone-3/run", "-o", "whole", "--baseline=origin/b.json")
    assert status == 0, told
    assert len(lines(clones / "whole")) == 24


def test_a_partial_merge_that_is_gone_on_with_is_judged_when_it_is_whole(clones):
    shards = run_shards(clones, shards=(1, 2, 4))
    shutil.copytree(clones / "clone-1", clones / "here", ignore=shutil.ignore_patterns("run"))
    here = clones / "here"
    netbench(clones, "merge", *shards, "-o", "here/merged", "--partial")
    pytest_in(clones / "origin", *RUN, "--netbench-save-baseline=b.json")
    options = (*RUN, "--netbench-resume=merged", "--netbench-baseline=../origin/b.json")
    assert "neither judged nor saved: " in pytest_in(here, *options, "-k", "t00 or t01", status=10)
    assert "the gate is passed" in pytest_in(here, *options, status=0)
    assert netbench(here, "gate", "../origin/b.json", "merged")[0] == 0


def test_items_that_a_machine_could_not_run_are_skipped_and_those_that_a_budget_left_out_are_missing(clones):
    skips = "import pytest\ndef pytest_collection_modifyitems(items):\n    for one in items:\n"
    skips += "        if 't05' in one.name:\n            one.add_marker(pytest.mark.skip(reason='no disk'))\n"
    for shard in range(1, SHARDS + 1):
        (clones / f"clone-{shard}" / "conftest.py").write_text(skips)
    shards = run_shards(clones)
    status, told, _ = netbench(clones, "merge", *shards, "-o", "merged")
    assert status == 0
    assert "skipped: 2 trials that a machine could not run\n  tasks/d2/t05.task.yaml::t05[mine.Half]: no disk\n" in told
    (clones / "origin" / "conftest.py").write_text(skips)
    pytest_in(clones / "origin", *RUN, "--netbench-results=run", "--junitxml=junit.xml")
    assert files(clones / "merged") == files(clones / "origin" / "run")
    seen = junit(clones / "origin" / "junit.xml")
    seen = json.loads(json.dumps(seen).replace(f"{clones / 'origin'}/", ""))
    assert json.loads(json.dumps(junit(clones / "merged" / "junit.xml"))) == seen
    shutil.rmtree(clones / "clone-4" / "run")
    pytest_in(clones / "clone-4", *RUN, "--netbench-shard=4/4", "--netbench-results=run", "--netbench-max-time=1ms")
    status, _, errors = netbench(clones, "merge", *shards, "-o", "other")
    assert status == 1
    assert "not run: the budget of the run is used up" in errors
