"""Lines that are pasted into a task file: they fit where they go."""

from __future__ import annotations

import json

import pytest
import yaml

from pytest_netbench.evaluation.behaviour.pasting import Entry, changes_to_paste, in_braces, pasted_testcases

ENTRIES = [
    Entry(fields={"intent": "TODO", "from": "10.1.0.0/24", "to": "2001:db8::"}, comment="3 flows: a -> b"),
    Entry(fields={"intent": "TODO", "from": "on", "ports": 80, "to": "not h1"}),
]
FIELDS = [one.fields for one in ENTRIES]
WITHOUT = "task_name: x\nintents:\n  - text: y\n"
WITH_CHANGES = {
    "two spaces": "reference:\n  seed: 2\n  changes:\n    - {intent: 1, to: h1}\n",
    "no indentation": "reference:\n  changes:\n  - {intent: 1, to: h1}\n",
    "four spaces": "reference:\n    # why\n    changes:\n\n        # why\n        - intent: 1\n          to: h1\n",
}


def pasted(text: str) -> list[str]:
    lines = changes_to_paste(ENTRIES, intents=["first", "second"], more=2, text=text, as_json=False)
    return lines[next(i for i, line in enumerate(lines) if line.lstrip().startswith(("reference:", "changes:", "#"))) :]


def test_a_file_without_a_reference_gets_a_whole_block_at_the_left_margin():
    lines = pasted(WITHOUT)
    assert lines[0] == "reference:"
    read = yaml.safe_load(WITHOUT + "\n".join(lines))
    assert read["reference"]["changes"] == FIELDS


@pytest.mark.parametrize("text", WITH_CHANGES.values(), ids=WITH_CHANGES)
def test_entries_are_indented_as_those_that_the_file_has(text):
    read = yaml.safe_load(WITHOUT + text + "\n".join(pasted(WITHOUT + text)))
    assert read["reference"]["changes"] == [{"intent": 1, "to": "h1"}, *FIELDS]


def test_a_reference_without_changes_gets_the_list():
    text = WITHOUT + "reference:\n   seed: 3\n"
    assert yaml.safe_load(text + "\n".join(pasted(text)))["reference"] == {"seed": 3, "changes": FIELDS}


def test_entries_go_to_the_reference_and_not_to_what_follows_it():
    text = WITHOUT + "reference:\n  seed: 3\nevents:\n  changes:\n    - x\n"
    assert pasted(text)[0] == "  changes:"
    assert "into reference (line 4)" in changes_to_paste(ENTRIES, intents=[], more=0, text=text, as_json=False)[0]


def test_the_words_say_what_todo_stands_for_and_which_intents_there_are():
    lines = changes_to_paste(ENTRIES, intents=["a" * 30 + " " + "b" * 40, "c"], more=0, text=WITHOUT, as_json=False)
    assert lines[1:4] == [
        "TODO stands for the number of the intent that asks for the difference:",
        f"  1: {'a' * 30} …",
        "  2: c",
    ]


def test_a_file_in_json_gets_json():
    lines = changes_to_paste(ENTRIES, intents=["x", "y"], more=0, text="{}", as_json=True)
    assert json.loads(f"[{' '.join(lines[4:])}]") == FIELDS


@pytest.mark.parametrize(
    "text", ["testcases:\n  - {name: a}\n", "testcases:\n- name: a\n", "testcases:\n    - name: a\n      kind: x\n"]
)
def test_testcases_are_indented_as_those_that_the_file_has(text):
    first, *lines = pasted_testcases(
        [Entry(fields={"name": "all else, as before", "kind": "x"})], text=text, as_json=False
    )
    assert first == "no testcase compares with it; paste this at the end of testcases (line 1):"
    assert yaml.safe_load(text + "\n".join(lines))["testcases"][1] == {"name": "all else, as before", "kind": "x"}


@pytest.mark.parametrize(
    "value", ["no", "1", "1.5", "::1", "a: b", "a #b", "0x1", "1e3", "null", "é", "{x}", "-", "12:30"]
)
def test_a_value_that_yaml_reads_as_something_else_is_quoted(value):
    assert yaml.safe_load(in_braces({"to": value})) == {"to": value}
