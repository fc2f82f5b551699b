"""What --agent=SPEC means."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.agents.react import React
from pytest_netbench.agents.resolve import agent_id, known_agents, resolve_agent
from pytest_netbench.agents.single_turn import SingleTurn
from pytest_netbench.errors import AgentFileError, UsageError
from pytest_netbench.model.task import Budget
from tests.support.memory_ani import MemoryAni, brief_of

OWN_AGENT = """
from pytest_netbench.model.trial import AgentInfo, Submission

class Careful:
    def __init__(self, *, model=None, depth=1):
        self.depth = depth
        self.model = model
    @property
    def info(self):
        return AgentInfo(id="careful", model=self.model, strategy="own", settings={"depth": self.depth})
    def run(self, brief, ani):
        return Submission(reasoning=f"looked {self.depth} deep at {brief.task_name}")

class NeedsName:
    def __init__(self, name):
        self.name = name
    info = None
    def run(self, brief, ani): ...

class Thief:
    info = None
    def run_informed(self, task, ani): ...

class Nothing: ...
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "agents").mkdir()
    return tmp_path


@pytest.fixture
def own_module(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (root / "own_agents.py").write_text(OWN_AGENT)
    yield "own_agents"
    sys.modules.pop("own_agents", None)


def write(root: Path, name: str, text: str) -> Path:
    path = root / "agents" / f"{name}.agent.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("spec", "kind"), [("oracle", Oracle), ("nop", Nop)])
def test_a_registered_name_is_that_agent(root, spec, kind):
    assert agent_id(spec, rootdir=root) == spec
    assert isinstance(resolve_agent(spec, rootdir=root), kind)


@pytest.mark.parametrize("spec", ["react", "single-turn"])
@pytest.mark.parametrize("function", [agent_id, resolve_agent])
def test_a_strategy_alone_says_how_to_give_it_a_model(root, spec, function):
    with pytest.raises(UsageError, match=rf"--agent={spec} needs a model: write an agent file .*strategy: {spec}"):
        function(spec, rootdir=root)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4o", "react-gpt-4o"),
        ("openai/gpt-4o", "react-openai-gpt-4o"),
        ("ollama/llama3:8b", "react-ollama-llama3-8b"),
        ("anthropic.claude-3-haiku-v1:0", "react-anthropic.claude-3-haiku-v1-0"),
        ("openrouter/a/b[c]", "react-openrouter-a-b-c-"),
    ],
)
def test_any_other_name_is_a_model_and_means_react(root, model, name):
    agent = resolve_agent(model, rootdir=root)
    assert isinstance(agent, React)
    assert agent_id(model, rootdir=root) == agent.info.id == name
    assert (agent.info.model, agent.info.strategy) == (model, "react")


@pytest.mark.parametrize("spec", ["mine", "agents/mine.agent.yaml", "mine.agent.yaml"])
def test_an_agent_file_is_found_by_name_and_by_path(root, spec):
    write(root, "mine", "model: openai/gpt-4o\nstrategy: single-turn\n")
    agent = resolve_agent(spec, rootdir=root)
    assert isinstance(agent, SingleTurn)
    assert agent_id(spec, rootdir=root) == agent.info.id == "mine"


def test_an_agent_file_may_lie_anywhere(root, tmp_path_factory):
    path = tmp_path_factory.mktemp("elsewhere") / "x.agent.json"
    path.write_text('{"name": "other", "model": "openai/gpt-4o"}')
    assert agent_id(str(path), rootdir=root) == "other"


@pytest.mark.parametrize(("spec", "meant"), [("orcale", "oracle"), ("nopp", "nop"), ("my-agnet", "my-agent")])
def test_a_likely_typing_error_is_not_taken_for_a_model(root, spec, meant):
    write(root, "my-agent", "model: openai/gpt-4o\n")
    with pytest.raises(
        AgentFileError, match=rf"unknown agent '{spec}' .*Did you mean '{meant}'\?.*--agent=openai/{spec}"
    ):
        agent_id(spec, rootdir=root)


def test_a_model_that_resembles_an_agent_file_is_a_model_once_its_provider_is_named(root):
    write(root, "gpt-4o", "model: openai/gpt-4o\n")
    with pytest.raises(AgentFileError):
        agent_id("gpt-4p", rootdir=root)
    assert agent_id("openai/gpt-4p", rootdir=root) == "react-openai-gpt-4p"
    assert agent_id("gpt-4o-mini", rootdir=root) == "react-gpt-4o-mini"


def test_a_model_is_not_refused_because_an_agent_file_is_named_after_it(root):
    write(root, "react-claude-sonnet-4-5", "model: anthropic/claude-sonnet-4-5\n")
    assert agent_id("claude-sonnet-4-5", rootdir=root) == "react-claude-sonnet-4-5"


