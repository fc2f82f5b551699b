from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_netbench.documents.reading import read
from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.errors import TaskFileError
from pytest_netbench.taskfile import load_task
from pytest_netbench.taskfile.schema import task_schema

ROOT = Path(__file__).parents[3]
VALIDATOR = jsonschema.Draft202012Validator(task_schema())
HEAD = "task_name: T\nintents: [x]\ntopology: {nodes: [R1, R2], links: [R1 eth1 <-> R2 eth1]}\n"


def test_the_schema_is_a_valid_json_schema_and_the_same_each_time():
    jsonschema.Draft202012Validator.check_schema(task_schema())
    assert json.dumps(task_schema()) == json.dumps(task_schema())


def test_every_reference_in_the_schema_leads_somewhere():
    text = json.dumps(task_schema())
    defs = task_schema()["$defs"]
    for reference in text.split('"$ref": "#/$defs/')[1:]:
        assert reference.partition('"')[0] in defs


@pytest.mark.parametrize("path", sorted((ROOT / "tasks").rglob("*.task.*")), ids=lambda path: path.name)
def test_every_shipped_task_fits_the_schema(path: Path):
    VALIDATOR.validate(read(path, error=TaskFileError, example="task_name: …").plain())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tags: a\nbudget: {wall: 10m, tokens: null}\n",
        "budget: {wall_s: 5}\n",
        "testcases: [{name: a, kind: marking, from: R1, to: R2, expected_dscp: EF}]\n",
        "testcases: [{name: a, kind: marking, from: R1, to: R2, expected_dscp: 46}]\n",
        "testcases: [{name: a, kind: throughput, flow: {from: R1, to: R2, rate_bps: 9}, min_bps: 1}]\n",
        (
            "testcases: [{name: a, kind: throughput, flow: {from: R1, to: R2, rate: 9k}, background: {from: R1, to: R2,"
            " rate: 1M}, min_rate: 1}]\n"
        ),
        "startup_configs: {R1: null, R2: [a, b]}\nground_truth_configs: {R1: 'a'}\n",
        "health_checks: [{name: a, kind: route, device: R1, prefix: 10.0.0.0/8, next_hops: eth1, within: 3}]\n",
        "testcases: [{device: R1, commands: [show ver], expected_output: x}]\n",
        "testcases: [{name: On R1, expected_result: {prefix: 10.0.0.0/8, next_hop: 1.1.1.1}}]\n",
    ],
)
def test_what_the_loader_takes_fits_the_schema(load, text):
    load(HEAD + text)
    VALIDATOR.validate(read_yaml(HEAD + text).plain())


@pytest.mark.parametrize(
    "text",
    [
        "nonsense: 1\n",
        "platform: [frr]\n",
        "time_scale: 0\n",
        "seed: x\n",
        "family: fix\n",
        "slug: A_B\n",
        "budget: {calls: 0}\n",
        "budget: {callz: 1}\n",
        "budget: {wall: 5m, wall_s: 300}\n",
        "startup_configs: {R1: 5}\n",
        "startup_configs: [R1]\n",
        "ground_truth_configs: {R1: ['']}\n",
        "testcases: {}\n",
        "testcases: [a]\n",
        "testcases: [{name: a}]\n",
        "testcases: [{name: a, kind: rout}]\n",
        "testcases: [{name: a, kind: route, device: R1}]\n",
        "testcases: [{name: a, kind: route, device: R1, prefix: 10.0.0.0/8, metric: '5'}]\n",
        "testcases: [{name: a, kind: route, device: R1, prefix: 10.0.0.0/8, within: 3 parsecs}]\n",
        "testcases: [{name: a, kind: route, device: R1, prefix: 10.0.0.0/8, present: 1}]\n",
        "testcases: [{name: a, kind: reachability, source: R1, to: R2}]\n",
        "testcases: [{name: a, kind: reachability, from: R1, to: R2, protocol: tcp, port: 70000}]\n",
        "testcases: [{name: a, kind: throughput, flow: {from: R1, to: R2}, min_rate: 1k}]\n",
        "testcases: [{name: a, kind: throughput, flow: {from: R1, to: R2, rate: fast}, min_rate: 1k}]\n",
        "testcases: [{name: a, kind: marking, from: R1, to: R2, expected_dscp: 64}]\n",
        "testcases: [{name: a, kind: marking, from: R1, to: R2, expected_dscp: eff}]\n",
        "testcases: [{name: a, kind: show, device: R1, commands: [], expected_output: x}]\n",
        "testcases: [{name: On R1, expected_result: {prefix: 10.0.0.0/8, nexthop: 1.1.1.1}}]\n",
        "accepted_survivors: {R1: [a]}\n",
    ],
)
def test_what_is_malformed_is_refused_by_schema_and_loader(refusal, text):
    assert refusal(HEAD + text)
    assert not VALIDATOR.is_valid(read_yaml(HEAD + text).plain())


@pytest.mark.parametrize(
    "topology",
    [
        "[R1]",
        "{nodes: []}",
        "{links: []}",
        "{nodes: [R1, ../x]}",
        "{nodes: [{nam: R1}]}",
        "{nodes: [R1, R2], links: [R1 eth1]}",
        "{nodes: [R1, R2], links: [R1 <-> R2]}",
        "{nodes: [R1, R2], links: [{endpoints: []}]}",
        "{nodes: [R1, R2], links: [{endpoints: [R1 eth1, R2 eth1], delay: 10}]}",
        "{nodes: [R1, R2], links: [{endpoints: [R1 eth1, R2 eth1], loss: 5}]}",
        "{nodes: [R1, R2], links: [{endpoints: [R1 eth1, R2 eth1], lag: 5ms}]}",
        "{nodes: [R1, R2], links: [{endpoints: [R1 eth1, {node: R2}]}]}",
    ],
)
def test_a_malformed_topology_is_refused_by_schema_and_loader(refusal, topology):
    text = f"task_name: T\nintents: [x]\ntopology: {topology}\n"
    assert refusal(text)
    assert not VALIDATOR.is_valid(read_yaml(text).plain())


def test_a_task_written_by_a_program_fits_the_schema(load, good):
    data: dict[str, Any] = load(good).model_dump(mode="json", by_alias=True)
    VALIDATOR.validate(data)


def test_the_shipped_tasks_load():
    for path in sorted((ROOT / "tasks").rglob("*.task.*")):
        load_task(path)
