"""What a model is told of each shipped task: the brief and what the devices answer, and nothing of how it is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.react import React
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Task
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial import brief_for, terms_for
from tests.support.openai_server import OpenAIServer, Request, engineer
from tests.support.task_list import lab_files

TASKS = lab_files()


@pytest.mark.parametrize("path", TASKS, ids=lambda path: path.name.partition(".")[0])
def test_no_prompt_holds_how_a_task_is_solved_or_judged(path: Path, monkeypatch):
    task = load_task(path)
    requests, configs = asked(task, monkeypatch)
    said = [str(message["content"]) for one in requests for message in one["messages"]]
    prompts = "\n".join([*said, json.dumps(requests[0]["tools"])])
    assert words(task.payload.intents[0].text) in words(prompts)
    assert secrets(task)
    public = words(" ".join(configs.values()))
    found = [secret for secret in secrets(task) if words(secret) in words(prompts) and words(secret) not in public]
    assert found == []
    told = [message["content"] for message in requests[-1]["messages"] if message["role"] == "tool"]
    for device, config in configs.items():
        seen = any(answers(text, config) for text in told)
        assert seen == (task.network.topology.node(device).control != "foreign"), device


def asked(task: Task, monkeypatch: pytest.MonkeyPatch) -> tuple[list[Request], dict[str, str]]:
    """Every request that an agent makes that looks at everything, and the running configs as they are."""
    lab = parts.load("backends", "netns")().deploy(request_of(task))
    try:
        look = [("get_topology", {}), *(("get_running_cfg", {"device": node}) for node in lab.nodes)]
        with OpenAIServer(engineer(look)) as server:
            for name, value in server.environment.items():
                monkeypatch.setenv(name, value)
            agent = React(file=AgentFile(name="fake", model="openai/fake"))
            terms = terms_for(task, agent.info)
            ani = AgentInterface(lab, policy=terms.policy, budget=terms.budget)
            agent.prepare()
            ani.start()
            agent.run(brief_for(task, terms), ani)
            ani.close()
            acting = [one for one in server.requests if one.get("tools")]
        return acting, dict(TaskEvaluation(lab).final_configs())
    finally:
        lab.destroy()


def secrets(task: Task) -> list[str]:
    """Texts that only the author, the oracle and the judge may know; what is too short to tell is left out."""
    lines = [line for commands in task.payload.ground_truth_configs.values() for line in commands]
    judged = [testcase.model_dump(mode="json") for testcase in (*task.payload.testcases, *task.network.health_checks)]
    names = [one["name"] for one in judged]
    patterns = [one["expected_output"] for one in judged if one.get("expected_output")]
    reasoning = [sentence for sentence in task.ground_truth_reasoning.split(". ") if len(sentence.split()) > 5]
    asked = words(" ".join(intent.text for intent in task.payload.intents))
    parts = [sub.text for intent in task.payload.intents for sub in intent.sub_intents if words(sub.text) not in asked]
    return [
        text
        for text in (*lines, *names, *patterns, *reasoning, *parts)
        if len(words(text)) >= 12 and len(text.split()) > 2
    ]


def words(text: str) -> str:
    return " ".join(text.replace("\\n", " ").split()).lower()


def answers(text: str, config: str) -> bool:
    """Whether a tool's answer is this running config."""
    try:
        answer, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    return answer.get("running_config", "").strip() == config.strip()
