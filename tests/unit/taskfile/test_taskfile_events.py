"""The events of a task file, and the field `under` of its testcases."""

from __future__ import annotations

import jsonschema
import pytest

from pytest_netbench.documents.yaml_reader import read_yaml
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.events import ACTIONS, DAEMONS, words
from pytest_netbench.model.task import Task
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.frr import daemons
from pytest_netbench.taskfile.schema import task_schema
from tests.support.memory_backend import MemoryBackend

VALIDATOR = jsonschema.Draft202012Validator(task_schema())
USE = "    under: e\n"
PINNED = ("dbdcca52c3deadec", "402ad976416e4945", "b10a58d9cbd20f1a")


def events_of(load, good, text):
    whole = good + USE + "events:\n" + text
    VALIDATOR.validate(read_yaml(whole).plain())
    return load(whole).network.events


@pytest.mark.parametrize(
    "action",
    [
        "cut: R1 eth1",
        "restore: R1 eth1",
        "stop: R1 ospfd",
        "start: R1 ospfd",
        "reboot: R1",
        "fail: R1",
        "recover: R1",
    ],
)
def test_an_action_is_written_as_one_word_and_its_target(load, good, action):
    ((one,),) = events_of(load, good, f"  e:\n    - {action}\n").values()
    assert words(one) == action


def test_all_actions_are_tried_above_or_below():
    assert set(ACTIONS) == {"cut", "restore", "stop", "start", "reboot", "fail", "recover", "link", "enter"}


def test_lines_that_somebody_types_are_a_list_or_a_text(load, good):
    for commands in ("[ip route 10.9.0.0/16 Null0, exit]", '"ip route 10.9.0.0/16 Null0\n\nexit\n"'):
        text = f"  e: {{enter: {{node: R3, commands: {commands}, undo: [no ip route 10.9.0.0/16 Null0]}}}}\n"
        ((one,),) = events_of(load, good, text).values()
        assert one.enter.commands == ("ip route 10.9.0.0/16 Null0", "exit")
        assert words(one) == "enter: R3 'ip route 10.9.0.0/16 Null0' and 1 more"


def test_a_link_change_keeps_what_it_does_not_name(load, good):
    ((one,),) = events_of(load, good, "  e: {link: {at: R1 eth1, delay: 20ms, loss: 5%, rate: 1Mbit/s}}\n").values()
    assert one.link.changed(LinkQuality(jitter_ms=3, delay_ms=1)) == LinkQuality(
        jitter_ms=3, delay_ms=20, loss=0.05, rate_bps=1_000_000
    )


def test_a_task_with_events_is_the_same_after_it_was_written_as_json(load, good):
    task = load(good + USE + "events:\n  e:\n    - cut: R1 eth1\n    - link: {at: R1 eth2, delay: 5ms}\n")
    assert Task.model_validate_json(task.model_dump_json(by_alias=True)) == task
    VALIDATOR.validate(task.model_dump(mode="json", by_alias=True, exclude={"payload": {"slug"}}))


def test_the_digest_of_a_task_without_events_is_the_one_it_had_before_there_were_events(load, good):
    task = load(good)
    assert (task.digest, task.truth_digest, task.proof_digest) == PINNED
    other = load(good + USE + "events: {e: {cut: R1 eth1}}\n")
    assert other.digest != task.digest
    assert other.proof_digest != task.proof_digest
    assert other.truth_digest == task.truth_digest


def test_what_events_need_is_required_of_the_backend(load, good):
    text = "events:\n  e: [{cut: R1 eth1}, {stop: R1 ospfd}, {reboot: R1}, {start: R1 ospfd}]\n"
    assert request_of(load(good + USE + text)).requirements == ("links", "daemons", "nodes")


def test_the_daemons_that_can_be_stopped_are_those_of_frr():
    assert set(daemons.installed()) - {"zebra", "mgmtd"} <= set(DAEMONS["frr"])
    assert set(DAEMONS["cisco_ios"]) < set(DAEMONS["frr"])


