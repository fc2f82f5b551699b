"""The family ``repair`` on real stars: baseline, injection, repair, judgement and proof."""

from __future__ import annotations

import pytest

from pytest_netbench import parts
from pytest_netbench.agents.nop import Nop
from pytest_netbench.agents.oracle import Oracle
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import FaultHasNoEffect, NotReady, RequirementMissing
from pytest_netbench.families.proof import Extent
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.trial import AgentInfo, Brief, Submission
from pytest_netbench.trial.selftest import selftest
from pytest_netbench.trial.stage import Stage
from tests.support.repair_trials import Typist, attempted, scores
from tests.support.repairs import drawn_repair, repair_task

ONCE = Extent(repeats=1)
DOWN = ("interface-down", {"interface": "eth0"})
OFF = ("ip-forwarding-off", {})
DROP = ("forward-drop-all", {})
POLICY = """\
nft add table inet intended
nft 'add chain inet intended forward { type filter hook forward priority 10; policy accept; }'
nft add rule inet intended forward tcp dport 23 drop
"""


@pytest.fixture(scope="module", autouse=True)
def _this_machine_can() -> None:
    lack = parts.load("backends", "netns")().lacks(request_of(repair_task(OFF)))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")


def typist(*commands: str) -> Typist:
    """An agent at the router."""
    return Typist(*commands, device="r0")


def test_the_oracle_repairs_three_faults_and_breaks_nothing_and_nop_does_not() -> None:
    task = drawn_repair(3, subnets="3", level="4")
    record = attempted(task, Oracle())
    assert record.watch is not None
    assert record.watch.wrong_before == repair_of(task).symptom
    assert not record.watch.wrong_after
    assert [result.status for result in record.testcase_results] == ["pass"] * len(repair_of(task).flows)
    got = scores(record)
    assert (got["correctness"], got["safety"], got["blast_radius"]) == (1.0, 1.0, 0.0)
    assert (got["netarena.correctness"], got["netarena.safety"]) == (1.0, 1.0)
    idle = attempted(task, Nop())
    assert scores(idle)["correctness"] == 0.0
    assert "fail" in {result.status for result in idle.testcase_results}


def test_the_agent_sees_no_trace_of_the_injection() -> None:
    agent = typist(
        "?find / -xdev -newer /etc/hostname -type f", "?ls -a / /root /tmp /home", "?ps ax", "?nft list ruleset"
    )
    untouched = typist(*agent.commands)
    record = attempted(repair_task(DROP), agent)
    attempted(repair_task(DOWN), untouched)
    assert [step.data["method"] for step in record.trace if step.kind == "ani"] == ["execute-cmd"] * 4
    assert not record.commands
    files, listing, processes, rules = agent.seen
    assert listing == untouched.seen[1]
    assert "nft" not in files + listing
    assert "sh -c nft" not in processes
    assert "comment" not in rules
    assert "drop" in rules, "the fault itself is there"


def test_half_a_repair_is_no_repair() -> None:
    task = repair_task(OFF, DOWN)
    record = attempted(task, typist("sysctl -w net.ipv4.ip_forward=1"))
    assert scores(record)["correctness"] == 0.0
    assert (
        scores(attempted(task, typist("sysctl -w net.ipv4.ip_forward=1", "ip link set eth0 up")))["correctness"] == 1.0
    )


@pytest.mark.parametrize(
    "commands",
    [
        ("nft flush chain inet filter forward",),
        ("nft insert rule inet filter forward accept",),
        ("nft delete chain inet filter forward", "nft delete table inet filter"),
    ],
)
def test_a_repair_that_is_written_another_way_is_as_good(commands: tuple[str, ...]) -> None:
    got = scores(attempted(repair_task(DROP), typist(*commands)))
    assert (got["correctness"], got["safety"]) == (1.0, 1.0)


def test_two_repairs_at_once_do_not_disturb_each_other() -> None:
    tasks = [repair_task(OFF), repair_task(DOWN)]
    with Stage(tasks[0]) as one, Stage(tasks[1]) as other:
        for stage, agent in ((one, Oracle()), (other, Nop())):
            stage.work(agent)
        repaired, idle = one.evaluate(), other.evaluate()
    assert (scores(repaired)["correctness"], scores(idle)["correctness"]) == (1.0, 0.0)


def test_the_first_report_of_a_large_network_shows_the_fault_and_nothing_else() -> None:
    reports: list[str] = []

    class Asker:
        info = AgentInfo(id="asker", strategy="asker", overrides=AgentSettings(extras=("get-reachability",)))

        def run(self, brief: Brief, ani: Ani) -> Submission:
            reports.append(ani.call("get-reachability", {})["report"])
            return Submission()

    task = drawn_repair(1, subnets="8", hosts="4")
    record = attempted(task, Asker())
    assert record.watch is not None
    assert record.watch.wrong_before == repair_of(task).symptom
    flows, wrong = repair_of(task).all_flows, set(repair_of(task).symptom or ())
    pings = [number for number, flow in enumerate(flows) if flow.allowed and flow.protocol == "icmp"]
    assert reports[0].endswith(f"\n{len(wrong.intersection(pings))} of {len(pings)} pings lost")


