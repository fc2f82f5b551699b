"""Several ground truths in one task file, as the draft's revision -02 has them."""

from __future__ import annotations

import json

import pytest
import yaml

from pytest_netbench.errors import TaskFileError
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.writing import task_text

STATIC = {
    "solution_id": "static",
    "configs": {"R1": ["ip route 10.0.9.0/24 10.0.0.2"]},
    "reasoning": "One prefix needs one route.",
}
DYNAMIC = {
    "solution_id": "rip",
    "configs": {"R1": "router rip\n network 10.0.0.0/24\n", "R2": ["router rip", " network 10.0.0.0/24"]},
    "provenance": {"run": "20261126T120000", "trial": 2},
}
TASK = {
    "task_name": "T",
    "intents": ["reach R2"],
    "platform": "frr",
    "topology": {"nodes": ["R1", "R2"], "links": ["R1 eth1 <-> R2 eth1"]},
    "ground_truth_configs": [STATIC, DYNAMIC],
}


@pytest.fixture
def load(tmp_path):
    def run(suffix=".task.yaml", **changes):
        path = tmp_path / f"t{suffix}"
        fields = {name: value for name, value in {**TASK, **changes}.items() if value is not None}
        text = json.dumps(fields)
        path.write_text(text if suffix.endswith("json") else yaml.safe_dump(json.loads(text), sort_keys=False))
        return load_task(path)

    return run


def message_of(load, **changes) -> str:
    with pytest.raises(TaskFileError) as caught:
        load(**changes)
    return caught.value.message


@pytest.mark.parametrize("suffix", [".task.yaml", ".task.json"])
def test_the_first_ground_truth_is_the_oracles_and_the_others_are_kept(load, suffix):
    task = load(suffix)
    payload = task.payload
    assert payload.ground_truth_configs == {"R1": ("ip route 10.0.9.0/24 10.0.0.2",)}
    assert task.ground_truth_reasoning == "One prefix needs one route."
    assert payload.ground_truth_origin.solution_id == "static"
    (further,) = payload.further_ground_truths
    assert further.configs["R1"] == ("router rip", " network 10.0.0.0/24")
    assert further.provenance == {"run": "20261126T120000", "trial": 2}


def test_the_drafts_own_json_takes_the_list_too(load):
    raw = {name: TASK[name] for name in ("task_name", "intents", "ground_truth_configs")}
    topology = {"nodes": ["R1", "R2"], "links": ["R1 S0/0 <-> R2 S0/0"]}
    assert load(".json", **raw, topology=topology, platform=None).payload.platform == "cisco_ios"


def test_one_ground_truth_in_a_list_is_the_same_task_as_without_the_list(load):
    alone = load(ground_truth_configs=STATIC["configs"], ground_truth_reasoning=STATIC["reasoning"])
    listed = load(ground_truth_configs=[STATIC])
    assert (listed.digest, listed.truth_digest, listed.proof_digest) == (
        alone.digest,
        alone.truth_digest,
        alone.proof_digest,
    )


def test_another_ground_truth_changes_what_is_recorded_and_proven(load):
    one, both = load(ground_truth_configs=[STATIC]), load()
    assert one.digest != both.digest
    assert one.truth_digest != both.truth_digest
    assert one.proof_digest != both.proof_digest
    assert one.reference_digest == both.reference_digest
    reworded = load(ground_truth_configs=[STATIC, {**DYNAMIC, "reasoning": "RIP", "provenance": "a person"}])
    assert reworded.truth_digest == both.truth_digest


def test_a_task_with_several_is_written_as_a_file_that_loads_as_the_same_task(load, tmp_path):
    task = load()
    path = tmp_path / "again.task.yaml"
    path.write_text(task_text(task))
    assert load_task(path) == task


def test_the_common_field_gives_the_reasoning_where_the_first_has_none(load):
    task = load(ground_truth_configs=[{**STATIC, "reasoning": ""}, DYNAMIC], ground_truth_reasoning="because")
    assert task.ground_truth_reasoning == "because"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ground_truth_configs": []}, "the list of ground truths is empty"),
        ({"ground_truth_configs": ["ip route"]}, "a ground truth must be a mapping, not a text"),
        ({"ground_truth_configs": [{"solution_id": "x"}]}, "ground truth 1 lacks 'configs'"),
        ({"ground_truth_configs": [{"configs": {}}]}, "ground truth 1 lacks 'solution_id'"),
        ({"ground_truth_configs": [{**STATIC, "solution_id": 7}]}, "solution_id is a text, not a number"),
        ({"ground_truth_configs": [{**STATIC, "reason": "x"}]}, "unknown field of ground truth 'reason'"),
        ({"ground_truth_configs": [STATIC, {**DYNAMIC, "configs": {"R3": ["x"]}}]}, "unknown node 'R3'"),
        ({"ground_truth_configs": [STATIC, {**DYNAMIC, "configs": {"R1": []}}]}, "'rip' configures nothing"),
        ({"ground_truth_configs": [STATIC, STATIC]}, "solution 'static' is given twice"),
        ({"ground_truth_reasoning": "again"}, "the reasoning of the first ground truth is given twice"),
        ({"further_ground_truths": [DYNAMIC]}, "further ground truths are given twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_list_of_ground_truths_is_said(load, changes, message):
    assert message in message_of(load, **changes)


def test_a_further_ground_truth_configures_managed_nodes_only(load):
    nodes = ["R1", {"name": "R2", "control": "observed"}]
    topology = {**TASK["topology"], "nodes": nodes}
    assert "'R2' is observed, so no agent can configure it" in message_of(load, topology=topology)
