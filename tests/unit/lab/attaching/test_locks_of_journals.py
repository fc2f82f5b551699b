"""Locks of what is put back: who holds one, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_netbench.errors import LabError
from pytest_netbench.lab.attaching.journal import Journals

JOURNALS = Journals("locks", what="a device")
HOLDER = """
import os, sys, time
from pytest_netbench.lab.attaching.journal import Journals
lock = Journals("locks", what="a device").lock("r1", "R1", wait_s=0)
if os.fork() == 0:
    print(os.getpid(), flush=True)
    time.sleep(600)
{then}
"""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_lock_is_held_once_and_can_be_had_after_it_was_released() -> None:
    lock = JOURNALS.lock("r1", "R1", wait_s=0)
    with pytest.raises(LabError, match=rf"R1: in use by process {os.getpid()} on .* since more than 0 s"):
        JOURNALS.lock("r1", "R1", wait_s=0)
    JOURNALS.lock("r2", "R2", wait_s=0).release()
    lock.release()
    lock.release()
    JOURNALS.lock("r1", "R1", wait_s=0).release()


@pytest.mark.parametrize(
    "then", ["os.kill(os.getpid(), 9)", "lock.release(); time.sleep(600)"], ids=["kill", "release"]
)
def test_a_forked_process_does_not_keep_the_lock_of_its_parent(then: str) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER.format(then=then)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    try:
        JOURNALS.lock("r1", "R1", wait_s=10).release()
        os.kill(child, 0)
    finally:
        os.kill(child, signal.SIGKILL)
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_forked_process_does_not_let_go_of_the_lock_of_its_parent() -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(then="time.sleep(600)")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    try:
        os.kill(child, signal.SIGKILL)
        time.sleep(0.1)
        with pytest.raises(LabError, match="R1: in use by process"):
            JOURNALS.lock("r1", "R1", wait_s=0.3)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
