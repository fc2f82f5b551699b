from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pytest_netbench.errors import TaskFileError
from pytest_netbench.taskfile import load_task


def test_an_unknown_platform_is_named_with_its_line_and_the_nearest_known_one(refusal, good):
    assert (
        refusal("platform: frrouting\n" + good)
        == "static.task.yaml:1: unknown platform 'frrouting' (known: 'arista_eos', 'cisco_ios', 'frr', "
        "'juniper_junos', 'kubernetes', 'linux', 'openflow_controller', 'openvswitch', 'p4'). Did you mean 'frr'?"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "nodes: [R1, R2,",
            "nodes: [R1, {name: R2, platform: linus},",
            (
                "static.task.yaml:5: unknown platform 'linus' (known: 'arista_eos', 'cisco_ios', 'frr', "
                "'juniper_junos', 'kubernetes', 'linux', 'openflow_controller', 'openvswitch', 'p4'). Did you mean"
                " 'linux'?"
            ),
        ),
        (
            "R1 eth1 <-> R2 eth1",
            "R1 eth1 <-> RR2 eth1",
            (
                "static.task.yaml:7: link 'R1 eth1 <-> RR2 eth1': unknown node 'RR2' (known: 'R1', 'R2', 'R3')."
                " Did you mean 'R2'?"
            ),
        ),
        (
            "R1 eth2 <->",
            "R1 eth1 <->",
            (
                "static.task.yaml:8: interface 'R1 eth1' is used twice: in 'R1 eth1 <-> R2 eth1' and in"
                " 'R1 eth1 <-> R3 eth1'; a segment of more than two is one link, e.g. 'A e0 <-> B e0 <-> C e0'"
            ),
        ),
        (
            "- R1 eth1 <-> R2 eth1",
            "- R1 eth1",
            (
                "static.task.yaml:7: link 'R1 eth1' needs two or more endpoints, e.g. \"R1 eth1 <-> R2 eth1\";"
                " a stub is written as 'endpoints: [R1 eth1]'"
            ),
        ),
        (
            "- R1 eth1 <-> R2 eth1",
            "- R1 eth1 <-> R2",
            "static.task.yaml:7: endpoint 'R2' must name a node and an interface, e.g. \"R1 eth1 <-> R2 eth1\"",
        ),
        (
            "nodes: [R1, R2,",
            "nodes: [R1, R2, R1,",
            "static.task.yaml:5: node 'R1' is defined twice; give it another name",
        ),
        (
            "nodes: [R1,",
            "nodes: [../R1,",
            "static.task.yaml:5: '../R1' is no node name: letters, digits, '_', '.', '-', at most 63, no space",
        ),
        (
            "kind: route",
            "kind: rout",
            (
                "static.task.yaml:18: unknown testcase kind 'rout' (known: 'show', 'route', 'reachability', 'path',"
                " 'throughput', 'marking', 'config', 'loss', 'unbroken', 'reference'). Did you mean 'route'?"
            ),
        ),
        (
            "    kind: route\n",
            "",
            (
                "static.task.yaml:17: a testcase needs 'kind' (known: 'show', 'route', 'reachability', 'path',"
                " 'throughput', 'marking', 'config', 'loss', 'unbroken', 'reference')"
            ),
        ),
        (
            "    prefix:",
            "    prefx:",
            (
                "static.task.yaml:17: testcase 1 lacks 'prefix'\n  line 20: unknown field of testcase kind 'route'"
                " 'prefx' (known: 'name', 'role', 'intent', 'within', 'stays', 'under', 'kind', 'device', 'prefix',"
                " 'protocol', 'next_hops', 'metric', 'distance', 'present'). Did you mean 'prefix'?"
            ),
        ),
        (
            "device: R1",
            "device: R9",
            "static.task.yaml:19: testcase 'route': unknown node 'R9' (known: 'R1', 'R2', 'R3').",
        ),
        (
            "prefix: 2.2.2.2/32",
            "prefix: 2.2.2.2/24",
            (
                "static.task.yaml:20: testcase 'route': '2.2.2.2/24' is no prefix: 2.2.2.2/24 has host bits set."
                " Did you mean '2.2.2.0/24'?"
            ),
        ),
        (
            "prefix: 2.2.2.2/32",
            "prefix: 2.2.2.2/33",
            (
                "static.task.yaml:20: testcase 'route': '2.2.2.2/33' is no prefix:"
                " '2.2.2.2/33' does not appear to be an IPv4 or IPv6 network"
            ),
        ),
        (
            "    device: R1",
            "    next_hops: [10.0.0.256]\n    device: R1",
            (
                "static.task.yaml:19: testcase 'route': next hop '10.0.0.256' is neither an address nor an interface"
                " (known: 'eth1', 'eth2')"
            ),
        ),
        (
            "    device: R1",
            "    intent: 2\n    device: R1",
            "static.task.yaml:19: testcase 'route': there is no intent 2; the task has 1, counted from 1",
        ),
        (
            "    device: R1",
            "    within: 3 parsecs\n    device: R1",
            "static.task.yaml:19: within: '3 parsecs': unknown unit 'parsecs' (known: ms, s, m, h)",
        ),
        (
            "    device: R1",
            "    within: 3s\n    within_s: 3\n    device: R1",
            "static.task.yaml:20: 'within_s' and 'within' are two spellings of one field; give one",
        ),
        (
            "    device: R1",
            "    within: 0\n    device: R1",
            "static.task.yaml:19: within: should be greater than 0, not 0.0",
        ),
        (
            "    device: R1",
            "    metric: '5'\n    device: R1",
            "static.task.yaml:19: metric: should be a valid integer, not '5'",
        ),
        (
            "    device: R1",
            "    present: 1\n    device: R1",
            "static.task.yaml:19: present: should be a valid boolean, not 1",
        ),
        (
            "    device: R1",
            "    role: intend\n    device: R1",
            "static.task.yaml:19: unknown role 'intend' (known: 'intent', 'regression'). Did you mean 'intent'?",
        ),
        (
            "startup_configs:\n  R1:",
            "startup_configs:\n  R4:",
            "static.task.yaml:10: startup_configs: unknown node 'R4' (known: 'R1', 'R2', 'R3').",
        ),
        (
            "ground_truth_configs:\n  R1:",
            "ground_truth_configs:\n  r1:",
            (
                "static.task.yaml:14: ground_truth_configs: unknown node 'r1' (known: 'R1', 'R2', 'R3'). Did you mean"
                " 'R1'?"
            ),
        ),
        (
            "  - R1 shall reach the loopback of R2.",
            "  - text: x\n    sub_intents: {R7: y}",
            "static.task.yaml:4: unknown node 'R7' (known: 'R1', 'R2', 'R3').",
        ),
        ("intents:\n  - R1 shall reach the loopback of R2.", "intents: []", "static.task.yaml:2: intents: "),
        ("task_name: Static route\n", "", "static.task.yaml:1: the task lacks 'task_name'"),
        (
            "task_name: Static route",
            "task_name: [a]",
            "static.task.yaml:1: task_name: should be a text",
        ),
        ("task_name:", "family: fix\ntask_name:", "static.task.yaml:1: unknown family 'fix' (known: 'configure', "),
        ("task_name:", "slug: A_B\ntask_name:", "static.task.yaml:1: slug: 'A_B' does not fit ^[a-z0-9]"),
        (
            "topology:\n",
            "topolgy:\n",
            "static.task.yaml:1: the task lacks 'topology'\n  line 4: unknown field of task 'topolgy'",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_the_way_out(bent, old, new, message):
    assert bent(old, new).startswith(message)


@pytest.mark.parametrize(
    ("testcase", "message"),
    [
        (
            "{name: a, kind: show, device: R1, commands: show ver, expected_output: '(unclosed'}",
            "testcase 'a': '(unclosed' is no regular expression: missing ), unterminated subpattern at position 0",
        ),
        (
            "{name: a, kind: config, device: R1, line: '*'}",
            "testcase 'a': '*' is no regular expression: nothing to repeat at position 0",
        ),
        (
            "{name: a, kind: config, device: R1, line: x, parents: [y, '[']}",
            "testcase 'a': '[' is no regular expression: unterminated character set at position 0",
        ),
        (
            "{name: a, kind: reachability, from: R1, to: R8}",
            "testcase 'a': 'R8' is neither an address nor a node (known: 'R1', 'R2', 'R3')",
        ),
        ("{name: a, kind: reachability, from: R1, to: 10.0.0.1, protocol: tcp}", "testcase 'a': tcp needs a 'port'"),
        (
            "{name: a, kind: reachability, from: R1, to: 10.0.0.1, protocol: segment}",
            "testcase 'a': segment needs a 'port'",
        ),
        (
            "{name: a, kind: reachability, from: R1, to: 10.0.0.1, protocol: unreachable, port: 80}",
            "testcase 'a': unreachable has no port; give 'protocol: tcp' or 'udp', or leave 'port' out",
        ),
        (
            "{name: a, kind: reachability, from: R1, to: R2, port: 80}",
            "testcase 'a': icmp has no port; give 'protocol: tcp' or 'udp', or leave 'port' out",
        ),
        (
            "{name: a, kind: reachability, from: R1, to: R2, source_address: ten}",
            "testcase 'a': 'ten' is no IP address",
        ),
        (
            "{name: a, kind: reachability, source: R1, to: R2}",
            (
                "unknown field of testcase kind 'reachability' 'source' (known: 'name', 'role', 'intent', 'within',"
                " 'stays', 'under', 'kind', 'from', 'to', "
            ),
        ),
        ("{name: a, kind: path, from: R1, to: R2, hops: []}", "testcase 'a': 'hops' is empty; it ends with the target"),
        (
            "{name: a, kind: path, from: R1, to: R2, hops: [R5]}",
            "testcase 'a': 'R5' is neither an address nor a node (known: 'R1', 'R2', 'R3')",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R1, to: R2, rate: 1k}}",
            "testcase 'a': needs 'expected_rate', 'min_rate' or 'max_rate'",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R1, to: R2}, min_rate: 1k}",
            "'flow' of testcase 1 lacks 'rate'",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R1, to: R2, rate: fast}, min_rate: 1k}",
            "rate: 'fast' is not a rate such as 500kbit, 2mbit or 1.5M",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R1, to: R2, rate: 1k}, min_rate: 2k, max_rate: 1k}",
            "testcase 'a': 'min_rate' (2000 bit/s) is above 'max_rate' (1000 bit/s)",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R1, to: R2, rate: 1k}, min_rate: 2k, expected_rate: 1k}",
            "testcase 'a': give either 'expected_rate' or 'min_rate' and 'max_rate', not both",
        ),
        (
            "{name: a, kind: throughput, flow: {from: R6, to: R2, rate: 1k}, min_rate: 1k}",
            "testcase 'a': unknown node 'R6' (known: 'R1', 'R2', 'R3').",
        ),
        (
            "{name: a, kind: marking, from: R1, to: R2, expected_dscp: eff}",
            "expected_dscp: 'eff' is no DSCP (0 to 63, ef, af11 … af43, cs0 … cs7, default). Did you mean 'ef'?",
        ),
        ("{name: a, kind: marking, from: R1, to: R2, expected_dscp: 64}", "expected_dscp: 64 is no DSCP (0 to 63)"),
        (
            "{name: a, kind: route, device: R1, prefix: 10.0.0.0}",
            "testcase 'a': '10.0.0.0' has no length; write it like",
        ),
        ("[name, a]", "a testcase must be a mapping, not a list"),
        ("{name: a, kind: [route]}", "unknown testcase kind \"['route']\""),
    ],
)
def test_a_testcase_that_cannot_be_run_is_refused(refusal, testcase, message):
    text = f"task_name: T\nintents: [x]\ntopology: {{nodes: [R1, R2, R3]}}\ntestcases:\n  - {testcase}\n"
    assert refusal(text).startswith(f"static.task.yaml:5: {message}")


