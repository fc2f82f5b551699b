"""A worked example of an agent outside this process, in any language.

Starts a program, gives it the brief as JSON on its standard input and the path of the ANI's Unix socket in
``NETBENCH_ANI_SOCKET``, and takes its submission as JSON from its standard output. ``client.py`` is such a program.
Where the devices answer with SSH (``access: ssh``), ``NETBENCH_SSH_INVENTORY`` is the path of a JSON file of logins.

The program runs as your user and can read your files, including the task file. Run a program that you do not trust in
a container.

    pytest tasks/ --agent=program
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence

from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AgentError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission

PASSED_ON = ("PATH", "HOME", "LANG", "TERM")
DIES_WITH_US = ("setpriv", "--pdeathsig", "KILL", "--")


class Program:
    """Any program.

    Args:
        command: The program and its arguments.
        environment: Names of further variables to pass on, e.g. of a key it needs.
    """

    def __init__(self, *, command: Sequence[str], environment: Sequence[str] = ()) -> None:
        self._command = list(command)
        self._environment = [*PASSED_ON, *environment]

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id="program", strategy="program", settings={"command": self._command})

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Let the program work until it ends or the time is up."""
        with serve(ani) as server:
            variables = {name: os.environ[name] for name in self._environment if name in os.environ}
            if brief.ssh is not None:
                variables["NETBENCH_SSH_INVENTORY"] = brief.ssh.inventory
            output = self._communicate(brief, ani, {**variables, "NETBENCH_ANI_SOCKET": str(server.path)})
        try:
            return Submission.model_validate_json(output)
        except ValueError as error:
            raise AgentError(f"{self._command[0]} printed no submission: {error}") from error

    def _communicate(self, brief: Brief, ani: Ani, environment: dict[str, str]) -> str:
        left = ani.budget_left()["wall_s"]
        pipe = subprocess.PIPE
        if shutil.which(self._command[0]) is None:
            raise AgentError(f"{self._command[0]} cannot be started: there is no such program")
        command = [*DIES_WITH_US, *self._command]
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment, start_new_session=True
        )
        try:
            output, errors = process.communicate(json.dumps(brief.model_dump(mode="json")), timeout=left)
        except subprocess.TimeoutExpired:
            raise BudgetExhausted("wall_s", brief.budget.wall_s or 0.0) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
        if process.returncode != 0:
            raise AgentError(f"{self._command[0]} ended with status {process.returncode}: {errors.strip()[-500:]}")
        return output
