"""A socket through which processes of this machine reach the budget of a run on another one: a line each way."""

from __future__ import annotations

import socket
from typing import Final

from pytest_netbench.errors import ResultsError

REFUSED: Final = "error "
"""What an answer begins with that is an error."""


def ask(path: str, line: str) -> str:
    """Send a line; return the one that answers it. It waits as long as the other side is there.

    Raises:
        ResultsError: It was refused, or nobody answers.
    """
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.connect(path)
            made.sendall(f"{line}\n".encode())
            with made.makefile("r", encoding="utf-8") as answers:
                answer = answers.readline()
    except OSError as error:
        raise ResultsError(f"the budget of the run cannot be reached: {error.strerror}") from error
    if not answer:
        raise ResultsError("the budget of the run cannot be reached: the process that leads to it has ended")
    if answer.startswith(REFUSED):
        raise ResultsError(answer.removeprefix(REFUSED).strip())
    return answer.strip()
