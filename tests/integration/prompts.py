"""An oracle that logs in by SSH, and types what another one sends by ``update-cfg``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.backends.kube.plan import WORKSTATION
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import AgentInfo, Submission
from tests.support.shell import Shell

PROMPT = r"# $"
"""That of a login that may change something."""
_DONE = rf"(?m)^done 0\r\n.*{PROMPT}"


class PromptOracle:
    """Solves a task on a cluster at the prompt of its workstation.

    Attributes:
        logins: The devices that answer with SSH.
        shown: What the workstation has shown.
    """

    info = AgentInfo(id="prompt-oracle", strategy="oracle")

    def __init__(self) -> None:
        self.logins: tuple[str, ...] = ()
        self.shown = ""

    def run_informed(self, task: Task, ani: Ani) -> Submission:
        assert isinstance(ani, AgentInterface)
        assert ani.ssh is not None
        self.logins = tuple(ani.ssh.hosts)
        self._shell = Shell(ani.ssh.hosts[WORKSTATION])
        self._shell.type("", PROMPT)
        solved: Submission = parts.load("families", task.family)().solve(task, self)
        return solved

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        """Type commands, each of which must succeed."""
        assert device == WORKSTATION
        for command in commands:
            self.shown += self._shell.type(command.replace("\n", "\r") + "\recho done $?\r", _DONE)
        return {"results": [{"command": one, "status": "success"} for one in commands]}
