"""``--netbench-adversarial``: a series goes on where the agent failed."""

from __future__ import annotations

import pytest

SERIES = "--netbench-generate=branches:n=8,seed=1"
AGENT = "--agent=other:FailsAtWeb"
OWN_AGENTS = """
import os, pathlib
from pytest_netbench.errors import AgentError
from pytest_netbench.model.trial import Submission
from mine import Base


class FailsAtWeb(Base):
    def run(self, brief, ani):
        if "data centre" in str(brief):
            ani.update_cfg("edge", ["no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10"])
        return Submission()
"""
FIRST = (SERIES, AGENT, "--netbench-unproven", "--netbench-results=search")
NEXT = (*FIRST, "--netbench-adversarial=search")

HISTORY = "--netbench-adversarial=search"
WRONG = [
    ((SERIES, AGENT, "--netbench-adversarial=none"), "none: no such results directory; give the --netbench-results"),
    ((SERIES, "--agent=oracle", HISTORY), "(there are: other.FailsAtWeb at branches)"),
    ((SERIES, AGENT, "--agent=nop", HISTORY), "one --agent (given: other.FailsAtWeb, nop)"),
    ((AGENT, HISTORY), "give the option that draws it, too: --netbench-generate=…"),
]


@pytest.fixture
def drawn(bench):
    """Runs pytest without a path."""

    (bench.path / "other.py").write_text(OWN_AGENTS)

    def run(*arguments: str) -> pytest.RunResult:
        return bench.pytester.runpytest_subprocess(*arguments, timeout=60)

    return run


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("branches[")]


def test_the_next_round_has_the_foretold_tasks_which_the_agent_fails(drawn, bench, workers):
    first = drawn(*FIRST, *workers)
    before = {one["node_id"]: one for one in bench.results("search")}
    assert {one["status"] for one in before.values()} == {"passed", "failed"}
    assert all(one["sought"] is None for one in before.values())
    first.stdout.no_fnmatch_line("search branches*")
    foretold = ids(drawn(*NEXT, "--collect-only", "-q"))
    second = drawn(*NEXT, *workers)
    after = {one["node_id"]: one for one in bench.results("search") if one["node_id"] not in before}
    assert sorted(after) == sorted(foretold)
    assert len(after) == 8
    assert min(one["drawn"]["index"] for one in after.values()) > max(one["drawn"]["index"] for one in before.values())
    failed = [sum(one["status"] == "failed" for one in part.values()) for part in (before, after)]
    assert failed == [2, 8]
    for one in after.values():
        why = one["sought"]
        named = {f"{axis}={value}" for axis, values in one["regions"].items() for value in values}
        assert named == set(why["known"]) == set(why["chances"])
        assert why["trials"] == 8
    second.stdout.fnmatch_lines(
        [
            "search branches:n=8,seed=1: 8 of 8 trials failed; before, 2 of 8",
            "failed/trials so far, *",
            "  label     WEB 10/10, *",
            "  level     1 *, 2 0/*",
            "  devices   3 *",
            "  platform  memory *",
        ]
    )


DIES_LATER = """
import os, pathlib, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    died, written = pathlib.Path("died"), [one.read_text() for one in pathlib.Path("search").glob("*gw*")]
    if not died.exists() and any('"status"' in text for text in written):
        died.touch()
        os._exit(9)
"""


def test_a_worker_that_dies_does_not_change_what_is_collected(drawn, bench):
    """Its successor collects after results of this round were written to the directory of the history."""
    drawn(*FIRST)
    (bench.path / "dies_later.py").write_text(DIES_LATER)
    drawn(*NEXT, "-n2", "-p", "dies_later").assert_outcomes(failed=7, errors=1)


def test_an_item_of_the_search_can_be_named(drawn):
    drawn(*FIRST)
    one = ids(drawn(*NEXT, "--collect-only", "-q"))[3]
    assert "-WEB-" in one
    drawn(*NEXT, one).assert_outcomes(failed=1)


def test_a_search_that_cannot_be_made_is_a_usage_error(drawn, bench):
    drawn(SERIES, AGENT, "--netbench-unproven", "--netbench-results=search", "-k0002")
    before = len(bench.labs())
    for arguments, said in WRONG:
        result = drawn(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR, arguments
        assert said in "\n".join(result.errlines)
    assert len(bench.labs()) == before
