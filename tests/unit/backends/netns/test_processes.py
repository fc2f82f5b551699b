"""What the supervisor counts of a lab's processes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pytest_netbench.backends.netns.supervisor import processes, roots


def test_threads_are_counted_as_the_kernel_limits_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / str(os.getpid())).symlink_to("/proc/self")
    (tmp_path / "self").symlink_to("/proc/self")
    (tmp_path / "999999999").symlink_to("/proc/has-ended")
    monkeypatch.setattr(roots, "PROC", str(tmp_path))
    before, end = processes.count_threads(), threading.Event()
    assert before == len(list(Path("/proc/self/task").iterdir()))
    others = [threading.Thread(target=end.wait) for _ in range(7)]
    for other in others:
        other.start()
    try:
        assert processes.count_threads() == before + 7
    finally:
        end.set()
        for other in others:
            other.join()
