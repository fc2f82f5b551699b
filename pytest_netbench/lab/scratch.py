"""A temporary directory that is removed even if its process is killed."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from pathlib import Path

_REMOVAL_TIMEOUT_S = 10
# no child of this process, whose children may be killed with it, for example by Ray
_REMOVE_AT_END_OF_INPUT = 'exec 3<&0; { trap "" HUP INT TERM; read -r _ <&3; exec rm -rf -- "$1"; } &'


class ScratchDirectory:
    """A directory that only this user may enter, removed on ``close`` or when this process ends, even by ``kill -9``.

    A shell holds the other end of a pipe and removes the directory when the pipe closes.

    Args:
        prefix: Of the directory's name, in the directory for temporary files.

    Raises:
        OSError: It could not be made, or no shell started.
    """

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._lock = threading.Lock()
        try:
            self._remover = subprocess.Popen(
                ["/bin/sh", "-c", _REMOVE_AT_END_OF_INPUT, "sh", str(self.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            self.path.rmdir()
            raise
        self._remover.wait(_REMOVAL_TIMEOUT_S)  # what it started goes on

    def close(self) -> None:
        """Remove the directory and what is in it. Idempotent."""
        assert self._remover.stdin is not None
        with self._lock:
            if not self._remover.stdin.closed:
                self._remover.communicate(timeout=_REMOVAL_TIMEOUT_S)  # the remover has its output until it ends
