"""Trials on labs in memory, without pytest's plugin. They need the fixture ``memory_parts``."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.trial import Settings, Stage, Terms, terms_for
from tests.support.memory_lab import CHAIN, CONFIGS, MemoryLab

WORK = ("no deny tcp 80 any", "route 10.9.0.0/16 via 10.0.2.10")


def task_of(**changes: Any) -> Task:
    fields: dict[str, Any] = {
        "task_name": "Reach the web server",
        "slug": "reach",
        "platform": "memory",
        "intents": [{"text": "port 80", "sub_intents": [{"node": "edge", "text": "stop dropping"}]}, {"text": "route"}],
        "topology": CHAIN.model_dump(),
        "startup_configs": {**CONFIGS, "edge": "address e0 10.0.1.1\naddress e1 10.0.2.1\ndeny tcp 80 any"},
        "ground_truth_configs": {"edge": WORK},
        "ground_truth_reasoning": "port 80 is dropped",
        "testcases": [
            {
                "kind": "reachability",
                "name": "web",
                "intent": 1,
                "from": "branch",
                "to": "web",
                "protocol": "tcp",
                "port": 80,
                "within_s": 1,
            },
            {"kind": "route", "name": "dc", "intent": 2, "device": "edge", "prefix": "10.9.0.0/16", "within_s": 1},
        ],
    }
    return Task.model_validate({**fields, **changes})


class Own:
    """An agent that does ``work``."""

    def __init__(self, work: Callable[[Brief, Ani], object], **overrides: Any) -> None:
        self._work = work
        self.info = AgentInfo(id="own", strategy="own", overrides=AgentSettings.model_validate(overrides))

    def run(self, brief: Brief, ani: Ani) -> Any:
        return self._work(brief, ani)


def does_it(_: Brief, ani: Ani) -> Submission:
    ani.update_cfg("edge", WORK)
    return Submission(reasoning="done")


@dataclass
class MemoryTrial:
    stage: Stage
    ani: AgentInterface
    agent: Any
    terms: Terms
    grace_s: float | None
    clock: Callable[[], float] = time.monotonic

    @property
    def lab(self) -> Any:
        return self.stage.lab

    def run(self) -> TrialRecord:
        self.stage.work(self.agent, ani=self.ani, terms=self.terms, grace_s=self.grace_s, clock=self.clock)
        return self.stage.evaluate()


def trial_of(agent: Any, *, task: Task | None = None, grace_s: float | None = 0.1, **budget: Any) -> MemoryTrial:
    task = task or task_of()
    lab = MemoryLab(task.network.topology, task.network.startup_configs, time_scale=100.0)
    terms: Terms = terms_for(task, agent.info, budget=budget)
    ani = AgentInterface(lab, policy=terms.policy, budget=terms.budget)
    stage = Stage(task, Settings(backend="memory"), lab=lab).__enter__()
    return MemoryTrial(stage=stage, ani=ani, agent=agent, terms=terms, grace_s=grace_s)
