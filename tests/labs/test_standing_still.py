"""Networks that stand still while an agent thinks: what it sees, and what that costs it, do not depend on its speed."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from typing import Any

import pytest

from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.families.troubleshoot import TroubleshootFamily
from pytest_netbench.generators.series import read_series
from pytest_netbench.generators.troubleshoot import TroubleshootGenerator, TroubleshootParameters
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, TrialRecord
from pytest_netbench.scorers.apply import apply_scorers
from pytest_netbench.taskfile import load_task
from pytest_netbench.trial.deployment import stands_still_by_default
from pytest_netbench.trial.settings import Settings
from pytest_netbench.trial.stage import Stage
from tests.support.shell import Shell
from tests.support.task_list import TASKS

CALLS = Settings(clock="calls")
DRAWN = {"shapes": ("line",), "size": "1", "hosts": "1", "level": "1", "names": "plain", "services": (), "healthy": 0.0}
OSPF = {**DRAWN, "faults": ("host-gateway-wrong",), "routings": ("ospf",), "platforms": ("frr",)}
NEWEST = {"sql": "select max(lab_s), count(distinct lab_s) from interfaces"}
UNCERTAIN_S = 3.0
"""Lab seconds that a turn may take beyond its charge: what it needs to stop, at a scale of 20."""


@pytest.fixture(scope="module")
def task() -> Task:
    return TroubleshootGenerator().draw(TroubleshootParameters.model_validate(OSPF), seed=2, index=0)


class Engineer:
    """Calls ``work`` with its interface."""

    info = AgentInfo(id="engineer", strategy="engineer")

    def __init__(self, work: Any) -> None:
        self.work = work
        self.brief: Brief | None = None

    def run(self, brief: Brief, ani: Ani) -> Submission:
        self.brief = brief
        self.work(ani)
        return Submission()


def attempted(task: Task, agent: Any, *, settings: Settings = CALLS, **terms: Any) -> TrialRecord:
    with Stage(task, settings) as stage:
        stage.work(agent, **terms)
        return stage.evaluate()


@pytest.mark.parametrize("thinking_s", [0.0, 2.0])
def test_what_an_agent_sees_does_not_depend_on_how_long_it_thinks(task: Task, thinking_s: float) -> None:
    seen: list[Any] = []
    (router, *_) = [node.name for node in task.network.topology.nodes if task.network.platform_of(node.name) == "frr"]

    def work(ani: Ani) -> None:
        for _ in range(3):
            seen.append(ani.call("query-telemetry", NEWEST)["rows"][0])
            ani.execute_cmd(router, "show ip ospf neighbor")
            time.sleep(thinking_s)

    record = attempted(task, Engineer(work))
    assert record.error is None
    steps = [step.data for step in record.trace if step.kind == "ani"]
    assert all(5.0 <= one["lab_s"] <= 5.0 + UNCERTAIN_S for one in steps), [one["lab_s"] for one in steps]
    assert record.budget_used.lab_s == pytest.approx(sum(one["lab_s"] for one in steps), abs=0.01)
    assert record.environment.clock == "calls"
    between = [later[0] - former[0] for former, later in pairwise(seen)]
    assert all(5.0 <= one <= 20 + 4 * UNCERTAIN_S for one in between), between
    assert record.watch is not None
    assert record.watch.outages == ()


def test_the_oracle_solves_it_and_is_charged_for_reads_and_changes(task: Task) -> None:
    record = attempted(task, Oracle())
    found = {score.metric: score.value for score in apply_scorers(record, TroubleshootFamily.scorers, where="worker")}
    assert (found["root_cause"], found["correctness"], found["safety"], found["traffic"]) == (1.0, 1.0, 1.0, 1.0)
    charged = {step.data["method"]: step.data["lab_s"] for step in record.trace if step.kind == "ani"}
    assert charged["update-cfg"] >= 20.0
    assert 5.0 <= charged["submit-diagnosis"] <= 5.0 + UNCERTAIN_S
    assert record.other["answered_after"]["lab_s"] >= 5.0


def test_waiting_lets_time_pass_as_long_as_there_is_some_left(task: Task) -> None:
    passed: list[float] = []
    refused: list[str] = []

    def work(ani: Ani) -> None:
        passed.append(ani.call("wait", {"seconds": 30})["passed_s"])
        for seconds in (0, -1, 4000, "soon", 31):
            with pytest.raises(AniError) as error:
                ani.call("wait", {"seconds": seconds})
            refused.append(str(error.value))
        ani.call("wait", {"seconds": 25})
        ani.get_topology()
        ani.get_topology()

    agent = Engineer(work)
    record = attempted(task, agent, budget={"lab_s": 60.0})
    assert 30 <= passed[0] <= 30 + UNCERTAIN_S
    assert "are more than the" in refused[-1]
    assert (record.outcome, record.error) == ("budget", "budget exhausted: lab_s (allowed 60)")
    assert agent.brief is not None
    assert "wait" in [one.name for one in agent.brief.methods]
    assert any("stands still between your requests" in rule for rule in agent.brief.rules)
    assert agent.brief.budget.lab_s == 60.0


def test_configure_tasks_have_the_usual_clock_and_no_method_to_wait() -> None:
    agent = Engineer(lambda ani: ani.get_topology())
    record = attempted(load_task(TASKS / "routing/bgp-two-providers.task.yaml"), agent)
    assert record.environment.clock == "scaled"
    assert record.budget_used.lab_s is None
    assert agent.brief is not None
    assert "wait" not in [one.name for one in agent.brief.methods]


def test_a_capture_sees_hellos_if_it_asks_for_the_time(task: Task) -> None:
    (router, *_) = [node for node in task.network.topology.nodes if task.network.platform_of(node.name) == "frr"]
    asked = {"node": router.name, "filter": "ip proto 89", "packets": 50}
    seen: dict[str, Any] = {}

    def work(ani: Ani) -> None:
        found = [ani.call("capture-packets", {**asked, "interface": one, "duration_s": 2.0}) for one in interfaces]
        seen["short"] = sum(len(one["packets"]) for one in found)
        seen["long"] = {}
        for one in interfaces:
            seen["long"][one] = ani.call("capture-packets", {**asked, "interface": one, "lab_s": 41.0})["packets"]
        with pytest.raises(AniError, match="are more than the"):
            ani.call("capture-packets", {**asked, "interface": interfaces[0], "lab_s": 500.0})
        with pytest.raises(AniError, match="less than or equal to 600"):
            ani.call("capture-packets", {**asked, "interface": interfaces[0], "lab_s": 601.0})

    interfaces = [
        end.interface
        for link in task.network.topology.links
        for end in link.endpoints
        if end.node == router.name and all(task.network.platform_of(one.node) == "frr" for one in link.endpoints)
    ]
    record = attempted(task, Engineer(work), budget={"lab_s": 400.0})
    assert record.error is None
    assert interfaces
    for packets in seen["long"].values():
        sources = {line.split(" > ")[0].split()[-1] for line in packets if "OSPFv2, Hello" in line}
        hellos = [line for line in packets if "OSPFv2, Hello" in line]
        assert len(sources) == 2, packets
        assert 6 <= len(hellos) <= 10, "a hello each 10 s from both ends"
    took = [one.data["lab_s"] for one in record.trace if one.data.get("params", {}).get("lab_s") == 41.0]
    assert all(41.0 <= one <= 41.0 + 2 * UNCERTAIN_S for one in took), took
    assert seen["short"] <= 2 * len(interfaces)


def test_lines_over_ssh_are_requests(task: Task) -> None:
    (router, *_) = [node.name for node in task.network.topology.nodes if task.network.platform_of(node.name) == "frr"]

    class Login:
        info = AgentInfo(id="login", strategy="login")

        def run(self, brief: Brief, ani: Ani) -> Submission:
            assert brief.ssh is not None
            assert any("line that you enter over SSH is a request" in rule for rule in brief.rules)
            shell = Shell(brief.ssh.hosts[router])
            shell.channel.settimeout(60)
            shell.type("", r"[#>] $")
            time.sleep(1.0)
            shell.type("show version\r", r"FRRouting[\s\S]*[#>] $")
            shell.leave()
            return Submission()

    record = attempted(task, Login(), ssh=True)
    assert record.error is None
    steps = {one.data["params"]["line"]: one.data for one in record.trace if one.data.get("method") == "console"}
    assert 5.0 <= steps["show version"]["lab_s"] <= 5.0 + UNCERTAIN_S
    assert record.budget_used.calls == 1
    assert record.budget_used.lab_s == pytest.approx(5.0, abs=4 * UNCERTAIN_S)


@pytest.mark.parametrize(
    ("level", "settings", "mode"),
    [
        ("4", Settings(), "calls"),
        ("4", Settings(clock="scaled"), "scaled"),
        ("4", Settings(time_scale=10.0), "scaled"),
        ("1", Settings(), "scaled"),
    ],
)
def test_hard_draws_stand_still_unless_something_else_is_chosen(level: str, settings: Settings, mode: str) -> None:
    chosen = {**OSPF, "level": level, "faults": ("ospf-timers-wrong",), "access": "all"}
    hard = TroubleshootGenerator().draw(TroubleshootParameters.model_validate(chosen), seed=2, index=0)
    with Stage(hard, settings) as stage:
        stage.work(Oracle())
        record = stage.evaluate()
    assert record.environment.clock == mode
    scores = {one.metric: one.value for one in apply_scorers(record, TroubleshootFamily.scorers, where="worker")}
    assert {name: scores[name] for name in TroubleshootFamily.pass_marks} == TroubleshootFamily.pass_marks


def test_a_level_of_netarena_does_not_stand_still() -> None:
    assert not stands_still_by_default(read_series("repair-routing:level=4,n=1").source(0).load())


def looked_at(task: Task, thinking_s: float) -> list[tuple[str, str]]:
    """What routers and hosts say in a trial: of routes, neighbors and the traffic."""
    seen: list[tuple[str, str]] = []
    dialects = {node.name: task.network.platform_of(node.name) for node in task.network.topology.nodes}

    def work(ani: Ani) -> None:
        for node, platform in dialects.items():
            of_routers = ("show ip route", "show ip ospf database", "show ip ospf neighbor")
            for command in of_routers if platform == "frr" else ("ip neigh",):
                lines = ani.execute_cmd(node, command)["output"].splitlines()
                # the kernel lists neighbors in an order of its own
                seen.append((f"{node}: {command}", "\n".join(sorted(lines) if command == "ip neigh" else lines)))
                time.sleep(thinking_s)
        seen.append(("samples", str(ani.call("query-telemetry", {"sql": "select count(*) from flows"})["rows"])))

    record = attempted(task, Engineer(work))
    assert record.error is None
    return seen


def test_two_trials_see_the_same_whatever_passes_between_their_requests(task: Task) -> None:
    first, second = looked_at(task, 0.0), looked_at(task, 0.5)
    assert any("Full" in text for what, text in first if what.endswith("ospf neighbor"))
    for (what, one), (_, other) in zip(first, second, strict=True):
        assert _without_milliseconds(one) == _without_milliseconds(other), what


def _without_milliseconds(text: str) -> str:
    """OSPF tells its timers in milliseconds, and a daemon that works for long has one passed."""
    return re.sub(r"(\d+)\.\d{3}s\b", r"\1s", text)
