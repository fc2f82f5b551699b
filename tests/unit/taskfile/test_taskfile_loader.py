from __future__ import annotations

import json
from textwrap import dedent

import pytest
from pydantic import ValidationError

from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import LinkQuality

HEAD = dedent("""\
    task_name: T
    intents: [do it]
    topology:
      nodes: [R1, R2, R3]
    """)


def test_slug_and_domain_come_from_the_file_name_and_its_folder(load, good):
    task = load(good, "floating-backup.task.yaml")
    assert (task.slug, task.domain, task.network.platform) == ("floating-backup", "static", "frr")


@pytest.mark.parametrize("name", ["Static Routing.json", "static_routing.task.json", "STATIC-ROUTING.task.yml"])
def test_a_file_name_of_any_style_makes_a_slug(load, good, name):
    text = (
        good if name.endswith("yml") else json.dumps({"task_name": "T", "intents": ["x"], "topology": {"nodes": ["A"]}})
    )
    assert load(text, name).slug == "static-routing"


def test_a_file_directly_under_tasks_belongs_to_misc(write, good):
    from pytest_netbench.taskfile import load_task

    path = write(good)
    moved = path.rename(path.parent.parent / path.name)
    assert load_task(moved).domain == "misc"


def test_links_are_strings_as_in_the_draft_spaces_and_all(load):
    task = load(HEAD + '  links: ["R1  S0/0 <-> R2 S0/0 ", "R1 e1<->R2 e1 <->  R3 e1"]\nplatform: cisco_ios\n')
    assert [str(link) for link in task.network.topology.links] == ["R1 S0/0 <-> R2 S0/0", "R1 e1 <-> R2 e1 <-> R3 e1"]


def test_links_are_mappings_with_what_they_do_to_packets(load):
    task = load(
        HEAD
        + """\
  links:
    - {endpoints: [R1 eth1, R2 eth1], delay: 10ms, jitter: 1ms, loss: 1%, rate: 10mbit}
    - {endpoints: [{node: R1, interface: eth2}, {node: R2, interface: eth2}], quality: {delay: 0.5s}}
    - {endpoints: R1 eth3 <-> R3 eth3}
"""
    )
    first, second, third = task.network.topology.links
    assert first.quality == LinkQuality(delay_ms=10, jitter_ms=1, loss=0.01, rate_bps=10_000_000)
    assert second.quality.delay_ms == 500
    assert str(third) == "R1 eth3 <-> R3 eth3"
    assert third.quality.is_plain


def test_intents_are_texts_or_mappings_with_sub_intents_in_either_form(load):
    task = load(
        dedent("""\
        task_name: T
        topology: {nodes: [R1, R2]}
        intents:
          - plain
          - text: one
            sub_intents: {R1: a, R2: b}
          - text: two
            sub_intents:
              - {node: R1, text: c}
              - R2: d
        """)
    )
    assert [intent.text for intent in task.payload.intents] == ["plain", "one", "two"]
    assert [[(s.node, s.text) for s in intent.sub_intents] for intent in task.payload.intents] == [
        [],
        [("R1", "a"), ("R2", "b")],
        [("R1", "c"), ("R2", "d")],
    ]


def test_ground_truth_commands_are_a_list_or_a_text_without_its_comments(load):
    task = load(
        HEAD
        + dedent("""\
        ground_truth_configs:
          R1: [router ospf 1, " network 10.0.0.0/8 area 0"]
          R2: |
            ! the backup
            router ospf 1

             network 10.0.0.0/8 area 0
          R3:
        """)
    )
    assert task.payload.truth_of("R1") == task.payload.truth_of("R2") == ("router ospf 1", " network 10.0.0.0/8 area 0")
    assert task.payload.truth_of("R3") == ()


def test_startup_configs_are_texts_or_lists_of_lines(load):
    task = load(HEAD + 'startup_configs:\n  R1: "a\\r\\nb\\r\\n"\n  R2: [a, b]\n  R3:\n')
    assert task.network.startup_configs == {"R1": "a\nb\n", "R2": "a\nb\n", "R3": ""}


