"""Which results are those of diagnostics, and which are refusals."""

from __future__ import annotations

import pytest

from pytest_netbench.episodes.playing import heard


@pytest.mark.parametrize(
    ("output", "looked", "refused"),
    [
        ("10.0.1.0/24 dev eth0\n", True, ""),
        ("", True, ""),
        ("3 packets transmitted, 0 received\n[exit status 1]", True, ""),
        ("RTNETLINK answers: Network is unreachable\n[exit status 2]", False, ""),
        ("sh: 1: try: not found\n[exit status 127]", False, "try: not found"),
        ('Object "foo" is unknown, try "ip help".\n[exit status 255]', False, "Object"),
        ("/bin/sh: /etc/passwd: Permission denied\n[exit status 126]", False, "Permission denied"),
        ("64 bytes\n[ended after 30 s]", False, ""),
        ("ip foo\n     ^\n% Invalid input detected at '^' marker.\n", False, "Invalid input detected"),
        ("% Unknown command: show foo", False, "Unknown command: show foo"),
        ("% Network not in table", True, ""),
        ("what is [exit status 127] here?", True, ""),
    ],
)
def test_what_a_read_printed_says_whether_it_was_one(output, looked, refused):
    said = heard("execute-cmd", {"output": output})
    assert said.looked is looked
    assert (refused in said.refused) if refused else not said.refused


def test_a_change_is_no_look_and_names_its_first_refused_command():
    right = {"command": "ip link set eth0 up", "status": "success"}
    wrong = {"command": "ip foo", "status": "error", "message": "no such object"}
    assert heard("update-cfg", {"results": [right]}) == (False, "")
    assert heard("update-cfg", {"results": [right, wrong, {**wrong, "command": "b"}]}) == (
        False,
        "ip foo: no such object",
    )
    assert heard("update-cfg", {"results": [{"command": "x", "status": "error"}]}).refused == "x: refused"


def test_code_that_fails_is_refused_and_code_that_returns_is_a_look():
    assert heard("run-code", {"status": "done"}) == (True, "")
    assert heard("run-code", {"status": "error", "error": "NameError: x"}) == (False, "error: NameError: x")
    assert heard("run-code", {"status": "timeout"}) == (False, "timeout: no reason given")


@pytest.mark.parametrize("method", ["get-topology", "get-running-cfg", "get-reachability", "anything-else"])
def test_every_other_answer_is_a_look(method):
    assert heard(method, {"anything": "% Unknown command"}) == (True, "")
