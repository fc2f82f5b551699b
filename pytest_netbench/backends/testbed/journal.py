"""What was on devices before a run changed them: written before the change, gone after it was put back."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.owners import Owner

_POLL_S: Final = 0.2
_log = logging.getLogger("pytest_netbench.testbed")


def state() -> Path:
    """The folder of journals and locks; for this user only."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    folder = Path(home) / "netbench/testbed"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    return folder


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A device that was changed, and its configuration before that."""

    owner: str
    testbed: str
    device: str
    config: str


def key(address: str, port: int) -> str:
    """The name of a device's files."""
    return re.sub(r"[^A-Za-z0-9.]+", "_", f"{address}_{port}")


def write(name: str, saved: Saved) -> None:
    """Write a journal so that it is there after a crash."""
    draft, path = state() / f".{name}.{os.getpid()}", state() / f"{name}.json"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(asdict(saved), file)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    folder = os.open(state(), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def read(name: str) -> Saved | None:
    """The journal of a device, if it was changed and not put back.

    Raises:
        LabError: It cannot be read.
    """
    path = state() / f"{name}.json"
    try:
        return Saved(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise LabError(f"{path}: the journal of a device cannot be read: {error}") from None


def forget(name: str) -> None:
    """Remove the journal of a device that is as it was."""
    (state() / f"{name}.json").unlink(missing_ok=True)


def names() -> Iterator[str]:
    """The names of all journals."""
    yield from sorted(path.stem for path in state().glob("[!.]*.json"))


class Lock:
    """A device is used by one lab at a time; the kernel lets go of it with the process.

    Args:
        name: Of the device's files.
        device: For messages.
        wait_s: How long another one is waited for.

    Raises:
        LabError: It was in use for so long.
    """

    def __init__(self, name: str, device: str, wait_s: float) -> None:
        self._fd = os.open(state() / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        ends_at, told = time.monotonic() + wait_s, False
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._fd, 200, 0).decode("utf-8", "replace").strip()
                if time.monotonic() >= ends_at:
                    os.close(self._fd)
                    raise LabError(f"{device}: in use by {holder} since more than {wait_s:g} s") from None
                if not told:
                    _log.warning("%s: waiting for %s, which uses it", device, holder)
                    told = True
                time.sleep(_POLL_S)
            else:
                break
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(Owner.here()).encode(), 0)

    def release(self) -> None:
        """Let go of the device. Idempotent."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
