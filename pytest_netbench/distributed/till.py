"""A socket through which processes of this machine reach the budget of a run on another one: its serving side.

The folder of the socket is for its owner only, and goes with the process however that ends.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from threading import Thread

from pytest_netbench.agents.till import REFUSED
from pytest_netbench.errors import ResultsError
from pytest_netbench.lab.scratch import ScratchDirectory


class Till:
    """Serves the socket from threads, until it is closed or the process ends.

    Args:
        answer: Gives the answer to a line; a ``ResultsError`` that it raises is raised where the line came from.
    """

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self._folder = ScratchDirectory("netbench-till-")
        self.path = str(self._folder.path / "socket")
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(self.path)
        self._listening.listen()
        Thread(target=self._serve, name="netbench-till", daemon=True).start()

    def close(self) -> None:
        """Answer no more, and remove the socket."""
        self._listening.close()
        self._folder.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                made, _ = self._listening.accept()
                Thread(target=self._answer_one, args=(made,), name="netbench-till", daemon=True).start()

    def _answer_one(self, made: socket.socket) -> None:
        with made, contextlib.suppress(OSError), made.makefile("r", encoding="utf-8") as lines:
            line = lines.readline().strip()
            try:
                answer = self._answer(line)
            except ResultsError as error:
                answer = f"{REFUSED}{error}".replace("\n", " ")
            made.sendall(f"{answer}\n".encode())
