"""Texts of agents and devices reach nobody as they came."""

from __future__ import annotations

import json
import math
from xml.etree import ElementTree as ET

import pytest

from pytest_netbench.model.score import Score
from pytest_netbench.model.trial import AgentInfo, CommandStatus, Step, Submission, TestcaseResult, TrialResult
from pytest_netbench.text import clean, clean_all, encodable, plain_json

NASTY = "\x00\x07\x08\x0b\x1b[31m\x7f\x85\x9b2J\u2028\u202e\u2066\ud800\udfff\ufdd0\ufffe\uffff\U0001ffff\r"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b2J", r"\x9b2J"),
        ("abc\u202etxt.exe", r"abc\u202etxt.exe"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("half \ud83d", r"half \ud83d"),
        ("\x7f\x00", r"\x7f\x00"),
        ("\ufffe\U0010ffff", r"\ufffe\U0010ffff"),
        ("over\rwrite", r"over\x0dwrite"),
    ],
)
def test_a_character_that_acts_is_shown_as_an_escape(text: str, shown: str):
    assert clean(text) == shown


@pytest.mark.parametrize("text", ["", "a\tb\nc", "Zürich → 東京 😀", "שלום", "\\x1b as written", "\xa0\xad"])
def test_ordinary_text_is_unchanged(text: str):
    assert clean(text) == text


def test_a_line_end_of_a_console_is_a_newline():
    assert clean("one\r\ntwo\x07\r\n") == "one\ntwo\\x07\n"


def test_every_character_there_is_can_be_written_printed_and_parsed_once_cleaned():
    everything = "".join(map(chr, range(0x110000)))
    cleaned = clean(everything)
    assert clean(cleaned) == cleaned
    assert cleaned.encode("utf-8")
    escaped = cleaned.replace("&", "&amp;").replace("<", "&lt;")
    assert ET.fromstring(f"<a>{escaped}</a>").text == cleaned
    assert not [char for char in cleaned if (ord(char) < 0x20 and char not in "\t\n") or 0x7F <= ord(char) < 0xA0]


def test_texts_are_cleaned_wherever_they_stand():
    value = {"\x1b": ["\x1b", ("\x1b", 1, None)], 7: {"deep": "\ud800"}}
    assert clean_all(value) == {r"\x1b": [r"\x1b", (r"\x1b", 1, None)], 7: {"deep": r"\ud800"}}


def test_what_a_trial_leaves_is_clean_however_it_was_made():
    step = Step(at_s=0, kind="ani", data={NASTY: {"params": [NASTY]}})
    assert all(clean(text) == text for text in (next(iter(step.data)), step.data[clean(NASTY)]["params"][0]))
    assert clean(submitted := Submission(reasoning=NASTY).reasoning or "") == submitted
    assert CommandStatus(device="r1", command="\x1b", status="error", message="\u202e").message == r"\u202e"
    assert TestcaseResult(name="t", kind="k", role="intent", status="fail", actual="\x9b").actual == r"\x9b"
    assert Score(metric="m", value=None, scorer="m/1", explanation="\x1b", evidence={"\x1b": 1}).evidence == {
        r"\x1b": 1
    }
    assert AgentInfo(id="a", strategy="s", settings={"prompt": "\x1b"}).settings == {"prompt": r"\x1b"}


def test_an_old_result_with_raw_escapes_is_clean_once_it_is_read():
    line = json.dumps(
        {
            "node_id": "x",
            "task_name": "x",
            "task_digest": "0",
            "domain": "d",
            "family": "configure",
            "agent": {"id": "a", "strategy": "s"},
            "trial": 1,
            "status": "failed",
            "error": "\x1b[2J",
            "started_at": "now",
        }
    )
    assert TrialResult.model_validate_json(line).error == r"\x1b[2J"


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_has_no_number_that_json_does_not_have(number: float):
    assert plain_json({"b": [number], "a": 1.5}) == '{"a": 1.5, "b": [null]}'


def test_json_text_can_be_encoded_and_read_back_whatever_is_in_it():
    assert json.loads(plain_json({"\ud800": "\udfff ü"}).encode()) == {r"\ud800": r"\udfff ü"}
    assert encodable("\ud83dü\x1b") == "\\ud83dü\x1b"
