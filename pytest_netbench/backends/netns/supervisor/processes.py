"""What the lab's /proc says of its processes. Standard library only."""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor import roots


def count_threads() -> int:
    """Threads of the lab's processes, which is what the kernel limits."""
    return sum(_threads_of(int(entry)) for entry in os.listdir(roots.PROC) if entry.isdigit())


def _threads_of(pid: int) -> int:
    try:
        # as every directory: a link from its parent, one from itself, one from each directory in it
        return os.stat(f"{roots.PROC}/{pid}/task").st_nlink - 2
    except OSError:  # it ended meanwhile
        return 0


def resident_bytes(pid: int) -> int:
    """Resident memory of a process and all its descendants; 0 for those that ended meanwhile."""
    total, waiting = 0, [pid]
    while waiting:
        current = waiting.pop()
        try:
            with open(f"{roots.PROC}/{current}/statm") as file:
                total += int(file.read().split()[1]) * 4096
            for thread in os.listdir(f"{roots.PROC}/{current}/task"):
                with open(f"{roots.PROC}/{current}/task/{thread}/children") as file:
                    waiting += [int(child) for child in file.read().split()]
        except (OSError, ValueError, IndexError):
            continue
    return total
