"""The driver ``kubernetes``: the workstation of a cluster, whose command line is a shell with ``kubectl``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_netbench.kubernetes.objects import render
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, NodeAccess, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL, CLUSTER, FILES, TERMINAL
from pytest_netbench.platforms.driver import Pending, Route
from pytest_netbench.platforms.kubernetes.scripts import scripts
from pytest_netbench.platforms.linux import console
from pytest_netbench.platforms.linux.driver import PRIVILEGED_READS, spoken
from pytest_netbench.platforms.sessions import Excused, none_excused
from pytest_netbench.platforms.terminal import Console, FileStore


class KubernetesDriver:
    """Operates a cluster from its workstation."""

    name = "kubernetes"
    dialect = "kubernetes"
    requires = (AGENT_SHELL.name, CLUSTER.name, FILES.name, TERMINAL.name)
    has_console = True

    def version(self, node: NodeAccess) -> str | None:
        return node.capability(CLUSTER).version

    def pending(self, nodes: Mapping[str, NodeAccess], *, excused: Excused = none_excused) -> Pending:
        """Nothing: a cluster is deployed when its pods are ready."""
        return Pending()

    def apply(self, node: NodeAccess, commands: Sequence[str]) -> list[CommandStatus]:
        """Run the lines, those of a here-document at once. What is said of these stands at its first line."""
        shell = node.capability(AGENT_SHELL)
        statuses: list[CommandStatus] = []
        for script in scripts(commands):
            first = _status(node.name, script[0], shell.shell("\n".join(script), writable=True))
            statuses += [first, *(first.model_copy(update={"command": line, "message": ""}) for line in script[1:])]
        return statuses

    def running_config(self, node: NodeAccess) -> str:
        return render(node.capability(CLUSTER).managed())

    def execute(self, node: NodeAccess, command: str, *, limits: SandboxLimits = DEFAULT_LIMITS) -> str:
        done = node.capability(AGENT_SHELL).shell(command, writable=False, reads=PRIVILEGED_READS, limits=limits)
        return spoken(done, limits.timeout_s)

    def routes(self, node: NodeAccess, prefix: str) -> list[Route]:  # a cluster has no routing table
        return []

    def unenforced(self, node: NodeAccess) -> Sequence[str]:  # policies are enforced or refused
        return ()

    def console(
        self, node: NodeAccess, *, enable_secret: str, read_only: bool = False
    ) -> Console:  # a shell has no enable
        return console.open_console(node, writable=not read_only, reads=PRIVILEGED_READS if read_only else ())

    def files(self, node: NodeAccess) -> FileStore | None:  # its files are reached by its shell
        return None


def _status(device: str, command: str, done: Completed) -> CommandStatus:
    message = (done.stdout + done.stderr).strip()
    if done.timed_out:
        message = f"{message}\n[ended: it ran too long]".strip()
    failed = done.returncode != 0 or done.timed_out
    return CommandStatus(
        device=device,
        command=command,
        status="error" if failed else "success",
        message=message or (f"exit status {done.returncode}" if failed else ""),
    )
