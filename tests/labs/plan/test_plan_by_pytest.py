"""Drawn tasks of family ``plan`` as pytest runs them: agents have the method of the family, and results name it."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("runner")  # skips where there is no sandbox

AGENT = """
from pytest_netbench.model.trial import AgentInfo, Submission

CODE = "def process_graph(graph_data):\\n    return {'data': len(graph_data)}"


class Agent:
    info = AgentInfo(id="tries", strategy="tries")

    def run(self, brief, ani):
        assert [method.name for method in brief.methods] == ["run-code"]
        found = ani.call("run-code", {"code": CODE})
        assert found["status"] == "done", found
        return Submission(answer={"code": CODE})
"""
SERIES = "plan:n=1,seed=4,level=1,labels=U,super_blocks=1,agg_blocks=1,spine_blocks=1,switches=2,ports=2"


def test_an_agent_tries_code_and_the_oracle_passes(pytester: pytest.Pytester):
    pytester.makepyfile(tries=AGENT)
    result = pytester.runpytest_subprocess(
        "--netbench-generate", SERIES, "--agent=oracle", "--agent=tries:Agent", "-p", "no:cacheprovider"
    )
    result.assert_outcomes(passed=1, failed=1)
    (path,) = pytester.path.glob(".netbench/*/results.jsonl")
    found = {one["agent"]["id"]: one for one in map(json.loads, path.read_text().splitlines())}
    values = {
        name: {score["metric"]: score["value"] for score in one["scores"]}
        for name, one in found.items()
        if one["scores"]
    }
    assert values["oracle"]["netarena.correctness"] == values["oracle"]["plan.safety"] == 1.0
    assert 0 < values["oracle"]["netarena.latency"] < 30
    assert values["tries.Agent"]["plan.correctness"] == 0.0
    assert found["tries.Agent"]["budget_used"]["calls"] == 1