def test_a_name_used_twice_is_refused_as_results_could_not_be_told_apart(refusal, good):
    again = "  - name: route\n    kind: path\n    from: R1\n    to: R2\n    hops: [R2]\n"
    assert (
        refusal(good + again)
        == "static.task.yaml:21: testcase name 'route' is used twice (first by testcase 1); give it another name"
    )


def test_health_checks_are_checked_like_testcases(refusal):
    text = (
        "task_name: T\nintents: [x]\ntopology: {nodes: [R1]}\nhealth_checks:\n  - {name: a, kind: path, from: R2, to:"
        " R1, hops: [R1]}\n"
    )
    assert refusal(text) == "static.task.yaml:5: testcase 'a': unknown node 'R2' (known: 'R1')."


def test_all_mistakes_are_reported_together_the_first_line_first(refusal, good):
    text = good.replace("kind: route", "kind: rout").replace("<-> R2 eth1", "<-> R8 eth1") + "familly: x\n"
    lines = refusal(text).splitlines()
    assert lines[0].startswith("static.task.yaml:7: link 'R1 eth1 <-> R8 eth1': unknown node 'R8'")
    assert lines[1].startswith("  line 18: unknown testcase kind 'rout'")
    assert lines[2].startswith("  line 21: unknown field of task 'familly'")