MISTAKES = [
    ("  e: {cut: R9 eth1}\n", "23: cut: unknown node 'R9' (known: 'R1', 'R2', 'R3')."),
    ("  e: {cut: R1 eth3}\n", "23: cut: unknown interface of R1 with a link 'eth3' (known: 'eth1', 'eth2')."),
    ("  e: {cut: R1}\n", "23: cut names a node and an interface, e.g. cut: \"R1 eth1\", not 'R1'"),
    ("  e: {cutt: R1 eth1}\n", "23: unknown action 'cutt' (known: 'cut', 'restore',"),
    ("  e: {stop: R1 ospf}\n", "23: stop: unknown daemon 'ospf' (known: "),
    ("  e: {stop: R1 zebra}\n", "23: stop: unknown daemon 'zebra' (known: "),
    ("  e: {reboot: R9}\n", "23: reboot: unknown node 'R9'"),
    ("  e: {reboot: [R1]}\n", "23: reboot names a node, e.g. reboot: R1"),
    ("  e: []\n", "23: event 'e' has no action; an action is one of known: 'cut'"),
    ("  e:\n    - cut: R1 eth1\n      restore: R1 eth1\n", "24: an action has one word, not 2"),
    ("  e: {link: {at: R1 eth1}}\n", "23: link: nothing changes; give delay, jitter, loss or rate"),
    ("  e: {link: {at: R1 eth1, delay: 20}}\n", "23: delay: 20: the unit is missing"),
    ("  e: {enter: R1}\n", "23: enter, e.g. enter: {node: R1, commands: ["),
    ("  e: {enter: {node: R9, commands: [x], undo: [y]}}\n", "23: enter: unknown node 'R9'"),
    ("  e: {enter: {node: R1, command: [x], undo: [y]}}\n", "23: unknown field of enter 'command'"),
    ("  e: {cut: R1 eth1}\n  f: {cut: R1 eth2}\n", "24: event 'f' is never used: give a testcase 'under: f'"),
    ("  E 1: {cut: R1 eth1}\n", "23: 'E 1' is no name of an event: lower-case letters"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES, ids=[text.strip()[:40] for text, _ in MISTAKES])
def test_a_mistake_in_an_event_is_told_with_its_line(refusal, good, text, message):
    assert message in refusal(good + USE + "events:\n" + text)


def test_a_linux_node_has_no_daemons(refusal, good):
    text = good.replace("{name: R3, role: host}", "{name: R3, platform: linux}")
    assert "stop: a node of platform 'linux' has no daemons that can be stopped" in refusal(
        text + USE + "events: {e: {stop: R3 ospfd}}\n"
    )


def test_a_linux_node_cannot_be_rebooted(refusal, good):
    text = good.replace("{name: R3, role: host}", "{name: R3, platform: linux}")
    assert "reboot: a node of platform 'linux' cannot get its configuration back afterwards; use 'fail'" in refusal(
        text + USE + "events: {e: {reboot: R3}}\n"
    )


def test_an_unknown_event_is_told_with_the_nearest(refusal, good):
    said = refusal(good + "    under: exit-lots\nevents: {exit-lost: {cut: R1 eth1}}\n")
    assert "21: testcase 'route': unknown event 'exit-lots' (known: 'exit-lost'). Did you mean 'exit-lost'?" in said


def test_a_health_check_has_no_event(refusal, good):
    check = "health_checks:\n  - {name: h, kind: reachability, from: R1, to: R2, under: e}\n"
    said = refusal(good + USE + "events: {e: {cut: R1 eth1}}\n" + check)
    assert "testcase 'h': a health check observes the undisturbed network; remove 'under'" in said


def test_loss_needs_an_event_and_a_port(refusal, good):
    said = refusal(good + "  - {name: l, kind: loss, from: R1, to: R2, at_most: 5s, protocol: tcp}\n")
    assert "testcase 'l': loss is measured during an event; give 'under: EVENT'" in said
    assert "testcase 'l': tcp needs a 'port'" in said


def test_the_longest_gap_is_written_with_its_unit_or_as_a_number_of_seconds(load, good):
    cases = [
        load(
            good
            + f"  - {{name: l, kind: loss, from: R1, to: R2, {field}, under: e}}\nevents: {{e: {{cut: R1 eth1}}}}\n"
        )
        for field in ("at_most: 5s", "at_most_s: 5")
    ]
    assert [case.payload.testcases[1].at_most_s for case in cases] == [5, 5]


def test_a_backend_without_cables_skips_a_task_with_events_by_the_sentence_of_the_requirement(load, good):
    lack = MemoryBackend().lacks(request_of(load(good + USE + "events: {e: {cut: R1 eth1}}\n")))
    assert lack == ("backend memory has no 'links' (cables that can be cut, restored and shaped)", None)
