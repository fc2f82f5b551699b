"""The field `reference` of a task file."""

from __future__ import annotations

import jsonschema
import pytest

from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.model.reference import Change, Free, PortRange, ReferenceSettings
from pytest_netbench.taskfile.schema import task_schema

VALIDATOR = jsonschema.Draft202012Validator(task_schema())


def reference_of(load, good, text):
    VALIDATOR.validate(read_yaml(good + text).plain())
    return load(good + text).network.reference


def test_every_field_may_be_left_out(load, good):
    assert load(good).network.reference == ReferenceSettings(seed=1, flows=1000)


def test_selectors_have_short_forms(load, good):
    found = reference_of(
        load,
        good,
        "reference:\n"
        "  seed: 7\n"
        "  flows: 300\n"
        "  changes:\n"
        "    - {intent: 1, from: R1, to: [10.9.0.0/16, R2], protocol: tcp, ports: [22, 5000-5999], dscp: af31}\n"
        "    - {intent: 1, routes: any 10.0.0.0/8, both_ways: false}\n"
        "  free:\n"
        "    - {to: 10.0.0.1, ports: 80, both_ways: true, reason: nobody asks}\n".replace(", both_ways: false", ""),
    )
    assert (found.seed, found.flows) == (7, 300)
    first, second = found.changes
    ports = (PortRange(first=22, last=22), PortRange(first=5000, last=5999))
    assert first == Change(intent=1, source=("R1",), target=("10.9.0.0/16", "R2"), protocol="tcp", ports=ports, dscp=26)
    assert second == Change(intent=1, routes="any 10.0.0.0/8")
    web = (PortRange(first=80, last=80),)
    assert found.free == (Free(target=("10.0.0.1",), ports=web, both_ways=True, reason="nobody asks"),)


def test_the_default_does_not_change_the_digest_of_a_task(load, good):
    plain = load(good)
    assert load(good + "reference: {seed: 1}\n").digest == plain.digest
    assert load(good + "reference: {seed: 2}\n").digest != plain.digest
    assert load(good + "reference: {seed: 2}\n").truth_digest == plain.truth_digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{changes: [{intent: 1, from: R9}]}",
            "from: 'R9' is neither an address, a prefix nor a node (known: 'R1', 'R2', 'R3'), nor 'any'",
        ),
        ("{free: [{sent_by: R9, reason: x}]}", "sent_by: unknown node 'R9'"),
        ("{free: [{from: not R9, reason: x}]}", "from: 'not R9' is neither an address, a prefix nor a node"),
        ("{changes: [{intent: 9, from: R1}]}", "there is no intent 9; the task has"),
        ("{changes: [{from: R1}]}", "lacks 'intent'"),
        ("{free: [{from: R1}]}", "lacks 'reason'"),
        ("{free: [{from: R1, reason: x, under: cut}]}", "unknown event 'cut'"),
        ("{free: [{ports: 9-1, reason: x}]}", "the range of ports 9-1 is empty; write 1-9"),
        ("{free: [{ports: ssh, reason: x}]}", "'ssh' is neither a port nor a range of ports such as 1000-2000"),
        ("{free: [{protocol: icmp, ports: 9, reason: x}]}", "icmp has no ports"),
        ("{free: [{routes: R9 10.0.0.0/8, reason: x}]}", "routes: unknown node 'R9'"),
        ("{free: [{routes: R1, reason: x}]}", "routes: 'R1' is not a node and a prefix such as 'R1 10.0.0.0/8'"),
        ("{free: [{routes: R1 10.0.0.0/8, to: R2, reason: x}]}", "'routes' selects routes; put 'from'"),
        ("{frees: []}", "unknown field of reference 'frees'"),
    ],
)
def test_a_mistake_is_named_with_its_line(refusal, good, text, message):
    said = refusal(good + f"reference: {text}\n")
    assert message in said
    assert said.split(":")[1] == "21"
