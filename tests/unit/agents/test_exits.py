from __future__ import annotations

import pytest

from pytest_netbench.agents.exits import in_words


@pytest.mark.parametrize(
    ("status", "by_shell", "words"),
    [
        (0, False, "status 0"),
        (3, False, "status 3"),
        (139, False, "status 139"),
        (139, True, "signal 11 (SIGSEGV)"),
        (1, True, "status 1"),
        (255, True, "status 255"),
        (-11, False, "signal 11 (SIGSEGV)"),
        (-11, True, "signal 11 (SIGSEGV)"),
        (-9, False, "signal 9 (SIGKILL): it was killed from outside, e.g. because memory ran out"),
        (137, True, "signal 9 (SIGKILL): it was killed from outside, e.g. because memory ran out"),
        (-64, False, "signal 64 (SIGRTMAX)"),
        (-50, False, "signal 50"),
    ],
)
def test_a_status_in_words(status, by_shell, words):
    assert in_words(status, by_shell=by_shell) == words
