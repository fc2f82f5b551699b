"""What the lab's /proc says of its processes. Standard library only."""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor import roots


def count() -> int:
    """Processes of the lab."""
    return sum(entry.isdigit() for entry in os.listdir(roots.PROC))


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
