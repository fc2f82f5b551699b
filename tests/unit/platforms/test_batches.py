"""What a device answers to a batch, said for each of its commands."""

from __future__ import annotations

from pytest_netbench.platforms.batches import Refusal, statuses_of_batch

COMMANDS = ("set a 1", "  set b x")


def test_a_committed_batch_is_in_force_as_a_whole():
    assert [(one.command, one.status, one.message) for one in statuses_of_batch("r1", COMMANDS, None)] == [
        ("set a 1", "success", ""),
        ("  set b x", "success", ""),
    ]


def test_the_refused_command_has_the_devices_words_and_others_have_them_in_one_line():
    refusal = Refusal(message="        ^\ninvalid number", index=1)
    first, second = statuses_of_batch("r1", COMMANDS, refusal)
    assert second.message == "        ^\ninvalid number"
    assert first.message == ("not committed, as command 2 of the batch was refused: set b x: invalid number (at 'x')")
    assert {first.status, second.status} == {"error"}


def test_a_refusal_that_names_no_command_is_that_of_each():
    found = statuses_of_batch("r1", COMMANDS, Refusal(message="commit failed"))
    assert [(one.device, one.status, one.message) for one in found] == [
        ("r1", "error", "not committed: commit failed")
    ] * 2


def test_an_empty_batch_has_no_statuses():
    assert statuses_of_batch("r1", (), Refusal(message="nothing to commit")) == []
