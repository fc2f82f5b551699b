"""A third party's family, installed from a wheel: tasks without a network, from files and a generator."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

from tests.support.graph_family import build

PATIENCE_S = 200  # a run may load the embedding model, which takes a minute on a busy machine

TASK = """\
task_name: From a to d
family: graph
ground_truth_reasoning: Go by c, which has an edge to d.
edges:
  a: [b, c]
  b: [c]
  c: [d]
  d: []
start: a
goal: d
"""

AGENTS = """
import os

from pytest_netbench.model.trial import AgentInfo, Submission


class Base:
    @property
    def info(self):
        return AgentInfo(id=f"walkers.{type(self).__name__}", strategy="own")


class Detour(Base):
    def run(self, brief, ani):
        assert brief.answer["properties"]["hops"]["type"] == "array"
        assert not brief.methods and not brief.devices
        return Submission(answer={"hops": ["a", "b", "c", "d"]})


class Mumbles(Base):
    def run(self, brief, ani):
        try:
            ani.get_topology()
        except Exception as error:
            return Submission(answer={"hops": 7}, reasoning=str(error))


class Dies(Base):
    def run(self, brief, ani):
        os._exit(9)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("graphs"))


@pytest.fixture
def graphs(bench, site, monkeypatch):
    """A bench with the family installed and one task of it."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ["PYTHONPATH"]]))
    folder = bench.path / "tasks" / "paths"
    folder.mkdir(parents=True)
    (folder / "a-to-d.task.yaml").write_text(TASK)
    (bench.path / "walkers.py").write_text(AGENTS)
    return bench


def netbench(bench, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [Path(sys.executable).with_name("netbench"), *arguments]
    return subprocess.run(argv, cwd=bench.path, capture_output=True, text=True, check=False)


def test_its_tasks_run_are_scored_reported_and_scored_again(graphs, workers):
    result = graphs.run(
        "--agent=oracle",
        "--agent=walkers:Detour",
        "--agent=walkers:Mumbles",
        "--agent=nop",
        "--junitxml=out.xml",
        *workers,
        timeout=PATIENCE_S,
    )
    result.assert_outcomes(passed=2, failed=2)
    assert graphs.labs() == []
    result.stdout.fnmatch_lines(["domain passed *95 % validity stretch how it ended"])
    result.stdout.no_fnmatch_line("*testcase*")
    result.stdout.fnmatch_lines(["*the agent failed: the answer cannot be read: hops: *"])
    by_agent = {one["agent"]["id"]: one for one in graphs.results()}
    scores = {agent: {score["metric"]: score["value"] for score in one["scores"]} for agent, one in by_agent.items()}
    assert scores == {
        "oracle": {"validity": 1.0, "stretch": 1.0},
        "walkers.Detour": {"validity": 1.0, "stretch": 2 / 3},
        "walkers.Mumbles": {"validity": 0.0, "stretch": None},
        "nop": {"validity": 0.0, "stretch": None},
    }
    assert by_agent["oracle"]["family"] == "graph"
    assert by_agent["oracle"]["environment"]["backend"] is None
    properties = {(one.get("name"), one.get("value")) for one in ET.parse(graphs.path / "out.xml").iter("property")}
    assert {("netbench.score.validity", "1"), ("netbench.family", "graph")} <= properties
    (folder,) = (graphs.path / ".netbench").iterdir()
    again = netbench(graphs, "rescore", str(folder))
    assert again.returncode == 0, again.stdout + again.stderr


def test_it_proves_its_tasks_its_own_way(graphs):
    (graphs.path / "tasks" / "paths" / "no-way.task.yaml").write_text(TASK.replace("c: [d]", "c: []"))
    result = graphs.run("--netbench-selftest", timeout=PATIENCE_S)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*there is no path from start to goal*"])
    result.stdout.fnmatch_lines(["task *hops *stages *", "a-to-d *2 *ok", "paths:", "  a-to-d a c d"])
    assert not list(graphs.path.rglob(".truth"))


def test_mistakes_in_its_fields_have_lines_and_its_schema_is_published(graphs):
    path = graphs.path / "tasks" / "paths" / "a-to-d.task.yaml"
    for old, new, said in (
        ("c: [d]", "c: [7]", f"{path}:7:"),
        ("goal: d", "gaol: d", f"{path}:1:1: the task lacks 'goal'\n{path}:10:1: unknown field of task 'gaol'"),
        ("goal: d", "goal: z", "unknown node 'z' (known: ['a', 'b', 'c', 'd'])"),
        (
            "family: graph",
            "family: grpah",
            "unknown family 'grpah' (known: 'configure', 'diagnose', 'graph', ",
        ),
    ):
        path.write_text(TASK.replace(old, new))
        checked = netbench(graphs, "validate", str(path))
        assert checked.returncode == 1
        assert said in checked.stderr
    schema = json.loads(netbench(graphs, "schema", "--family", "graph").stdout)
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(TASK))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(TASK) | {"edges": 3})


def test_an_agent_whose_process_ends_on_a_drawn_task_fails_with_the_tasks_name(graphs):
    result = graphs.run(
        "--agent=walkers:Dies", "--netbench-generate=rings:seed=7", "-n2", "-k", "0002", timeout=PATIENCE_S
    )
    result.assert_outcomes(failed=1)
    (one,) = graphs.results()
    expected = ("rings[s7-0002-ring-walkers.Dies]", "Ring 7.2", "failed")
    assert (one["node_id"], one["task_name"], one["status"]) == expected