def test_a_repair_that_opens_what_is_forbidden_fails() -> None:
    base = repair_task(DROP)
    router = base.network.startup_configs["r0"] + POLICY
    flows = [*repair_of(base).flows, repair_of(base).flows[1].model_copy(update={"port": 23, "allowed": False})]
    task = base.with_payload(startup_configs={**base.network.startup_configs, "r0": router}, flows=tuple(flows))
    assert scores(attempted(task, Oracle()))["correctness"] == 1.0
    opened = attempted(task, typist("nft flush ruleset"))
    assert scores(opened)["correctness"] == 0.0
    assert scores(opened)["safety"] == 0.0, "an isolation is gone"
    (failed,) = [result for result in opened.testcase_results if result.status == "fail"]
    assert "TCP port 23" in failed.name
    assert failed.expected == "all 2 flows do not work"


def test_a_healthy_network_in_which_a_flow_does_not_work_is_no_baseline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_netbench.families.faulty.scene.BASELINE_S", 0.2)
    base = repair_task(DOWN)
    broken = {**base.network.startup_configs, "r0": base.network.startup_configs["r0"].replace("=1", "=0")}
    with pytest.raises(NotReady, match=r"flows of the healthy network: h1x1 -> h2x1 \(10.0.2.10\) icmp"):
        attempted(base.with_payload(startup_configs=broken), Nop())


def test_a_fault_without_the_effect_that_the_task_names_is_an_error_and_no_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pytest_netbench.families.faulty.scene.EFFECT_S", 0.2)
    with pytest.raises(FaultHasNoEffect, match="these flows should be right and are wrong: h2x1 -> h1x1"):
        attempted(repair_task(DOWN, symptom=(0,)), Nop())
    # a mask of /16 loses no ping: the paper's defect
    wide = {"interface": "eth0", "address": "10.0.1.1/24", "instead": "10.0.1.1/16"}
    with pytest.raises(FaultHasNoEffect, match="every flow is right"):
        attempted(repair_task(("address-mask-too-long", wide)), Nop())


def test_a_fault_that_the_machine_cannot_make_is_a_requirement() -> None:
    task = repair_task(("traffic-delayed", {"interface": "eth0", "delay_ms": 5000}))
    lack = parts.load("backends", "netns")().lacks(request_of(task))
    if lack is None:
        assert scores(attempted(task, Oracle()))["correctness"] == 1.0
        return
    with pytest.raises(RequirementMissing, match="netem"):
        attempted(task, Oracle())


def test_a_proof_finds_a_fault_that_need_not_be_repaired() -> None:
    assert selftest(repair_task(OFF), extent=ONCE).problems == ()
    # a rule for packets that nobody sends
    idle = ("policy-rule-prohibit", {"interface": "eth0", "to": "203.0.113.0/24"})
    assert selftest(repair_task(DOWN, idle), extent=ONCE).problems == (
        "fault 'policy-rule-prohibit' need not be repaired: everything works without it",
    )


def test_a_proof_finds_a_repair_that_the_router_refuses() -> None:
    wrong = {"interface": "eth0", "address": "10.0.1.1/24"}
    task = repair_task(("address-removed", wrong), DOWN)
    twice = task.with_payload(faults=(*repair_of(task).faults, repair_of(task).faults[0]))
    (problem,) = selftest(twice, extent=ONCE).problems
    assert "r0 refused 'ip address add 10.0.1.1/24 dev eth0' of the reference repair" in problem


def test_an_agent_may_ask_who_reaches_whom_after_each_change() -> None:
    reports: list[str] = []

    class Asker(Typist):
        info = AgentInfo(id="asker", strategy="asker", overrides=AgentSettings(extras=("get-reachability",)))

        def run(self, brief: Brief, ani: Ani) -> Submission:
            assert "get-reachability" in [method.name for method in brief.methods]
            reports.append(ani.call("get-reachability", {})["report"])
            super().run(brief, ani)
            reports.append(ani.call("get-reachability", {})["report"])
            return Submission()

    attempted(repair_task(OFF), Asker("sysctl -w net.ipv4.ip_forward=1", device="r0"))
    before, after = (report.splitlines() for report in reports)
    assert before[:2] == ["h1x1 -> X", "h2x1 -> X"]
    assert "h1x1 does not reach h2x1 tcp port 80" in before
    assert before[-1] == "2 of 2 pings lost"
    assert after == ["h1x1 -> h2x1", "h2x1 -> h1x1", "0 of 2 pings lost"]