def test_a_file_that_is_not_there_names_the_nearest(root):
    write(root, "my-agent", "model: openai/gpt-4o\n")
    with pytest.raises(AgentFileError, match=r"no agent file 'agents/my-agnt\.agent\.yaml'.*Did you mean 'my-agent'\?"):
        resolve_agent("agents/my-agnt.agent.yaml", rootdir=root)


@pytest.mark.parametrize(("spec", "words"), [("", "--agent is empty"), ("gpt 4o", "has blanks in its name")])
def test_what_cannot_be_a_name_is_refused(root, spec, words):
    with pytest.raises(UsageError, match=words):
        agent_id(spec, rootdir=root)


def test_ones_own_class_is_found_beside_the_tasks_and_goes_by_its_place(root, own_module):
    agent = resolve_agent("own_agents:Careful", rootdir=root)
    assert agent_id("own_agents:Careful", rootdir=root) == agent.info.id == "own_agents.Careful"
    ani = MemoryAni({"R1": []})
    assert agent.run(brief_of(ani), ani).reasoning == "looked 1 deep at Static routes"


def test_an_agent_file_gives_ones_own_class_its_arguments_name_budget_and_policy(root, own_module):
    text = (
        "strategy: own_agents:Careful\nmodel: openai/gpt-4o\noptions: {depth: 3}\n"
        "budget: {calls: 5, wall_s: null}\npolicy: {devices: [R1], methods: [get-topology]}\n"
    )
    write(root, "deep", text)
    info = resolve_agent("deep", rootdir=root).info
    assert (info.id, info.model, info.settings["depth"]) == ("deep", "openai/gpt-4o", 3)
    assert info.overrides.budget.applied_to(Budget(calls=100, wall_s=60, tokens=9)) == Budget(
        calls=5, wall_s=None, tokens=9
    )
    assert (info.overrides.policy.devices, info.overrides.policy.methods) == (("R1",), ("get-topology",))


def test_an_agent_without_overrides_leaves_the_tasks_budget_and_all_devices(root):
    info = resolve_agent("nop", rootdir=root).info
    assert info.overrides.budget.applied_to(Budget(calls=7)) == Budget(calls=7)
    assert (info.overrides.policy.devices, info.overrides.policy.methods) == (None, None)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("own_agents:Carefull", r"has no 'Carefull' \(agents in it: .*; file: .*\)\. Did you mean 'Careful'\?"),
        ("own_agents:NeedsName", r"cannot be created with no arguments: .*'name'.*`options:` in an agent file"),
        ("own_agents:Thief", "only 'oracle' may be given the Task"),
        ("own_agents:Nothing", "is no agent: it has no 'run' and no 'info'"),
        ("llama3:latest", "there is no module 'llama3'.*--agent=ollama/llama3:latest"),
    ],
)
def test_a_class_that_cannot_be_an_agent_says_why(root, own_module, spec, words):
    with pytest.raises(UsageError, match=words):
        resolve_agent(spec, rootdir=root)


def test_a_module_that_does_not_import_says_why(root, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (root / "broken_agents.py").write_text("import no_such_thing_at_all\n")
    with pytest.raises(UsageError, match=r"broken_agents failed: ModuleNotFoundError: .*'no_such_thing_at_all'"):
        resolve_agent("broken_agents:X", rootdir=root)


def test_an_agent_file_with_an_unknown_strategy_names_the_file_and_the_known_ones(root):
    path = write(root, "mine", "strategy: reakt\nmodel: openai/gpt-4o\n")
    with pytest.raises(AgentFileError, match=r"unknown agent 'reakt' \(known: .*\)\. Did you mean 'react'\?") as caught:
        resolve_agent("mine", rootdir=root)
    assert caught.value.path == path


def test_an_agent_file_without_its_model_names_the_file(root):
    path = write(root, "mine", "strategy: single-turn\n")
    with pytest.raises(AgentFileError, match="strategy 'single-turn' needs a model") as caught:
        resolve_agent("mine", rootdir=root)
    assert caught.value.path == path


def test_known_agents_are_the_registered_ones_and_the_files(root):
    write(root, "mine", "model: openai/gpt-4o\n")
    assert {"oracle", "nop", "mine"} <= set(known_agents(root))
    assert "react" not in known_agents(root)


@pytest.mark.parametrize(("spec", "heavy"), [("gpt-4o", "yaml pydantic litellm"), ("mine", "litellm")])
def test_an_id_costs_no_heavy_import(root, spec, heavy):
    write(root, "mine", "model: openai/gpt-4o\n")
    code = (
        "import sys; from pathlib import Path; from pytest_netbench.agents.resolve import agent_id;"
        f"agent_id({spec!r}, rootdir=Path({str(root)!r})); print([n for n in {heavy.split()!r} if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_to_resolve_an_agent_does_not_import_litellm(root):
    code = (
        "import sys; from pathlib import Path; from pytest_netbench.agents.resolve import resolve_agent;"
        f"resolve_agent('openai/gpt-4o', rootdir=Path({str(root)!r})).info; print('litellm' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
