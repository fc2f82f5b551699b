"""Temporary directories that outlive nobody."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

from pytest_netbench.lab.scratch import ScratchDirectory

OWNER = (
    "import sys, time; from pytest_netbench.lab.scratch import ScratchDirectory; d ="
    " ScratchDirectory('netbench-test-');"
)
OWNER += "(d.path / 'file').write_text('x'); print(d.path, flush=True); time.sleep(60)"


def test_a_scratch_directory_is_private_and_gone_with_its_files_when_closed():
    scratch = ScratchDirectory("netbench-test-")
    (scratch.path / "folder").mkdir()
    (scratch.path / "folder" / "file").write_text("x")
    assert stat.S_IMODE(scratch.path.stat().st_mode) == 0o700
    scratch.close()
    assert not scratch.path.exists()
    scratch.close()


def test_two_scratch_directories_do_not_keep_each_other():
    first, second = ScratchDirectory("netbench-test-"), ScratchDirectory("netbench-test-")
    first.close()
    assert not first.path.exists()
    assert second.path.exists()
    second.close()
    assert not second.path.exists()


def test_a_killed_process_leaves_no_scratch_directory():
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True, process_group=0) as owner:
        path = Path(owner.stdout.readline().strip())
        assert path.joinpath("file").exists()
        os.killpg(owner.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not path.exists()


def test_a_process_whose_children_are_killed_before_it_leaves_no_scratch_directory():
    """As Ray ends a worker."""
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        path = Path(owner.stdout.readline().strip())
        for child in Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split():
            os.kill(int(child), signal.SIGKILL)
        owner.kill()
    deadline = time.monotonic() + 5
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not path.exists()
