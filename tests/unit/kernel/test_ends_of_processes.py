"""A process ends as another one ended."""

from __future__ import annotations

import os
import signal

import pytest

from pytest_netbench.kernel.processes import end_as


@pytest.mark.parametrize(
    ("status", "ended"),
    [
        (0, 0),
        (7 << 8, 7),
        (signal.SIGKILL, -signal.SIGKILL),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGPIPE, -signal.SIGPIPE),  # which Python ignores
    ],
)
def test_a_process_ends_with_the_status_or_the_signal_of_another_one(status: int, ended: int) -> None:
    pid = os.fork()
    if not pid:
        try:
            end_as(status)
        finally:
            os._exit(99)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ended
