"""Python programs of this package that are started with descriptors and outlive Ctrl-C. Standard library only."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Sequence
from pathlib import Path


def start(boot: str, descriptors: Sequence[int]) -> int:
    """Start an isolated interpreter; returns its pid.

    Args:
        boot: Its code. ``sys.argv[1]`` is the folder that this package is imported from.
        descriptors: Become its descriptors 0, 1, 2 and so on.
    """
    root = str(Path(__file__).parent.parent.parent)
    # Duplicates above every number in use first, so that no duplicate overwrites a source.
    lifted = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 64) for fd in descriptors]
    try:
        return os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", "-c", boot, root],
            {"LANG": "C.UTF-8"},
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(lifted)],
            # Ctrl-C is for pytest, which ends what it has started.
            setsid=True,
        )
    finally:
        for fd in lifted:
            os.close(fd)
