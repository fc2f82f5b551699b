"""The payload of the family ``repair``: what a task file may say, and which flows it means."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_netbench.families.faulty.flows import words
from pytest_netbench.families.repair.briefing import assignment
from pytest_netbench.model.faulty import FlowGroup, InjectedFault
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from tests.support.repairs import repair_task

DOWN = ("interface-down", {"interface": "eth0"})
HOSTS = {"h1x1": "10.0.1.10", "h2x1": "10.0.2.10"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"flows": [{"sources": ["h9"], "targets": HOSTS}]},
            "flows: unknown node 'h9' (known: ['h1x1', 'h2x1', 'r0'])",
        ),
        ({"flows": [{"sources": ["r0"], "targets": {"h9": "10.0.1.9"}}]}, "flows: unknown node 'h9'"),
        ({"flows": [{"sources": ["r0"], "targets": HOSTS, "port": 80}]}, "flows of icmp: leave 'port' out"),
        ({"flows": [{"sources": ["r0"], "targets": HOSTS, "protocol": "tcp"}]}, "flows of tcp: give a 'port'"),
        ({"symptom": [4]}, "symptom: an index is not that of a flow (there are 4 flows, the first is 0)"),
        ({"faults": []}, "at least 1 item"),
        ({"faults": [{"fault": "interface-dwn"}]}, "Did you mean 'interface-down'?"),
        ({"faults": [{"fault": "interface-down"}]}, "fault 'interface-down': parameters: node: Field required"),
        (
            {"faults": [{"fault": "interface-mtu-too-low", "parameters": {"node": "r0", "interface": "e", "mtu": 9}}]},
            "parameters: mtu: Input should be greater than or equal to 68",
        ),
    ],
)
def test_nonsense_is_refused_with_what_is_wrong(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        repair_task(DOWN, **change)
    assert said in str(caught.value)


def test_flows_lead_from_each_source_to_each_other_target() -> None:
    group = FlowGroup(sources=("h1x1", "r0"), targets=HOSTS, protocol="tcp", port=80)
    assert [str(flow) for flow in group.flows()] == [
        "h1x1 -> h2x1 (10.0.2.10) tcp/80",
        "r0 -> h1x1 (10.0.1.10) tcp/80",
        "r0 -> h2x1 (10.0.2.10) tcp/80",
    ]
    assert group.count == 3


def test_what_is_broken_changes_the_digest_and_the_proof() -> None:
    one, other = repair_task(DOWN), repair_task(("interface-down", {"interface": "eth1"}))
    assert one.digest != other.digest
    assert one.proof_digest != other.proof_digest
    assert one.proof_digest == repair_task(DOWN, task_name="other").proof_digest


def test_a_task_needs_what_its_faults_need_and_packets() -> None:
    late = ("traffic-delayed", {"interface": "eth0", "delay_ms": 9000})
    assert repair_task(DOWN).network.needs == ("probes",)
    assert repair_task(DOWN, late).network.needs == ("probes", "netem")


def test_a_fault_is_written_as_it_was_drawn() -> None:
    fault = InjectedFault(fault="interface-down", parameters={"node": "r0", "interface": "eth0"})
    task = repair_task(DOWN)
    assert repair_of(task).faults == (fault,)
    assert Task.model_validate_json(task.model_dump_json(by_alias=True)) == task


def test_the_assignment_says_what_must_not_work_only_if_something_must_not() -> None:
    task = repair_task(DOWN)
    closed = FlowGroup(sources=("h1x1",), targets={"h2x1": "10.0.2.10"}, protocol="udp", port=53, allowed=False)
    assert "must not work" not in assignment(repair_of(task))
    told = assignment(repair_of(task.with_payload(flows=(*repair_of(task).flows, closed))))
    assert told.splitlines()[-2:] == [
        "These must not work when you are done:",
        "- UDP port 53 from h1x1 to h2x1 (10.0.2.10)",
    ]


def test_many_pairs_are_one_sentence() -> None:
    every = FlowGroup(sources=tuple(HOSTS), targets=HOSTS)
    assert words(every) == "ping from each of these nodes to each other one: h1x1 (10.0.1.10), h2x1 (10.0.2.10)"
    assert words(FlowGroup(sources=("r0",), targets=HOSTS)) == "ping from r0 to h1x1 (10.0.1.10), h2x1 (10.0.2.10)"
