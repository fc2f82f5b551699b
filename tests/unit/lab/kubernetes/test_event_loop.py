"""The event loop of a cluster ends with all that runs in it, or says that something goes on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.loop import EventLoop


def test_a_thread_that_nobody_waits_for_any_more_has_ended_when_the_loop_has() -> None:
    loop, began, done = EventLoop(), threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        time.sleep(0.3)
        done.set()

    with pytest.raises(LabError, match="did not answer"):
        loop.run(asyncio.to_thread(work), timeout_s=0.05)
    assert began.is_set()
    loop.close()
    assert done.is_set()


def test_what_does_not_end_is_told_and_runs_no_more() -> None:
    loop, rounds = EventLoop(end_s=0.2), []

    async def stubborn() -> None:
        while True:
            rounds.append(time.monotonic())
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)

    async def begin() -> None:
        loop.kept = asyncio.create_task(stubborn())  # type: ignore[attr-defined]

    loop.run(begin())
    with pytest.raises(LabError, match=r"did not end in 0\.2 s"):
        loop.close()
    seen = len(rounds)
    assert seen
    time.sleep(0.1)
    assert len(rounds) == seen
    loop.close()
