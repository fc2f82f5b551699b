"""What is found out, loaded and left alone before the first lab is up."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.reasoning_extra import needs_reasoning_extra

CONFTEST = """
import json, os, sys
from pytest_netbench.plugin.trials.embedder import ProcessEmbedder

prepare = ProcessEmbedder.prepare

def noted(self):
    prepare(self)
    with open("started.jsonl", "a") as file:
        print(json.dumps([os.environ.get("PYTEST_XDIST_WORKER", "main"), self.pid]), file=file)

ProcessEmbedder.prepare = noted

def pytest_unconfigure():
    with open("imported.json", "w") as file:
        json.dump(sorted(name for name in ("litellm", "torch") if name in sys.modules), file)
"""


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


def test_a_missing_key_is_told_before_anything_is_deployed_or_imported(bench, workers):
    bench.task()
    (bench.path / "conftest.py").write_text(CONFTEST)
    result = bench.run("--agent=oracle", "--agent=anthropic/claude-sonnet-4-5", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: agent react-anthropic-claude-sonnet-4-5 cannot start: anthropic/claude-sonnet-4-5 needs a key. "
                "Fix: export ANTHROPIC_API_KEY=… (or ANTHROPIC_AUTH_TOKEN)"
            )
        ]
    )
    assert bench.labs() == []
    assert json.loads((bench.path / "imported.json").read_text()) == []


def test_a_missing_key_of_an_agent_file_is_told_and_a_key_of_another_provider_does_not_do(bench, monkeypatch):
    bench.task()
    (bench.path / "agents").mkdir()
    (bench.path / "agents" / "mine.agent.yaml").write_text("model: groq/llama-3.3-70b\n")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    result = bench.run("--agent=mine")
    result.stderr.fnmatch_lines(
        ["ERROR: *mine.agent.yaml:1: agent mine cannot start: groq/llama-3.3-70b needs a key. Fix: *GROQ_API_KEY=…"]
    )


def test_who_only_collects_needs_no_key(bench):
    bench.task()
    result = bench.run("--agent=openai/gpt-4o", "--collect-only")
    assert result.ret == pytest.ExitCode.OK


def test_telling_that_a_key_is_missing_costs_less_than_a_second_of_processor_time(bench):
    bench.task()

    def seconds(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=bench.path, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    bare = min(seconds("-p", "no:netbench", "-o", "addopts=", "site") for _ in range(2))
    assert min(seconds("tasks", "--agent=openai/gpt-4o") for _ in range(2)) - bare < 1


def processes_started(bench) -> set[tuple[str, int]]:
    """Which process started the one that loads the embedding model, and that one's id."""
    path = bench.path / "started.jsonl"
    return {tuple(json.loads(line)) for line in path.read_text().splitlines()} if path.exists() else set()


@needs_reasoning_extra
def test_the_embedding_model_is_loaded_by_one_process_where_scores_are_made_and_that_ends(bench, workers):
    bench.task("reach", ground_truth_reasoning="The edge drops port 80.")
    bench.task("other", ground_truth_reasoning="The edge drops port 80.")
    (bench.path / "conftest.py").write_text(CONFTEST)
    bench.run("--agent=mine:Half", *workers, timeout=240)
    [(where, pid)] = processes_started(bench)
    assert where == "main"
    assert not Path(f"/proc/{pid}").exists()
    assert json.loads((bench.path / "imported.json").read_text()) == []


@needs_reasoning_extra
def test_a_run_does_not_await_the_embedding_model_if_no_reasoning_was_handed_in(bench, workers):
    bench.task()
    (bench.path / "conftest.py").write_text(
        CONFTEST
        + """
wait = ProcessEmbedder.wait

def waited(self):
    open("waited", "w").close()
    wait(self)

ProcessEmbedder.wait = waited
"""
    )
    bench.run("--agent=mine:Fails", *workers).assert_outcomes(failed=1)
    [(_, pid)] = processes_started(bench)
    assert not Path(f"/proc/{pid}").exists()
    assert not (bench.path / "waited").exists()


def test_only_scorers_that_the_collected_tasks_need_are_prepared(bench, workers):
    bench.task()
    (bench.path / "conftest.py").write_text(
        CONFTEST + "from pytest_netbench.families.configure import ConfigureFamily\n"
        "ConfigureFamily.scorers = ('testcase',)\n"
    )
    bench.run("--agent=mine:Half", *workers).assert_outcomes(failed=1)
    assert processes_started(bench) == set()


@pytest.mark.parametrize(
    "arguments", [("--agent=oracle",), ("--netbench-selftest",), ("--agent=mine:Half", "-k", "none")]
)
def test_no_model_is_loaded_where_none_is_needed(bench, arguments):
    bench.task()
    (bench.path / "conftest.py").write_text(CONFTEST)
    bench.run(*arguments, timeout=120)
    assert processes_started(bench) == set()
    assert json.loads((bench.path / "imported.json").read_text()) == []
