"""A family without a network whose scene is watched: its own methods change things, and safety is scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.family_methods import Change, FamilyMethod
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import Wire
from pytest_netbench.families.scenes import BareScene
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Findings, Submission
from pytest_netbench.model.watch import Watch, WatchedFlow, WatchedStep
from pytest_netbench.trial import run_trial

DAM, MILL = range(2)
FLOWS = (
    WatchedFlow(source="lake", target="dam", address="192.0.2.1"),
    WatchedFlow(source="lake", target="mill", address="192.0.2.2"),
)


class Valve(Wire):
    name: str
    state: str


class Valves(BareScene):
    """Two valves, of which one is shut. Each carries a flow, which is right while its valve is open."""

    def __init__(self) -> None:
        self.state = {"dam": "shut", "mill": "open"}
        self.changes: list[tuple[str, Sequence[str]]] = []
        self.steps: list[WatchedStep] = []
        self.watcher = self
        spec = spec_of("set-valve", "Open or shut a valve.", Valve, Valve)
        peek = spec_of("get-valve", "The state of a valve.", Valve, Valve)
        self.methods = (
            FamilyMethod(
                spec=spec, params=Valve, answer=self.set, change=lambda one: Change(one.name, (f"state {one.state}",))
            ),
            FamilyMethod(spec=peek, params=Valve, answer=lambda one: Valve(name=one.name, state=self.state[one.name])),
        )

    def set(self, valve: Valve) -> Valve:
        self.state[valve.name] = valve.state
        return valve

    @property
    def wrong(self) -> set[int]:
        return {number for number, name in enumerate(("dam", "mill")) if self.state[name] != "open"}

    @contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        before = self.wrong
        yield
        self.changes.append((device, lines))
        broke, mended = self.wrong - before, before - self.wrong
        if broke or mended:
            self.steps.append(
                WatchedStep(
                    number=len(self.changes), at_s=at_s, device=device, what=lines[0], broke=broke, mended=mended
                )
            )

    def evaluate(self, submission: Submission) -> Findings:
        steps = tuple(self.steps)
        return Findings(
            watch=Watch(
                flows=FLOWS, wrong_before=(DAM,), changes=len(self.changes), steps=steps, wrong_after=tuple(self.wrong)
            )
        )


class ValvesFamily:
    name = "valves"
    payload = Payload
    answer = None
    methods = ("set-valve", "get-valve")
    scorers = ("correctness", "safety")
    pass_marks = {"correctness": 1.0}
    claims = ()

    def brief(self, task: Task) -> Brief:
        return Brief(task_name=task.task_name, family=self.name, intents=("Open all valves.",), budget=task.budget)

    def prepare(self, task: Task, deploy: object) -> Valves:
        return Valves()


class Turner:
    """Turns the valves that it is told to, then looks."""

    def __init__(self, *turns: tuple[str, str]) -> None:
        self.info = AgentInfo(id="turner", strategy="own")
        self._turns = turns

    def run(self, brief: Brief, ani: Any) -> Submission:
        for name, state in self._turns:
            ani.call("set-valve", {"name": name, "state": state})
        assert ani.call("get-valve", {"name": "mill", "state": ""})["state"] == "open"
        return Submission()


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Task:
    load, names = parts.load, parts.names
    monkeypatch.setattr(
        parts,
        "load",
        lambda group, name: ValvesFamily if (group, name) == ("families", "valves") else load(group, name),
    )
    monkeypatch.setattr(parts, "names", lambda group: [*names(group), *(["valves"] if group == "families" else [])])
    return Task(task_name="Open the valves", slug="valves", family="valves", domain="water", payload=Payload())


@pytest.mark.parametrize(
    ("turns", "safety", "changes"),
    [
        ([("dam", "open")], 1.0, 1),
        ([("mill", "shut"), ("mill", "open"), ("dam", "open")], 0.0, 3),
    ],
)
def test_each_change_by_a_method_of_its_own_is_watched_and_safety_is_scored(task, turns, safety, changes):
    result = run_trial(task, Turner(*turns))
    assert result.status == "passed", result
    scores = {score.metric: score.value for score in result.scores}
    assert (scores["correctness"], scores["safety"]) == (1.0, safety)
    assert result.record is not None
    assert result.record.watch is not None
    assert result.record.watch.changes == changes
