"""The control of nodes in task files: who may be configured, and what that means for ground truth and digests."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from tests.support.memory_trial import task_of

TASK = """\
task_name: T
intents: [do it]
topology:
  nodes:
    - R1
    - {name: R2, control: observed}
    - {name: R3, control: foreign}
ground_truth_configs:
  R1: [ip route 10.0.0.0/8 10.1.0.1]
"""
DRAFT = {"task_name": "T", "intents": ["x"], "topology": {"nodes": ["A", "B"]}}


def test_a_node_is_managed_unless_the_file_says_otherwise(load):
    assert load(TASK).network.topology.controls == {"R1": "managed", "R2": "observed", "R3": "foreign"}


def test_all_nodes_of_a_draft_file_are_managed(load):
    assert load(json.dumps(DRAFT), "x.json").network.topology.all_managed


def test_an_unknown_control_names_the_known_ones(refusal):
    assert refusal(TASK.replace("observed", "observe")) == (
        "static.task.yaml:6: unknown control 'observe' (known: 'managed', 'observed', 'foreign')."
        " Did you mean 'observed'?"
    )


@pytest.mark.parametrize(("node", "control"), [("R2", "observed"), ("R3", "foreign")])
def test_ground_truth_of_a_node_that_no_agent_can_configure_is_refused(refusal, node, control):
    assert refusal(TASK + f"  {node}: [ip route 10.0.0.0/8 10.2.0.1]\n") == (
        f"static.task.yaml:10: ground_truth_configs: '{node}' is {control}, so no agent can configure it;"
        " give the node 'control: managed', or configure a managed node instead"
    )


def test_an_empty_ground_truth_of_such_a_node_is_none(load):
    assert load(TASK + "  R2: []\n").payload.truth_of("R2") == ()


def test_a_generated_task_is_held_to_the_same(load):
    topology = task_of().network.topology.model_dump()
    topology["nodes"][1]["control"] = "foreign"
    with pytest.raises(ValidationError, match=r"'edge' is foreign, so no agent can configure it"):
        task_of(topology=topology)


def test_the_digest_of_a_task_of_managed_nodes_does_not_change_with_the_field(load):
    written = TASK.replace("observed", "managed").replace("foreign", "managed")
    silent = TASK.replace(", control: observed", "").replace(", control: foreign", "")
    assert load(written).digest == load(silent).digest
    assert '"control"' not in load(written).model_dump_json()


def test_control_belongs_to_what_is_asked_and_not_to_the_recorded_truth(load):
    one, other = load(TASK), load(TASK.replace("observed", "managed"))
    assert one.digest != other.digest
    assert one.truth_digest == other.truth_digest
    assert one.proof_digest == other.proof_digest
