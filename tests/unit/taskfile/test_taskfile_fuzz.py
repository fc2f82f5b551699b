"""Whatever a file holds, loading it ends with a task or with a TaskFileError that names the file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_netbench.errors import TaskFileError
from pytest_netbench.taskfile import load_task

WORDS = st.sampled_from(
    [
        "R1",
        "R2",
        "R9",
        "eth1",
        "frr",
        "linux",
        "ef",
        "10ms",
        "1%",
        "2mbit",
        "30s",
        "route",
        "show",
        "config",
        "path",
        "marking",
        "throughput",
        "reachability",
        "intent",
        "10.0.0.0/8",
        "10.0.0.1",
        "(",
        "[",
        "*",
        "<->",
        "../x",
    ]
) | st.text(max_size=12)
KEYS = st.sampled_from(
    [
        "task_name",
        "slug",
        "platform",
        "intents",
        "topology",
        "nodes",
        "links",
        "endpoints",
        "quality",
        "delay",
        "rate",
        "text",
        "sub_intents",
        "node",
        "name",
        "startup_configs",
        "ground_truth_configs",
        "testcases",
        "health_checks",
        "kind",
        "device",
        "commands",
        "expected_output",
        "expected_result",
        "next_hop",
        "prefix",
        "next_hops",
        "from",
        "to",
        "hops",
        "flow",
        "background",
        "dscp",
        "min_rate",
        "budget",
        "wall",
        "calls",
        "tags",
        "requirements",
        "accepted_survivors",
        "R1",
        "R2",
    ]
) | st.text(max_size=8)
SCALARS = WORDS | st.none() | st.booleans() | st.integers() | st.floats()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
FIXED = {"task_name": "T", "intents": ["x"], "topology": {"nodes": ["R1", "R2"], "links": ["R1 eth1 <-> R2 eth1"]}}
FAST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(path: Path) -> None:
    error = refusal_of(path)
    if error is not None:
        content = path.read_bytes()
        assert str(error).startswith(str(path))
        assert error.line is None or 1 <= error.line <= content.count(b"\n") + content.count(b"\r") + 1


def test_a_document_that_ends_before_it_begins_is_refused_at_its_last_line(tmp_path):
    path = tmp_path / "a.task.yaml"
    path.write_text("---")
    outcome(path)


def refusal_of(path: Path) -> TaskFileError | None:
    try:
        load_task(path)
    except TaskFileError as error:
        return error
    return None


@FAST
@given(data=st.binary(max_size=400), suffix=st.sampled_from([".task.yaml", ".json"]))
def test_any_bytes_load_or_are_refused(tmp_path, data, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    outcome(path)


@FAST
@given(
    text=st.text(alphabet=st.sampled_from("{}[]:,-\"'\\ \n\tab&*!|>?#%@`01.~<é"), max_size=200),
    suffix=st.sampled_from([".task.yaml", ".json"]),
)
def test_any_punctuation_loads_or_is_refused(tmp_path, text, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_text(text)
    outcome(path)


@FAST
@given(extra=st.dictionaries(KEYS, VALUES, max_size=6), as_json=st.booleans())
def test_any_tree_of_known_words_loads_or_is_refused(tmp_path, extra: dict[str, Any], as_json):
    path = tmp_path / ("a.json" if as_json else "a.task.yaml")
    task = FIXED | extra
    path.write_text(
        json.dumps(task) if as_json else yaml.safe_dump(task, allow_unicode=True), encoding="utf-8", errors="replace"
    )
    outcome(path)


@FAST
@given(
    case=st.dictionaries(KEYS, VALUES, max_size=8),
    kind=st.sampled_from(["show", "route", "reachability", "path", "throughput", "marking", "config", None]),
)
def test_any_testcase_loads_or_is_refused(tmp_path, case, kind):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(FIXED | {"testcases": [case if kind is None else case | {"name": "x", "kind": kind}]}))
    outcome(path)


@FAST
@given(
    cut=st.integers(0, 4000),
    insert=st.sampled_from(["", "\t", "\0", "}", "&a ", "*a", "\ufeff", "- ", ": ", "é", "'", '"']),
)
def test_a_good_file_cut_or_dented_anywhere_loads_or_is_refused(tmp_path, good, cut, insert):
    path = tmp_path / "a.task.yaml"
    at = cut % len(good)
    path.write_text(good[:at] + insert + (good[at:] if insert else ""), encoding="utf-8")
    outcome(path)


@pytest.mark.parametrize("kind", ["fifo", "loop"])
def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path, kind):
    path = tmp_path / "a.task.yaml"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert str(refusal_of(path)).startswith(f"{path}: cannot be read: ")
