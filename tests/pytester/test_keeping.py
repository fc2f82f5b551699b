"""``--netbench-keep``: labs of trials that did not pass stay, and those that passed go."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support.keeping_backend import install

KEEP = "--netbench-keep"
INI = "[pytest]\naddopts = --strict-markers --strict-config --netbench-backend=keeping\n"


@pytest.fixture
def keeping(bench):
    install(bench.path / "site")
    bench.pytester.makeini(INI)
    bench.task("reach")
    return bench


@pytest.mark.parametrize("spread", [(), ("-n", "2")])
def test_only_the_lab_of_a_trial_that_did_not_pass_is_kept(keeping, spread):
    shown = keeping.run(KEEP, "--agent=oracle", "--agent=nop", *spread)
    shown.assert_outcomes(passed=1, failed=1)
    shown.stdout.fnmatch_lines(
        [
            "*= labs that were kept =*",
            "tasks/access/reach.task.yaml::reach[[]nop[]]",
            "  lab reach",
            "    edge: enter edge",
            "to remove them: netbench clean --kept",
        ]
    )
    assert len(keeping.labs("keep")) == 1
    assert len(keeping.labs("destroy")) == 1  # the oracle's


def test_without_the_option_nothing_is_kept(keeping):
    shown = keeping.run("--agent=nop")
    shown.assert_outcomes(failed=1)
    shown.stdout.no_fnmatch_line("*labs that were kept*")
    assert keeping.labs("keep") == []
    assert len(keeping.labs("destroy")) == 1


def test_a_lab_that_cannot_be_kept_is_removed_and_the_reason_is_shown(keeping):
    keeping.task("reach", requirements=["stubborn"])
    shown = keeping.run(KEEP, "--agent=nop")
    shown.assert_outcomes(failed=1)
    shown.stdout.fnmatch_lines(["*= labs that were kept =*", "  not kept: the server does not answer"])
    assert len(keeping.labs("destroy")) == 1


def test_a_process_keeps_ten_labs_at_most(keeping):
    shown = keeping.run(KEEP, "--agent=nop", "--netbench-trials=12")
    shown.assert_outcomes(failed=12)
    assert len(keeping.labs("keep")) == 10
    assert len(keeping.labs("destroy")) == 2
    assert shown.stdout.str().count("not kept: 10 labs are kept already") == 2


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("-n", "2"), "*labs of backend memory end with the process that has them, and workers end with the run: *"),
        ((), "*labs of backend memory end with the process that has them, which waits for a person then: run it in*"),
    ],
)
def test_labs_that_end_with_their_process_need_one_that_waits(bench, options, why):
    bench.task("reach")
    # a session of its own has no terminal
    command = ["setsid", "--wait", sys.executable, "-m", "pytest", "tasks", "--netbench-keep", "--agent=nop", *options]
    done = subprocess.run(command, cwd=bench.path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 4
    assert re.search(why.replace("*", ".*"), done.stderr), done.stderr
    assert bench.labs() == []


def test_it_needs_an_agent(bench):
    bench.task("reach")
    bench.run("--netbench-keep").stderr.fnmatch_lines(["*--netbench-keep is about an agent: give --agent, too*"])


def test_clean_removes_what_was_kept_only_if_it_is_asked_to(keeping):
    keeping.run(KEEP, "--agent=nop")

    def clean(*options: str) -> str:
        command = [sys.executable, "-m", "pytest_netbench.cli", "clean", "--backend", "keeping", *options]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    assert clean() == "nothing to remove\n"
    assert clean("--kept") == "keeping: removed reach\n"
