"""The possible cause of an error on a running lab: the agent or the infrastructure."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from pytest_netbench.errors import AniError, LabDied, LabError, RequirementMissing
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.access import CommandLine
from pytest_netbench.platforms.capabilities import CLI, EXEC, LOGIN
from pytest_netbench.platforms.capability import Capability

_GREETING = b"SSH-"
_GREETING_S = 10.0


def agent_may_have_caused(error: Exception, *nodes: LabNode) -> bool:
    """Return whether an agent may have caused ``error`` by what it sent.

    The lab is checked before the agent works. So a later error on nodes that still run programs, or whose command line
    still answers, is caused by the agent's changes. So is one on a node that an agent could remove, and that is gone. A
    lab that is gone, or a node that runs nothing, is an infrastructure failure.
    """
    if isinstance(error, LabDied):
        return False
    try:
        return all(_lives(node) for node in nodes)
    except AniError:
        return True
    except LabError:
        return False


def _lives(node: LabNode) -> bool:
    """Whether the node answers in the first way that it has. One without any does not tell, and counts as gone."""
    for kind, answers in _WAYS:
        with suppress(RequirementMissing):
            return answers(node.capability(kind))
    return False


def _greets(login: SshLogin) -> bool:
    try:
        with socket.create_connection((login.host, login.port), timeout=_GREETING_S) as connection:
            return connection.recv(len(_GREETING), socket.MSG_WAITALL) == _GREETING
    except OSError:
        return False


def _connects(device: CommandLine) -> bool:
    device.connect().close()
    return True


_WAYS: Final[Sequence[tuple[Capability[Any], Callable[[Any], bool]]]] = (
    (LOGIN, lambda node: _greets(node.login())),
    (CLI, _connects),
    (EXEC, lambda node: node.run(("true",)).returncode == 0),
)
