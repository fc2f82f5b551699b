"""What a device answers to a batch of commands that it commits as a whole, said for each command. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_netbench.model.trial import CommandStatus, in_one_line


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a device committed none of the commands of a batch.

    Attributes:
        message: The device's words.
        index: The 0-based place of the command that it objects to; ``None`` if it names none.
    """

    message: str
    index: int | None = None


def statuses_of_batch(device: str, commands: Sequence[str], refusal: Refusal | None) -> list[CommandStatus]:
    """Return the status of each command of a batch: all are in force, or none is.

    Args:
        device: The name of the node.
        commands: The batch.
        refusal: Why it was not committed; ``None`` if it was.
    """
    if refusal is None:
        return [CommandStatus(device=device, command=command, status="success") for command in commands]
    return [
        CommandStatus(device=device, command=command, status="error", message=_said(refusal, index, commands))
        for index, command in enumerate(commands)
    ]


def _said(refusal: Refusal, index: int, commands: Sequence[str]) -> str:
    if refusal.index == index:
        return refusal.message
    if refusal.index is None:
        return f"not committed: {refusal.message}"
    culprit = commands[refusal.index]
    words = in_one_line(refusal.message, culprit)
    return f"not committed, as command {refusal.index + 1} of the batch was refused: {culprit.strip()}: {words}"
