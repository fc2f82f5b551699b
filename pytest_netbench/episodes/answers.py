"""Sorts results of requests: looked, refused, or neither. It knows the ANI's results and no family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

UPDATE: Final = "update-cfg"
_NOT_A_COMMAND: Final = (126, 127, 255)
"""Exit statuses of a shell and of iproute2 for what is no command of theirs."""
_ANSWERED: Final = (0, 1)
"""Exit statuses of a program that looked; ping and grep end with 1 if nothing answers."""
_EXIT_STATUS: Final = re.compile(r"\[exit status (-?\d+)\]\s*\Z")
_ENDED: Final = re.compile(r"\[ended after [\d.e+-]+ s\]\s*\Z")
_DEVICE_REFUSED: Final = re.compile(
    r"^%\s*((?:Invalid input|(?:Unknown|Incomplete|Ambiguous|Unrecognized) command|Command incomplete"
    r"|There is no matched command).*)",
    re.MULTILINE,
)


class Heard(NamedTuple):
    """What a result says: whether the request looked at something, and why it or a command of it was refused."""

    looked: bool
    refused: str = ""


def heard(method: str, result: Mapping[str, Any]) -> Heard:
    """Return what ``result`` of ``method`` says.

    Args:
        method: An ANI method by its wire name.
        result: Its result, as it is on the wire.
    """
    if method == UPDATE:
        return _of_commands(result)
    if method == "execute-cmd":
        return _of_output(str(result.get("output", "")))
    status = result.get("status")
    if method == "run-code" and status != "done":
        return Heard(looked=False, refused=f"{status}: {result.get('error') or 'no reason given'}")
    return Heard(looked=True)


def _of_commands(result: Mapping[str, Any]) -> Heard:
    for one in result.get("results", ()):
        if one["status"] == "error":
            return Heard(looked=False, refused=f"{one['command'].strip()}: {one.get('message') or 'refused'}")
    return Heard(looked=False)


def _of_output(output: str) -> Heard:
    found = _DEVICE_REFUSED.search(output)
    if found is not None:
        return Heard(looked=False, refused=found[1].strip())
    status = _EXIT_STATUS.search(output)
    code = int(status[1]) if status is not None else 0
    if code in _NOT_A_COMMAND:
        return Heard(looked=False, refused=output.strip())
    return Heard(looked=code in _ANSWERED and _ENDED.search(output) is None)
