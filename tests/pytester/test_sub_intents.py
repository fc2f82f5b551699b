"""``sub_intents: true`` in an agent file: the brief, the results and the summary."""

from __future__ import annotations

import pytest

AGENT = '''
from pytest_netbench.model.trial import AgentInfo, Submission


class Told:
    """Hands in what it was told beside the intents."""

    info = AgentInfo(id="told", strategy="own")

    def run(self, brief, ani):
        return Submission(reasoning=repr((brief.intents, brief.sub_intents, brief.rules)))
'''


@pytest.fixture
def asking(bench):
    """The bench with this agent, and one task."""
    bench.task("reach")
    (bench.path / "telling.py").write_text(AGENT)
    (bench.path / "agents").mkdir(exist_ok=True)
    return bench


def told(bench) -> str:
    (path,) = bench.path.glob(".netbench/*/transcripts/*")
    return path.read_text()


def test_an_agent_file_asks_for_sub_intents_and_results_say_so(asking, workers):
    (asking.path / "agents/told.agent.yaml").write_text("strategy: telling:Told\nsub_intents: true\n")
    result = asking.run("--agent=told", *workers)
    (scored,) = asking.results()
    assert scored["extras"] == ["sub-intents"]
    assert scored["agent"]["settings"]["sub_intents"] is True
    assert "edge: stop dropping port 80" in told(asking)
    result.stdout.fnmatch_lines(["agent told (with sub-intents)"])


def test_without_it_an_agent_is_told_the_texts_of_the_intents_and_the_rule(asking):
    (asking.path / "agents/told.agent.yaml").write_text("strategy: telling:Told\n")
    asking.run("--agent=told")
    (scored,) = asking.results()
    assert scored["extras"] == []
    assert "edge: stop dropping port 80" not in told(asking)
    assert "Whatever the intents do not ask for must stay as it is." in told(asking)
