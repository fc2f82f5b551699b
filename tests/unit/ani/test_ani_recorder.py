"""The trace keeps plain values and is bounded."""

from pytest_netbench.ani.recorder import Recorder, clip


def test_a_long_trace_keeps_strings_short_and_then_ends_with_a_note_of_what_is_missing():
    recorder = Recorder(long_trace=5_000, max_trace=8_000)
    for number in range(10):
        recorder.add("note", {"text": "x" * 3_000}, at_s=number)
    *kept, last = recorder.steps
    assert [len(step.data["text"]) < 1_200 for step in kept] == [False, False, True, True]
    assert last.data == {"text": "6 further steps were not kept: the trace is longer than 8000 characters"}


def test_what_is_cut_says_how_much_is_missing_and_stays_valid_text():
    assert clip("short", 5) == "short"
    assert clip("äöü", 3, "; ask for less") == "ä\n[netbench: cut here, 3 of 6 bytes left out; ask for less]"


def test_values_that_json_does_not_know_become_text():
    recorder = Recorder()
    recorder.add("ani", {"a": float("inf"), 1: {2}, "c": "\ud800"}, at_s=0)
    assert recorder.steps[0].data == {"a": "inf", "1": "{2}", "c": r"\ud800"}
