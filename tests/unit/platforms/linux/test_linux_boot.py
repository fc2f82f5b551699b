from __future__ import annotations

from pytest_netbench.platforms.access import Completed
from pytest_netbench.platforms.linux.boot import refused, script


def ended(stderr: str, returncode: int = 0) -> Completed:
    return Completed(stdout="", stderr=stderr, returncode=returncode)


def test_the_first_line_of_the_config_is_the_second_of_the_script():
    _, second, *_ = script(["ip route add default via 10.0.0.1"]).split("\n")
    assert second == "ip route add default via 10.0.0.1"


def test_the_line_that_failed_is_named_with_the_commands_words():
    lines = ["true", "ip link set nope up"]
    (one,) = refused("h1", lines, ended('Cannot find device "nope"\nnetbench-failed-at-line 3\n'))
    assert (one.node, one.line_number, one.line) == ("h1", 2, "ip link set nope up")
    assert one.message == 'Cannot find device "nope"'


def test_every_line_that_failed_is_named_with_its_own_words():
    said = "a: not found\nnetbench-failed-at-line 2\nb: not found\nnetbench-failed-at-line 4\n"
    assert [(one.line_number, one.message) for one in refused("h1", ["a", "true", "b"], ended(said))] == [
        (1, "a: not found"),
        (3, "b: not found"),
    ]


def test_a_line_that_fails_in_a_loop_is_named_once():
    said = "first\nnetbench-failed-at-line 2\nsecond\nnetbench-failed-at-line 2\n"
    assert [(one.line_number, one.message) for one in refused("h1", ["a"], ended(said))] == [(1, "first")]


def test_a_line_that_is_not_shell_is_named():
    said = "/bin/bash: -c: line 2: syntax error near unexpected token `fi'\n"
    (one,) = refused("h1", ["if foo; fi"], ended(said, 2))
    assert (one.line_number, one.message) == (1, "syntax error near unexpected token `fi'")


def test_a_config_that_ends_itself_names_no_line():
    assert refused("h1", ["exit 4"], ended("", 4)) == []
