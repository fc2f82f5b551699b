"""Reading what a process of the harness wrote: the program may have written any of it but the first line."""

from __future__ import annotations

import json

import pytest

from pytest_netbench.families.plan.execution import LIMITS, read
from pytest_netbench.platforms.access import Completed

HEAD = {"seconds": 0.5, "printed": "", "result": 0, "ended": ""}


def of(result: str, **head: object) -> Completed:
    return Completed(stdout=json.dumps({**HEAD, **head}) + "\n" + result, stderr="", returncode=0)


def test_a_result_becomes_a_graph_by_names():
    value = {
        "data": [1],
        "nodes": [[7, {"name": "a", "type": "EK_RACK"}], ["b", {"type": "EK_CHASSIS"}]],
        "edges": [[7, "b", {"type": "RK_CONTAINS"}]],
    }
    found = read(of(json.dumps({"value": value})), limits=LIMITS)
    assert (found.status, found.data, found.seconds) == ("done", [1], 0.5)
    assert found.graph is not None
    assert set(found.graph.nodes) == {"a", "b"}
    assert found.graph.edges == {("a", "b"): "RK_CONTAINS"}
    assert found.faults == ()


def test_two_nodes_of_one_name_and_odd_names_and_attributes_of_edges_are_faults():
    value = {
        "data": None,
        "nodes": [["x", {"name": "a"}], ["a", {"name": "a"}], ["c", {"name": ["c"]}]],
        "edges": [["x", "c", {"type": "RK_CONTAINS", "weight": 1}]],
    }
    found = read(of(json.dumps({"value": value})), limits=LIMITS)
    assert found.faults == (
        "node 'a': another node has the name 'a'",
        "node 'c': its name is ['c']",
        "edge 'a' to \"['c']\": it has the attributes weight",
    )


@pytest.mark.parametrize(
    "result",
    [
        "null",
        "[]",
        "3",
        "{}",
        "{",
        '{"value": null}',
        '{"value": {"nodes": 3, "edges": [], "data": 1}}',
        '{"value": {"nodes": [["a", 3]], "edges": [], "data": 1}}',
        '{"value": {"nodes": [[["a"], {}]], "edges": [], "data": 1}}',
        '{"value": {"nodes": [], "edges": [["a"]], "data": 1}}',
        '{"value": {"nodes": [], "edges": [], "data": NaN}}',
        "[" * 100_000,
        "9" * 10_000,
    ],
)
def test_anything_else_is_an_error_of_the_program(result):
    assert read(of(result), limits=LIMITS).status == "error"


def test_a_program_that_ends_without_a_result_is_killed():
    assert read(of("", ended="ended by SIGKILL"), limits=LIMITS).error.endswith("ended by SIGKILL")
    assert read(of(""), limits=LIMITS).status == "killed"
    assert read(Completed(stdout="", stderr="killed: 512 MiB", returncode=-9), limits=LIMITS).error.endswith("512 MiB")


def test_a_program_that_is_too_slow_is_a_timeout():
    done = Completed(stdout="", stderr="", returncode=-9, timed_out=True)
    assert (read(done, limits=LIMITS).status, read(done, limits=LIMITS).seconds) == ("timeout", None)