def test_every_mistake_is_listed_with_line_and_column(placed_refusal, good):
    found = placed_refusal(good + "".join(f"field{index}: x\n" for index in range(25)))
    assert [place for place, _ in found] == [(line, 1) for line in range(21, 46)]
    assert found[24][1].startswith("unknown field of task 'field24' (known: 'platform', ")


def test_all_known_fields_of_a_task_are_named(refusal, good):
    assert " more)" not in refusal(good + "nonsense: 1\n")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("nodes: [R1, R2,", "nodes: [R1, {name: R2, platform: linus},", (5, 26)),
        ("R1 eth1 <-> R2 eth1", "R1 eth1 <-> RR2 eth1", (7, 7)),
        ("kind: route", "kind: rout", (18, 5)),
        ("    device: R1", "    device: R9", (19, 5)),
        ("    device: R1", "    within: 3 parsecs\n    device: R1", (19, 5)),
        ("startup_configs:\n  R1:", "startup_configs:\n  R4:", (10, 3)),
        ("task_name: Static route", "task_name: [a]", (1, 1)),
    ],
)
def test_a_mistake_is_told_with_its_column(placed_refusal, good, old, new, place):
    assert old in good
    assert placed_refusal(good.replace(old, new, 1))[0][0] == place


def test_columns_of_json_are_those_of_the_file(placed_refusal):
    text = '{"task_name": "T", "intents": ["x"],\n "topology": {"nodes": ["R1"]}, "testcases": [{"kind": "rout"}]}'
    assert placed_refusal(text, "x.task.json")[0][0] == (2, 48)


