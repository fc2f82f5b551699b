"""What was there before a run changed what it does not own: written before the change, gone after it was put back.

A folder of the user's state directory holds journals and locks of one backend.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from weakref import WeakSet

from pytest_netbench.errors import LabError
from pytest_netbench.lab.owners import Owner

_POLL_S: Final = 0.2
_log = logging.getLogger("pytest_netbench.attaching")


def key(*words: object) -> str:
    """The name of files of something, e.g. of an address and a port."""
    return re.sub(r"[^A-Za-z0-9.]+", "_", "_".join(map(str, words)))


class Journals:
    """The journals of a backend, as JSON objects by name.

    Args:
        folder: Its folder below that of this project.
        what: What a journal is of, for messages.
    """

    def __init__(self, folder: str, *, what: str) -> None:
        self._folder = folder
        self._what = what

    def state(self) -> Path:
        """The folder of journals and locks; for this user only."""
        home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
        folder = Path(home) / "netbench" / self._folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
        return folder

    def write(self, name: str, saved: Mapping[str, Any]) -> None:
        """Write a journal so that it is there after a crash."""
        draft, path = self.state() / f".{name}.{os.getpid()}", self.state() / f"{name}.json"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(saved, file)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        folder = os.open(self.state(), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def read(self, name: str) -> dict[str, Any] | None:
        """The journal of a name, if something was changed and not put back.

        Raises:
            LabError: It cannot be read.
        """
        path = self.state() / f"{name}.json"
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self.unreadable(name, error) from None
        if not isinstance(saved, dict):
            raise self.unreadable(name, "it is no object")
        return saved

    def unreadable(self, name: str, why: object) -> LabError:
        """The error that a journal says something else than what was written."""
        return LabError(f"{self.state() / f'{name}.json'}: the journal of {self._what} cannot be read: {why}")

    def forget(self, name: str) -> None:
        """Remove the journal of what is as it was."""
        (self.state() / f"{name}.json").unlink(missing_ok=True)
        self._kept(name).unlink(missing_ok=True)

    def keep(self, name: str) -> None:
        """Let what was changed stay so when this process has ended."""
        self._kept(name).touch()

    def is_kept(self, name: str) -> bool:
        """Whether what was changed is to stay so."""
        return self._kept(name).exists()

    def refuse_kept(self, name: str, shown: str) -> None:
        """Refuse to use what is kept.

        Raises:
            LabError: It is kept.
        """
        if self.is_kept(name):
            raise LabError(f"{shown}: a failed trial is kept there (fix: netbench clean --kept)")

    def _kept(self, name: str) -> Path:
        return self.state() / f"{name}.kept"

    def names(self) -> Iterator[str]:
        """The names of all journals."""
        yield from sorted(path.stem for path in self.state().glob("[!.]*.json"))

    def lock(self, name: str, shown: str, *, wait_s: float) -> Lock:
        """Lock what a journal is of.

        Args:
            name: Of the journal.
            shown: For messages.
            wait_s: How long another one is waited for.

        Raises:
            LabError: It was in use for so long.
        """
        return Lock(self.state() / f"{name}.lock", shown, wait_s)


class Lock:
    """Something is used by one lab at a time; the kernel lets go of it with the process."""

    def __init__(self, path: Path, shown: str, wait_s: float) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        ends_at, told = time.monotonic() + wait_s, False
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._fd, 200, 0).decode("utf-8", "replace").strip()
                if time.monotonic() >= ends_at:
                    os.close(self._fd)
                    raise LabError(f"{shown}: in use by {holder} since more than {wait_s:g} s") from None
                if not told:
                    _log.warning("%s: waiting for %s, which uses it", shown, holder)
                    told = True
                time.sleep(_POLL_S)
            else:
                break
        _held.add(self)
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(Owner.here()).encode(), 0)

    def release(self) -> None:
        """Let go of it. Idempotent."""
        if self._fd >= 0:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
            self.close()

    def close(self) -> None:
        """Forget the descriptor. In a forked process this leaves the lock to its parent."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


_held: Final[WeakSet[Lock]] = WeakSet()


def _close_all() -> None:
    for lock in list(_held):
        lock.close()


# a lock ends with the last process that has its descriptor, and a forked one may outlive this one
os.register_at_fork(after_in_child=_close_all)
