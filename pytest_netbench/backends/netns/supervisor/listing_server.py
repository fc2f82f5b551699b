"""Serves listings to an agent's read-only shell, on descriptors 8 and 9 of that shell. Standard library only.

Questions are answered one after the other, so that a flood of them waits in its own pipe and costs the lab nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
from collections.abc import Callable, Collection
from typing import Any

from pytest_netbench.backends.netns.supervisor.jobs import Done
from pytest_netbench.kernel import listings

_LONGEST_QUESTION = 8192
_LONGEST_ANSWER = 60_000
_PIPE_BYTES = 1 << 17


class ListingServer:
    """One shell's desk.

    Args:
        selector: What tells of questions.
        allowed: Names of programs that may be asked for.
        start: Runs an argument list with the lab's rights and hands its result on.
    """

    def __init__(
        self, *, selector: selectors.BaseSelector, allowed: Collection[str], start: Callable[[list[str], Done], None]
    ) -> None:
        self._selector = selector
        self._allowed = allowed
        self._start = start
        self._pending = bytearray()
        self._busy = self._closed = self._watching = False
        self._questions, question = os.pipe()
        answer, self._answers = os.pipe()
        self.theirs = {8: answer, 9: question}
        for fd in (self._questions, self._answers):
            os.set_blocking(fd, False)
        # A whole answer fits, nobody waits; a user who holds many pipes is refused it and gets a cut one.
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(self._answers, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        self._watch()

    def hand_over(self) -> None:
        """Close the shell's ends here: it has started and has them, or never will."""
        for fd in self.theirs.values():
            os.close(fd)

    def close(self) -> None:
        """Answer nothing any more. Idempotent."""
        if not self._closed:
            self._closed = True
            self._unwatch()
            os.close(self._questions)
            os.close(self._answers)

    def _watch(self) -> None:
        self._selector.register(self._questions, selectors.EVENT_READ, self._asked)
        self._watching = True

    def _unwatch(self) -> None:
        if self._watching:
            self._selector.unregister(self._questions)
            self._watching = False

    def _asked(self) -> None:
        try:
            data = os.read(self._questions, _LONGEST_QUESTION)
        except BlockingIOError:
            return
        if not data:
            self._unwatch()
            return
        self._pending += data
        if b"\n" not in self._pending and len(self._pending) > _LONGEST_QUESTION:
            self._pending.clear()
        self._next()

    def _next(self) -> None:
        while not self._busy and not self._closed and b"\n" in self._pending:
            line, _, rest = bytes(self._pending).partition(b"\n")
            self._pending[:] = rest
            self._serve(listings.words(line.decode("utf-8", "replace")))
        if self._busy:
            self._unwatch()

    def _serve(self, argv: list[str]) -> None:
        why = listings.refuses(argv) if argv[0] in self._allowed else f"{argv[0][:64]}: not permitted"
        if why is not None:
            self._reply({"stdout": "", "stderr": f"{why}\n", "returncode": 1})
            return
        self._busy = True
        try:
            self._start(argv, self._answered)
        except OSError as error:
            self._answered({"stdout": "", "stderr": f"{argv[0]}: {error}\n", "returncode": 125})

    def _answered(self, result: dict[str, Any]) -> None:
        self._busy = False
        # The shell may have ended meanwhile; its descriptors' numbers then belong to somebody else.
        if not self._closed:
            self._reply(result)
            if not self._watching:
                self._watch()
            self._next()

    def _reply(self, result: dict[str, Any]) -> None:
        text = (result["stdout"] + result["stderr"]).encode()[:_LONGEST_ANSWER]
        status = result["returncode"] if 0 <= result["returncode"] < 126 else 125
        with contextlib.suppress(OSError):  # full: a shell that does not read its answers
            os.write(self._answers, b"%d %d\n" % (status, len(text)) + text)
