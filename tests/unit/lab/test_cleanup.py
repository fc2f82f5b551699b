"""What ends a lab goes on beside others, and tells those who wait."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.cleanup import Cleanup


def test_work_is_done_once_beside_its_caller_and_timed_from_the_given_moment() -> None:
    done: list[str] = []
    may_end = threading.Event()

    def work() -> None:
        may_end.wait(30)
        done.append(threading.current_thread().name)

    one = Cleanup(work, wrong="wrong: ")
    assert not one.has_begun
    one.start(since=time.monotonic() - 100)
    one.start()
    assert one.has_begun
    assert done == []
    may_end.set()
    one.wait()
    assert done == ["netbench-cleanup"]
    assert one.took_s >= 100


def test_a_failure_is_told_at_once_and_to_everybody_who_waits() -> None:
    told: list[str] = []

    def work() -> None:
        raise OSError("no file")

    one = Cleanup(work, wrong="the lab is left: ", tell=told.append)
    one.start()
    for _ in range(2):
        with pytest.raises(LabError, match="the lab is left: no file"):
            one.wait()
    assert told == ["the lab is left: no file"]


def test_nobody_waits_for_what_has_not_begun() -> None:
    with pytest.raises(LabError, match="the lab was not destroyed"):
        Cleanup(lambda: None, wrong="").wait()
