"""What is read of an error that an agent raises."""

from __future__ import annotations

import json

from pytest_netbench.agents.ending import read
from pytest_netbench.catching import Caught
from pytest_netbench.errors import AgentError, BudgetExhausted
from pytest_netbench.model.trial import Submission


def raised(work):
    with Caught(BaseException) as caught:
        work()
    assert caught.error is not None
    return read(caught.error)


def deep(left):
    return deeper(left - 1) if left else {}["nothing"]


def deeper(left):
    return deep(left)


def test_the_own_frames_are_told_at_most_eight_innermost_last():
    told = raised(lambda: deep(30))
    frames = [line for line in told.traceback if line.startswith("  File ")]
    assert len(frames) == 8
    assert [frame.rpartition(" ")[2] for frame in frames] == ["deeper", "deep"] * 4
    assert told.traceback[-1] == "KeyError: 'nothing'"
    assert told.text.startswith("KeyError: 'nothing' (")
    assert told.text.endswith(f"{__file__}:{deep.__code__.co_firstlineno + 1})")


def test_frames_of_libraries_are_left_out_and_the_place_is_the_agents_own():
    told = raised(lambda: json.loads("{"))
    assert not [line for line in told.traceback if "json/decoder.py" in line]
    assert "json.loads" in told.traceback[-2]
    assert f"({__file__}:" in told.text


def test_endless_recursion_is_told_in_few_lines():
    def endless():
        return endless()

    told = raised(endless)
    assert len(told.traceback) <= 17
    assert told.traceback[-1].startswith("RecursionError: ")


def test_code_that_cannot_be_compiled_is_named_by_its_own_file(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("x = (\n")
    told = raised(lambda: compile(file.read_text(), str(file), "exec"))
    assert any(f'File "{file}", line 1' in line for line in told.traceback)


class Takes:
    def run(self, brief):
        return brief


def test_a_run_of_a_wrong_signature_is_named_by_its_own_place():
    agent = Takes()
    try:
        eval("agent.run(1, 2)", {"agent": agent})
    except TypeError as error:
        error.__traceback__ = None
        told = read(error, agent)
    assert told.text.endswith(f"({__file__}:{Takes.run.__code__.co_firstlineno})")


def test_an_error_that_the_agent_means_has_its_text_only_and_what_it_hands_in():
    def fails():
        error = AgentError("I give up")
        error.submission = Submission(reasoning="so far")
        raise error

    told = raised(fails)
    assert (told.text, told.traceback, told.limit) == ("I give up", (), None)
    assert told.handed_in is not None
    assert told.handed_in.reasoning == "so far"


def test_a_budget_that_is_used_up_says_which():
    def spends():
        raise BudgetExhausted("calls", 3)

    assert raised(spends).limit == "calls"


def test_an_error_whose_methods_fail_is_told_by_its_class():
    class Unreadable(Exception):
        def __str__(self):
            raise SystemExit(1)

    def fails():
        raise Unreadable

    assert raised(fails).text == "Unreadable (reading it failed: SystemExit)"
