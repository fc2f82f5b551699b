"""The field `ready` of a task file, and links with one endpoint."""

from __future__ import annotations

import jsonschema
import pytest

from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.model.ready import ExpectedDown, Ready
from pytest_netbench.taskfile.schema import task_schema

VALIDATOR = jsonschema.Draft202012Validator(task_schema())


def ready_of(load, good, text):
    VALIDATOR.validate(read_yaml(good + text).plain())
    return load(good + text).network.ready


@pytest.mark.parametrize("word", ["everything", "stable", "boot"])
def test_a_policy_may_be_one_word(load, good, word):
    assert ready_of(load, good, f"ready: {word}\n") == Ready(until=word)


def test_sessions_are_written_as_a_text_or_a_mapping(load, good):
    text = "ready:\n  expected_down:\n    - R1 bgp 10.0.0.2\n    - {node: R2, protocol: ospf, neighbor: eth1}\n"
    assert ready_of(load, good, text).expected_down == (
        ExpectedDown(node="R1", protocol="bgp", neighbor="10.0.0.2"),
        ExpectedDown(node="R2", protocol="ospf", neighbor="eth1"),
    )


def test_an_interface_name_may_have_a_space(load, good):
    (session,) = ready_of(load, good, "ready:\n  expected_down: [R1 ospf GigabitEthernet 0/1]\n").expected_down
    assert session.neighbor == "GigabitEthernet 0/1"


def test_the_deadline_has_a_unit(load, good):
    assert ready_of(load, good, "ready: {until: stable, deadline: 2m}\n").deadline_s == 120


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ready: bot\n",
            "21: ready: unknown policy 'bot' (known: 'everything', 'stable', 'boot'). Did you mean 'boot'?",
        ),
        (
            "ready:\n  until: never\n",
            "22: ready: unknown policy 'never' (known: 'everything', 'stable', 'boot').",
        ),
        (
            "ready:\n  expected_down:\n    - R9 bgp 10.0.0.2\n",
            "23: expected_down: unknown node 'R9' (known: 'R1', 'R2', 'R3').",
        ),
        (
            "ready:\n  expected_down:\n    - node: R1\n      protocol: bpg\n      neighbor: R2\n",
            (
                "24: expected_down: unknown protocol 'bpg' (known: 'ospf', 'ospf6', 'bgp', 'bfd', 'isis', 'rip',"
                " 'eigrp'). Did you mean 'bgp'?"
            ),
        ),
        (
            "ready:\n  expected_down:\n    - R1 bgp\n",
            "23: 'R1 bgp' is no session; write it like 'R1 bgp 10.0.0.2' (node, protocol, neighbor)",
        ),
        (
            "ready:\n  until: boot\n  expected_down: [R1 bgp R2]\n",
            "23: expected_down has no meaning with until: boot, which waits for no session",
        ),
        ("ready:\n  deadline: 5x\n", "22: deadline: '5x': unknown unit 'x' (known: ms, s, m, h)"),
        ("ready: 5\n", "21: ready (or one of everything, stable, boot) must be a mapping, not a number"),
        ("ready: {wait: 3}\n", "21: unknown field of ready 'wait' (known: 'until', 'expected_down', 'deadline')."),
    ],
)
def test_a_mistake_is_named_with_its_line(refusal, good, text, message):
    assert refusal(good + text).split("\n")[0] == f"static.task.yaml:{message}"


def test_the_default_policy_does_not_change_the_digest(load, good):
    plain = load(good)
    assert load(good + "ready: everything\n").digest == plain.digest
    assert load(good + "ready: boot\n").digest != plain.digest


def test_a_stub_link_has_one_endpoint(load, good):
    text = good.replace("    - R1 eth2 <->", "    - endpoints: [R3 eth9]\n    - R1 eth2 <->")
    VALIDATOR.validate(read_yaml(text).plain())
    task = load(text)
    assert [str(link) for link in task.network.topology.links] == [
        "R1 eth1 <-> R2 eth1",
        "R3 eth9",
        "R1 eth2 <-> R3 eth1",
    ]
    assert task.network.topology.peers("R3") == {"eth9": (), "eth1": task.network.topology.links[2].endpoints[:1]}
    assert "R3 eth9" in task.network.topology.wire()["links"]


def test_a_stub_link_has_no_quality(refusal, good):
    text = good.replace("    - R1 eth2 <->", "    - {endpoints: [R3 eth9], delay: 5ms}\n    - R1 eth2 <->")
    assert "has one endpoint and carries no packets" in refusal(text)
