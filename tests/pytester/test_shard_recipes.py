"""The recipes for several machines: what they say of shards, and that their commands make one run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_netbench.cli.recipes import SHARDED, recipe
from tests.pytester.test_merge import lines

COMMANDS = """#!/bin/sh
case $0 in
  */pytest) exec {python} -m pytest "$@" -n0;;
  *) [ "$1" = doctor ] || exec {python} -m pytest_netbench.cli "$@";;
esac
"""


def parsed(name: str) -> Any:
    return yaml.safe_load(recipe(name))


def github() -> tuple[str, str, dict[str, Any]]:
    jobs = parsed("github-shards")["jobs"]
    run, merge = (
        next(step["run"] for step in jobs[job]["steps"] if words in step.get("run", ""))
        for job, words in (("shards", "pytest tasks/"), ("merge", "netbench merge"))
    )
    return run, merge, jobs


def gitlab() -> tuple[str, str, dict[str, Any]]:
    jobs = parsed("gitlab-shards")
    return jobs["shards"]["script"][-1], jobs["merge"]["script"][-1], jobs


def test_the_matrix_of_github_has_a_shard_for_each_machine_and_merges_even_if_trials_fail():
    _, _, jobs = github()
    assert jobs["shards"]["strategy"] == {"fail-fast": False, "matrix": {"shard": [1, 2, 3, 4]}}
    assert jobs["shards"]["env"]["SHARD"] == "${{ matrix.shard }}"
    assert jobs["shards"]["env"]["SHARDS"] == "${{ strategy.job-total }}"
    assert (jobs["merge"]["needs"], jobs["merge"]["if"]) == (["shards"], "${{ !cancelled() }}")
    up = next(step["with"] for step in jobs["shards"]["steps"] if "upload" in step.get("uses", ""))
    down = next(step["with"] for step in jobs["merge"]["steps"] if "download" in step.get("uses", ""))
    assert up == {"name": "shard-${{ matrix.shard }}", "path": "shards"}
    assert down == {"pattern": "shard-*", "path": "shards", "merge-multiple": True}


def test_gitlab_runs_shards_in_parallel_and_merges_their_artifacts():
    _, _, jobs = gitlab()
    assert jobs["shards"]["parallel"] == 4
    assert jobs["shards"]["artifacts"] == {"when": "always", "paths": ["shards"]}
    assert jobs["merge"]["needs"] == ["shards"]
    assert jobs["merge"]["rules"][0]["when"] == "always"


def test_the_job_is_indexed_and_has_as_many_pods_as_shards():
    job = parsed("kubernetes-shards")
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec = job["spec"]
    assert spec["completionMode"] == "Indexed"
    container = spec["template"]["spec"]["containers"][0]
    shards = {one["name"]: one["value"] for one in container["env"]}["SHARDS"]
    assert spec["completions"] == spec["parallelism"] == int(shards)
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    assert "auto/$SHARDS" in container["args"][0]


@pytest.fixture
def machine(bench, monkeypatch):
    for number in range(4):
        bench.task(f"t{number}", task_name=f"t{number}")
    folder = bench.path / "bin"
    folder.mkdir()
    for name in ("pytest", "netbench"):
        (folder / name).write_text(COMMANDS.format(python=sys.executable))
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TRIALS", "1")
    monkeypatch.setenv("AGENT", "oracle")
    return bench.path


def bash(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    argv = ["bash", "-ec", script]
    return subprocess.run(
        argv, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_commands_of_a_recipe_make_one_run_that_is_judged(machine, service):
    run, merge, _ = {"github": github, "gitlab": gitlab}[service]()
    names = {"github": ("SHARD", "SHARDS"), "gitlab": ("CI_NODE_INDEX", "CI_NODE_TOTAL")}[service]
    for shard in ("1", "2"):
        agent = "nop" if service == "gitlab" else "oracle"
        ended = bash(machine, run, AGENT=agent, **dict(zip(names, (shard, "2"), strict=True)))
        assert ended.returncode == 0, "trials that fail do not fail a part"
    ended = bash(machine, merge)
    assert ended.returncode == (1 if service == "gitlab" else 0), ended.stdout + ended.stderr
    assert len(lines(machine / "results")) == 4
    save = re.search(r"^#   (netbench merge .*)$", recipe(f"{service}-shards"), re.MULTILINE)
    assert save is not None
    assert bash(machine, save[1]).returncode == 0
    assert len(json.loads((machine / "baseline.json").read_text())["results"]) == 4
    (machine / "results").rename(machine / "before")
    (machine / "before" / "durations.json").rename(machine / "durations.json")
    ended = bash(machine, merge)
    assert ended.returncode == 0, "the gate is passed, although the trials of nop failed"
    assert "the gate is passed" in ended.stdout


def test_the_commands_of_the_job_go_on_with_a_pod_that_was_lost(machine):
    (script,) = parsed("kubernetes-shards")["spec"]["template"]["spec"]["containers"][0]["args"]
    script = script.replace("/results/", f"{machine}/results/")
    for index in ("0", "1"):
        ended = bash(machine, script, JOB_COMPLETION_INDEX=index, SHARDS="2")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    lost = machine / "results" / "shard-1"
    for path in [*lost.glob("results*.jsonl"), *lost.glob("transcripts/*")]:
        path.unlink()
    again = bash(machine, script, JOB_COMPLETION_INDEX="1", SHARDS="2")
    assert again.returncode == 0
    assert "2 passed" in again.stdout
    ended = bash(machine, f"netbench merge {machine}/results/shard-* -o whole --check")
    assert ended.returncode == 0, ended.stderr
    assert len(lines(machine / "whole")) == 4
    assert bash(machine, script, JOB_COMPLETION_INDEX="2", SHARDS="2").returncode != 0, "there is no such shard"


@pytest.mark.parametrize("name", sorted(SHARDED))
def test_each_recipe_names_the_command_that_writes_it(name):
    assert f"Written by: netbench init --ci {name}\n" in recipe(name)
    assert max(map(len, recipe(name).splitlines())) <= 130
