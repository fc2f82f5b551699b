"""Runs a program by the helper of a lab, as if it ran here. Standard library only.

All descriptors of this process are those of the program, under the same numbers. This process ends as the program
does; when it is killed, the helper kills the program.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import struct
from pathlib import Path
from typing import Any, NoReturn

from pytest_netbench.backends.containerlab import exchange
from pytest_netbench.kernel.processes import end_as

LOST = 125
"""The exit status if the helper is gone; as of a container that cannot be entered."""


def main(word: str, *argv: str) -> NoReturn:
    """Run ``argv`` by the helper whose folder ``encode`` made a word of."""
    try:
        status = _run(base64.urlsafe_b64decode(word).decode(), list(argv))
    except OSError as error:
        os.write(2, f"netbench: the helper of the lab is gone: {error}\n".encode())
        os._exit(LOST)
    end_as(status)


def encode(folder: str) -> str:
    """A folder as one word of a command line, without spaces."""
    return base64.urlsafe_b64encode(folder.encode()).decode()


def _run(folder: str, argv: list[str]) -> int:
    numbers = sorted(number for one in Path("/proc/self/fd").iterdir() if _is_open(number := int(one.name)))
    with exchange.connected(folder) as connection:
        exchange.send(connection, json.dumps({"op": "run", "argv": argv, "numbers": numbers}).encode(), numbers)
        status = connection.recv(4)
    if len(status) != 4:
        raise ConnectionError("no answer")
    found: tuple[Any, ...] = struct.unpack("=i", status)
    return int(found[0])


def _is_open(number: int) -> bool:
    """Whether a descriptor is one that a program would inherit."""
    with contextlib.suppress(OSError):
        return os.get_inheritable(number)
    return False
