"""The possible cause of an error on a running lab: the agent or the infrastructure."""

from __future__ import annotations

import socket

from pytest_netbench.errors import LabDied, LabError, RequirementMissing
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.model.trial import SshLogin
from pytest_netbench.platforms.capabilities import LOGIN

_GREETING = b"SSH-"
_GREETING_S = 10.0


def may_be_the_agents(error: Exception, *nodes: LabNode) -> bool:
    """Return whether an agent may have caused ``error`` by what it sent.

    The lab is checked before the agent works. So a later error on nodes that still run programs, or whose SSH server
    still answers, is caused by the agent's changes. A lab that is gone, or a node that runs nothing, is an
    infrastructure failure.
    """
    if isinstance(error, LabDied):
        return False
    try:
        return all(_lives(node) for node in nodes)
    except LabError:
        return False


def _lives(node: LabNode) -> bool:
    """Whether the node answers: by its login if it has one, since nothing else need be possible on it."""
    try:
        login = node.capability(LOGIN).login()
    except RequirementMissing:
        return node.run(("true",)).returncode == 0
    return _greets(login)


def _greets(login: SshLogin) -> bool:
    try:
        with socket.create_connection((login.host, login.port), timeout=_GREETING_S) as connection:
            return connection.recv(len(_GREETING), socket.MSG_WAITALL) == _GREETING
    except OSError:
        return False
