"""Labs are made one after the other: GNS3 3.0 gives two of them the same UDP port if both ask at the same time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def turn(url: str) -> Iterator[None]:
    """Wait until nobody else of this user makes a lab on the server at this address, and keep others waiting."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    folder = Path(home) / "netbench/gns3"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