def test_quantities_of_testcases_are_read_with_their_units(load):
    task = load(
        HEAD
        + dedent("""\
        budget: {calls: 20, wall: 10m, tokens: null}
        testcases:
          - name: voice
            kind: throughput
            flow: {from: R1, to: R2, dscp: ef, rate: 500kbit}
            background: {from: R1, to: R3, dscp: 0, rate: 1.5M}
            expected_rate: 500kbit
            tolerance: 15%
            within: 2m
            stays: 500ms
            duration: 2s
          - {name: band, kind: throughput, flow: {from: R1, to: R2, rate: 1000}, min_rate: 1k, max_rate: 2kbit/s}
          - {name: mark, kind: marking, from: R1, to: R2, sent_dscp: CS1, expected_dscp: af41}
        """)
    )
    voice, band, mark = task.payload.testcases
    assert (task.budget.wall_s, task.budget.calls, task.budget.tokens) == (600, 20, None)
    assert (voice.flow.dscp, voice.flow.rate_bps, voice.background[0].rate_bps) == (46, 500_000, 1_500_000)
    assert (voice.expected_bps, voice.tolerance) == (500_000, 0.15)
    assert (voice.within_s, voice.stays_s, voice.duration_s) == (120, 0.5, 2)
    assert (band.min_bps, band.max_bps) == (1000, 2000)
    assert (mark.sent_dscp, mark.expected_dscp) == (8, 34)


def test_one_text_stands_for_a_list_of_one(load):
    task = load(
        HEAD
        + dedent("""\
        tags: ospf
        requirements: netem
        testcases:
          - {name: a, kind: show, device: R1, commands: show ip route, expected_output: x}
          - {name: b, kind: route, device: R1, prefix: 10.0.0.0/8, next_hops: 10.0.0.1}
          - {name: c, kind: config, device: R1, parents: interface eth1, line: shutdown}
        """)
    )
    assert (task.tags, task.requirements) == (("ospf",), ("netem",))
    assert task.payload.testcases[0].commands == ("show ip route",)
    assert task.payload.testcases[1].next_hops == ("10.0.0.1",)
    assert task.payload.testcases[2].parents == ("interface eth1",)


def test_prefixes_are_brought_into_one_form(load):
    task = load(
        HEAD
        + dedent("""\
        testcases:
          - {name: a, kind: route, device: R1, prefix: 2.2.2.0/255.255.255.252}
          - {name: b, kind: route, device: R1, prefix: "2001:DB8:0::/32"}
        """)
    )
    assert [one.prefix for one in task.payload.testcases] == ["2.2.2.0/30", "2001:db8::/32"]


def test_a_task_written_by_a_program_loads_as_the_same_task(load, good):
    task = load(good)
    again = load(json.dumps(task.model_dump(mode="json", by_alias=True)), "static.task.json")
    assert again == task
    assert again.digest == task.digest


def test_words_that_yaml_1_1_reads_as_something_else_stay_texts(load):
    task = load("task_name: no\nintents: [12:30]\ntopology: {nodes: [on, y]}\ntags: [0x1F:2, 2001-01-01]\n")
    assert task.task_name == "no"
    assert task.payload.intents[0].text == "12:30"
    assert [node.name for node in task.network.topology.nodes] == ["on", "y"]
    assert task.tags == ("0x1F:2", "2001-01-01")


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(load, good):
    assert load(b"\xef\xbb\xbf" + good.replace("\n", "\r\n").encode()) == load(good)


def test_platforms_that_come_later_are_valid_in_a_file(load):
    assert (
        load("task_name: T\nintents: [x]\nplatform: cisco_ios\ntopology: {nodes: [R1]}\n").network.platform
        == "cisco_ios"
    )


def test_the_loaded_task_is_frozen(load, good):
    task: Task = load(good)
    with pytest.raises(ValidationError):
        task.slug = "other"
