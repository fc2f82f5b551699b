"""A process that owns a control plane, to be killed. Run as a program: ``plane_owner.py FOLDER``; says pids as JSON."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from pytest_netbench.backends.kube import binaries, sharing


def descendants(pid: int) -> dict[int, str]:
    """The processes below a process, with their names."""
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            for task in Path(f"/proc/{current}/task").iterdir():
                for child in map(int, (task / "children").read_text().split()):
                    found[child] = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0].decode()
                    waiting.append(child)
    return found


def main(folder: str) -> None:
    """Start a control plane and wait."""
    plane = sharing.shared(binaries.find(Path(folder)))
    print(
        json.dumps({"pids": descendants(plane.pid) | {plane.pid: "supervisor"}, "version": plane.version}), flush=True
    )
    time.sleep(1000)


if __name__ == "__main__":
    main(sys.argv[1])
