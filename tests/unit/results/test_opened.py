"""Which trials are open."""

from __future__ import annotations

import pytest

from pytest_netbench.results.opened import OpenTrial, read
from pytest_netbench.results.store import ResultsDir
from tests.support.records import result


def begun(at, *, name="t[a]", trial=1, closed=False):
    return OpenTrial(node_id=name, trial=trial, agent="a", task_digest="d", started_at=at, closed=closed)


def at(second):
    return f"2026-01-01T00:00:{second:02}.000+00:00"


@pytest.fixture
def store(tmp_path):
    return ResultsDir(tmp_path)


def test_a_trial_without_a_result_is_open(store):
    store.begin(begun(at(1)), worker="main")
    assert [(one.node_id, one.trial) for one in store.read().open] == [("t[a]", 1)]
    assert store.read().results == ()


def test_a_later_result_closes_it_and_an_earlier_one_does_not(store):
    store.begin(begun(at(3)), worker="main")
    store.append(result(node_id="t[a]", trial=1, started_at=at(2)), None, worker="gw0")
    store.append(result(node_id="t[a]", trial=2, started_at=at(9)), None, worker="gw0")
    assert len(store.read().open) == 1
    store.append(result(node_id="t[a]", trial=1, started_at=at(4), status="error"), None, worker="controller")
    assert store.read().open == ()


def test_a_line_that_says_so_closes_a_trial_that_was_not_run(store):
    store.begin(begun(at(1)), worker="main")
    store.begin(begun(at(1), closed=True), worker="main")
    assert store.read().open == ()


def test_a_trial_that_began_again_is_open_whatever_was_before(store):
    store.begin(begun(at(1)), worker="gw0")
    store.begin(begun(at(1), closed=True), worker="gw0")
    store.begin(begun(at(5)), worker="gw1")
    assert [one.started_at for one in store.read().open] == [at(5)]


def test_lines_of_results_are_no_open_trials():
    assert read(b'{"agent": {"id": "open"}, "error": "\\"open\\": 1"}') is None
    assert read(b'{"open": "torn') is None


def test_merging_drops_the_lines_and_keeps_the_files(store):
    store.begin(begun(at(1)), worker="main")
    assert len(store.read().open) == 1
    store.merge()
    assert (store.path / "results.jsonl").read_text() == ""
    assert len(store.read().open) == 1
