"""Configuration lines that a device commits together: typed, committed, or forgotten if one is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pytest_netbench.errors import LabError
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.batches import Refusal, statuses_of_batch
from pytest_netbench.platforms.cli_ssh.pasting import Unit
from pytest_netbench.platforms.cli_ssh.session import DeviceSession
from pytest_netbench.platforms.cli_ssh.system import Batches, System
from pytest_netbench.platforms.cli_ssh.typist import Typist

_QUOTED_OR_SPACE = re.compile(r'(?P<quoted>"(?:[^"\\\n]|\\.)*")|\s+')


def apply(session: DeviceSession, node: str, commands: Sequence[str], system: System) -> list[CommandStatus]:
    """Commit ``commands`` together; return the status of each. What is refused leaves nothing behind.

    Commands that enter configuration mode at the beginning, and that commit or leave at the end, are left out.

    Raises:
        LabError: The session is gone, or the device did not enter configuration mode.
    """
    batches = system.batches
    assert batches is not None
    _enter(session, node, system)
    try:
        refusal = _committed(session, commands, system, batches)
        if refusal is not None:
            session.converse(Unit(lines=(batches.discard,)))
    finally:
        if session.alive:
            session.converse(Unit(lines=(system.leave,)))
    return statuses_of_batch(node, commands, refusal)


def _enter(session: DeviceSession, node: str, system: System) -> None:
    said, prompt = session.converse(Unit(lines=(system.configure,)))
    if not system.configuring.search(prompt):
        raise LabError(f"{node}: the device did not enter configuration mode: {said.strip()}")


def _committed(session: DeviceSession, commands: Sequence[str], system: System, batches: Batches) -> Refusal | None:
    """Type the lines and commit them; return why nothing is in force, if so."""
    first, last = _range(commands, batches)
    wrong = next((at for at in range(first, last) if not batches.within.match(f"{commands[at]} ")), None)
    if wrong is not None:
        return Refusal(message="error: no command of a batch of configuration lines", index=wrong)
    typist = Typist(session, session.prompt, system)
    said = typist.type([_one_line(commands[at]) for at in range(first, last)])
    for at, text in enumerate(said, first):
        if system.refused.search(text):
            return Refusal(message=text.strip(), index=at)
    text, _ = session.converse(Unit(lines=(batches.commit,)))
    return None if batches.committed.search(text) and not system.refused.search(text) else Refusal(message=text.strip())


def _one_line(command: str) -> str:
    """A command with single spaces between its words. What is quoted stays as it is."""
    return _QUOTED_OR_SPACE.sub(lambda found: found["quoted"] or " ", command.strip())


def _range(commands: Sequence[str], batches: Batches) -> tuple[int, int]:
    first, last = 0, len(commands)
    while first < last and batches.begins.match(commands[first]):
        first += 1
    while last > first and batches.ends.match(commands[last - 1]):
        last -= 1
    return first, last