def test_the_error_carries_path_and_line_for_programs(write, good):
    path = write(good + "nonsense: 1\n")
    with pytest.raises(TaskFileError) as caught:
        load_task(path)
    assert (caught.value.path, caught.value.line) == (path, 21)


def test_an_interface_that_the_platform_cannot_have_is_refused(bent):
    message = bent("R1 eth2 <->", "R1 this/is/far/too/long/for/a/name <->")
    assert message.startswith(
        "static.task.yaml:8: link 'R1 this/is/far/too/long/for/a/name <-> R3 eth1':"
        " 'this/is/far/too/long/for/a/name' is no interface of 'frr': "
    )


def test_a_name_that_leaves_nothing_for_a_slug_is_refused(refusal, good):
    assert (
        refusal(good, "日本.task.yaml")
        == "日本.task.yaml: no slug can be made of '日本.task.yaml': name the file in letters or digits"
    )


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(TaskFileError, match=r"none\.task\.yaml: cannot be read: No such file or directory"):
        load_task(tmp_path / "none.task.yaml")


def test_a_survivor_that_is_no_ground_truth_line_is_a_typo(refusal, good):
    message = refusal(good + "accepted_survivors:\n  R1:\n    ip route 2.2.2.2/32 10.0.0.3: why\n")
    assert (
        message
        == "static.task.yaml:23: accepted_survivors: unknown ground-truth line of 'R1' 'ip route 2.2.2.2/32 10.0.0.3'"
        " (known: 'ip route 2.2.2.2/32 10.0.0.2'). Did you mean 'ip route 2.2.2.2/32 10.0.0.2'?"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("task_name: Static route", "task_name: ' '", "static.task.yaml:1: task_name is empty"),
        ("- R1 shall reach", "- ''\n  - R1 shall reach", "static.task.yaml:3: intent 1 is empty; say what the network"),
    ],
)
def test_what_says_nothing_is_refused(bent, old, new, message):
    assert bent(old, new).startswith(message)


def test_nonsense_of_any_size_is_refused_in_a_moment(refusal):
    names = [f"n{index}" for index in range(20_000)]
    text = json.dumps(
        {"task_name": "T", "intents": ["x"], "topology": {"nodes": names, "links": ["a b <-> c d"] * 20_000}}
    )
    started = time.process_time()
    lines = refusal(text, "big.json").splitlines()
    assert time.process_time() - started < 20  # quadratic work takes minutes
    assert len(lines) == 201
    assert "'n39' and 19960 more)" in lines[0]
    assert lines[-1].endswith(": the file has more problems; the first 200 that were found are listed")


def test_a_file_with_more_values_than_any_task_is_refused(refusal):
    for name in ("big.json", "big.task.yaml"):
        assert "more than 50000 values: not supported" in refusal('{"a": [' + "1," * 60_000 + "1]}", name)
