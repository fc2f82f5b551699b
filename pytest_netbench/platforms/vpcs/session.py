"""The command line of a VPCS. It takes one line at a time: what is typed while it works is lost."""

from __future__ import annotations

import re
import threading
import time

from pytest_netbench.errors import LabError, TookTooLong
from pytest_netbench.platforms.access import CliLine, NodeAccess
from pytest_netbench.platforms.capabilities import CLI

_KEY = "vpcs"
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\a\x00]")
_PROMPT = re.compile(r"(?:\A|\n)[^\s>]+> ?\Z")
_PAUSE_S = 0.005
_INTERRUPT = "\x03"


class VpcsSession:
    """The one session on a host; for any number of threads, one after the other.

    Args:
        node: The host.
    """

    def __init__(self, node: NodeAccess) -> None:
        self._node = node
        self._lock = threading.Lock()
        self._line: CliLine | None = None

    def send(self, line: str, *, timeout_s: float = 30.0) -> str:
        """Type a line; return what it prints.

        Raises:
            LabError: The console is gone.
            TookTooLong: The prompt did not come back; what ran was interrupted.
        """
        if not line.isprintable() or line.lstrip().startswith("!"):
            # "!" runs a program on the machine of the server
            raise LabError(f"{self._node.name}: not a line for a VPCS: {line!r}")
        with self._lock:
            console = self._open()
            try:
                while console.read():
                    """Drop what came since the last prompt."""
                console.write(f"{line}\n")
                text = self._until_prompt(console, line, timeout_s)
            except TookTooLong:
                console.write(_INTERRUPT)
                self._drop()
                raise
            except LabError:
                self._drop()
                raise
        said = text.partition("\n")[2]
        return _PROMPT.sub("", said).strip("\n") + "\n"

    def close(self) -> None:
        """End the session; the next line opens it anew."""
        with self._lock:
            self._drop()

    def _open(self) -> CliLine:
        if self._line is None:
            self._line = self._node.capability(CLI).connect()
        return self._line

    def _drop(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _until_prompt(self, console: CliLine, line: str, timeout_s: float) -> str:
        raw, ends_at = b"", time.monotonic() + timeout_s
        while True:
            if new := console.read():
                raw += new
                # the prompt of the line before may come once more ahead of the echo
                _, echo, after = plain(raw).partition(line)
                if echo and _PROMPT.search(after):
                    return after
            elif time.monotonic() > ends_at:
                raise TookTooLong(timeout_s)
            else:
                time.sleep(_PAUSE_S)


def session_of(node: NodeAccess) -> VpcsSession:
    """The session on a host, which it keeps."""
    found = node.memory.setdefault(_KEY, VpcsSession(node))
    assert isinstance(found, VpcsSession)
    return found


def plain(raw: bytes) -> str:
    """What a console sent, without what moves the cursor."""
    return _CONTROLS.sub("", raw.decode("utf-8", "replace"))


def at_prompt(text: str) -> bool:
    """Whether a VPCS waits for a line."""
    return _PROMPT.search(text) is not None
