"""``--netbench-html``: the page of a run, also with a gate, workers, and what cannot be written."""

from __future__ import annotations

import pytest

from tests.support.pages import Read


@pytest.fixture
def two(bench):
    bench.task("t1", task_name="t1")
    bench.task("t2", task_name="t2")
    return bench


def test_a_run_ends_with_a_page_of_its_trials(two, workers):
    ended = two.run("--agent=oracle", "--agent=nop", "--netbench-html=page.html", "-q", *workers)
    ended.stdout.fnmatch_lines(["page: page.html"])
    assert ended.ret == 1
    read = Read((two.path / "page.html").read_text())
    assert "4 trials of 2 tasks by 2 agents" in " ".join(read.text.split())
    assert len(read.kept) == 2
    assert len(list((two.path / "page-trials").iterdir())) == 4


def test_the_verdict_of_the_gate_is_on_the_page(two):
    assert two.run("--agent=oracle", "--netbench-save-baseline=baseline.json", "-q").ret == 0
    options = ("--netbench-baseline=baseline.json", "--netbench-html=page.html")
    assert two.run("--agent=oracle", *options, "-q").ret == 0
    assert "Compared with the baseline: the gate is passed" in Read((two.path / "page.html").read_text()).text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--agent=oracle", "--netbench-html=none/page.html"], "*--netbench-html: *no such folder*"),
        (["--agent=oracle", "--netbench-html=."], "*--netbench-html: *is a folder*"),
        (["--netbench-selftest", "--netbench-html=page.html"], "*a self-test has no trials to show*"),
    ],
)
def test_what_cannot_be_is_said_before_the_run(two, options, words):
    ended = two.run(*options)
    assert ended.ret == 4
    ended.stderr.fnmatch_lines([words])


def test_without_a_trial_there_is_no_page(two):
    ended = two.run("--agent=oracle", "--netbench-html=page.html", "-k", "nothing")
    assert not (two.path / "page.html").exists()
    ended.stdout.fnmatch_lines(["no trial was run: no page"])


def test_the_page_of_an_interrupted_run_says_so(two):
    hook = "def pytest_netbench_result(result):\n    raise KeyboardInterrupt\n"
    (two.path / "tasks" / "conftest.py").write_text(hook)
    ended = two.run("--agent=oracle", "--netbench-html=page.html", "-q")
    assert ended.ret == 2
    text = " ".join(Read((two.path / "page.html").read_text()).text.split())
    assert "The run was interrupted: trials that had not ended by then are missing." in text
    assert "oracle passed 1 of 1 task" in text
