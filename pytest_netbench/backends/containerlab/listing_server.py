"""Serves listings to an agent that may only read, while its program runs. Standard library only.

The program has descriptors 8 and 9; see ``kernel.confinement`` for the scripts that use them.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Collection

from pytest_netbench.kernel import listings

_LONGEST_QUESTION = 8192
_LONGEST_ANSWER = 60_000
_LISTING_S = 5.0


class ListingServer:
    """Answers one question after the other.

    Args:
        allowed: Names of programs that may be asked for.
        start: Starts an argument list with its output to a descriptor; returns its process.
    """

    def __init__(self, allowed: Collection[str], start: Callable[[list[str], int], int]) -> None:
        self._allowed = frozenset(allowed)
        self._start = start
        self._questions, question = os.pipe()
        answer, self._answers = os.pipe()
        self.theirs = (answer, question)
        os.set_blocking(self._answers, False)

    def serve_until_end_of(self, child: int) -> int:
        """Serve until a child ends; return its status as ``waitpid`` gives it."""
        for descriptor in self.theirs:
            os.close(descriptor)
        end = os.pidfd_open(child)
        poller = select.poll()
        poller.register(end, select.POLLIN)
        poller.register(self._questions, select.POLLIN)
        pending = b""
        while True:
            ready = dict(poller.poll())
            if end in ready:
                return os.waitpid(child, 0)[1]
            data = os.read(self._questions, _LONGEST_QUESTION)
            if not data:
                poller.unregister(self._questions)
                continue
            *lines, pending = (pending + data).split(b"\n")
            pending = pending[-_LONGEST_QUESTION:]
            for line in lines:
                self._answer(listings.words(line.decode("utf-8", "replace")))

    def _answer(self, argv: list[str]) -> None:
        why = listings.refuses(argv) if argv[0] in self._allowed else f"{argv[0][:64]}: not permitted"
        status, text = (1, f"{why}\n".encode()) if why is not None else self._listing(argv)
        try:
            os.write(self._answers, b"%d %d\n" % (status, len(text)) + text)
        except OSError:  # full: a program that does not read its answers
            return

    def _listing(self, argv: list[str]) -> tuple[int, bytes]:
        output = os.memfd_create("listing")
        try:
            process = self._start(argv, output)
            status = os.waitstatus_to_exitcode(_wait(process))
            return status if 0 <= status < 126 else 125, os.pread(output, _LONGEST_ANSWER, 0)
        finally:
            os.close(output)


def _wait(process: int) -> int:
    """The status of a process, which is killed if it takes too long."""
    end = os.pidfd_open(process)
    poller = select.poll()
    poller.register(end, select.POLLIN)
    if not poller.poll(_LISTING_S * 1000):
        os.kill(process, 9)
    os.close(end)
    return os.waitpid(process, 0)[1]
