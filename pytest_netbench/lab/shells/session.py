"""A persistent session on a command line that runs on a host, such as vtysh: its prompt tells that it is done."""

from __future__ import annotations

import re
import threading

from pytest_netbench import deadline
from pytest_netbench.errors import LabError
from pytest_netbench.lab.shells.relay import Gone, Relay

_OPEN_TIMEOUT_S = 60.0
# what a prompt ends with: the last line has no end, and one of these
_AT_PROMPT = "tail -n 1 out | grep -q '[>#$] *$'"
_LONGER = "[ $(wc -c <out) -gt {size} ] && {prompt}"


class RelaySession:
    """Implements ``platforms.access.CliSession``.

    Args:
        name: For messages, e.g. ``"R1 (vtysh)"``.
        relay: Its program, which was started.
        prompt: What a prompt at the end of its output looks like.

    Raises:
        LabError: No prompt came.
    """

    def __init__(self, *, name: str, relay: Relay, prompt: str) -> None:
        self._name = name
        self._relay: Relay | None = relay
        # scrapli's patterns are of another library: its end of the text is Python's \Z
        self._pattern = re.compile(prompt.replace(r"\z", r"\Z"), re.MULTILINE)
        self._lock = threading.Lock()
        self._prompt = ""
        try:
            self._heard(b"", _OPEN_TIMEOUT_S)
        except (Gone, TimeoutError) as error:
            self.close()
            raise LabError(f"{name}: the command line did not come up within {_OPEN_TIMEOUT_S:g} s: {error}") from error

    @property
    def prompt(self) -> str:
        """The prompt as last seen."""
        return self._prompt

    @property
    def alive(self) -> bool:
        """Whether the session can still be used."""
        return self._relay is not None

    def send(self, line: str, *, timeout_s: float = 30.0) -> str:
        r"""Send one line; return what the device printed, without echo and prompt.

        Raises:
            LabError: The session is gone, or the prompt did not come back in time; the session is closed then.
            ValueError: ``line`` holds a control character other than Ctrl-V (``\x16``), which would be a keystroke.
        """
        if any((ord(char) < 32 and char != "\x16") or ord(char) == 127 for char in line):
            raise ValueError(f"{self._name}: control characters cannot be sent: {line!r}")
        with self._lock:
            try:
                text = self._heard(line.encode() + b"\n", deadline.left(timeout_s))
            except (Gone, TimeoutError) as error:
                self.close()
                raise LabError(f"{self._name}: no prompt within {timeout_s:g} s after {line!r}: {error}") from error
        _, *output = text.split("\n")  # the first is the echo
        return "\n".join(output)

    def _heard(self, given: bytes, timeout_s: float) -> str:
        """What came up to the prompt."""
        if self._relay is None:
            raise LabError(f"{self._name}: the session is closed")
        sent: bytes | None = given or None
        enough = _AT_PROMPT
        while True:
            raw = self._relay.exchange(sent, enough, timeout_s=timeout_s)
            text = raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            before, _, last = text.rpartition("\n")
            if self._pattern.search(last):
                self._prompt = last.strip()
                return before
            sent, enough = None, _LONGER.format(size=len(raw), prompt=_AT_PROMPT)

    def close(self) -> None:
        """End the session. Idempotent."""
        relay, self._relay = self._relay, None
        if relay is not None:
            try:
                relay.end()
            except LabError:
                return  # the host has gone, and the program with it
