"""A trial that somebody outside attends to: its task in words, its socket and its logins."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from pytest_netbench.agents.prompting import answer_message, budget_words, packaged, paragraphs, task_message
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.model.trial import AgentInfo, Brief, Submission


@dataclass(frozen=True, kw_only=True)
class Attendance:
    """What is there to attend to, while the trial runs.

    Attributes:
        brief: The task.
        socket: Of the ANI.
        desk: Takes the submission.
        ani: The ANI itself.
        serving: What else is served is closed with it.
    """

    brief: Brief
    socket: Path
    desk: SubmissionMethods
    ani: Ani
    serving: ExitStack


Attend = Callable[[Attendance], None]
"""Returns when the work is done."""


class Attended:
    """An agent that leaves the work to somebody outside.

    Args:
        name: Its id in results.
        attend: Waits until the work is done.
        until: What is served stays until this is closed. By default it ends with the work.
        answers_later: ``task-done`` is answered only when ``until`` is closed.
        is_final: The first ``task-done`` ends the trial; otherwise the last one counts.
    """

    def __init__(
        self,
        name: str,
        attend: Attend,
        *,
        until: ExitStack | None = None,
        answers_later: bool = False,
        is_final: bool = False,
    ) -> None:
        self._name = name
        self._attend = attend
        self._until = until
        self._answers_later = answers_later
        self._is_final = is_final

    @property
    def info(self) -> AgentInfo:
        return AgentInfo(id=self._name, strategy=self._name)

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Serve the ANI until the work is done.

        Raises:
            AgentError: Nobody can attend.
        """
        desk = SubmissionMethods(
            brief, text=task_text(brief), answers_later=self._answers_later, is_final=self._is_final
        )
        with ExitStack() as own:
            serving = own if self._until is None else self._until
            server = serving.enter_context(serve(ani, desk=desk))
            self._attend(Attendance(brief=brief, socket=server.path, desk=desk, ani=ani, serving=serving))
            serving.callback(desk.release)
        return desk.submission or Submission()


def task_text(brief: Brief) -> str:
    """The task in words."""
    template = packaged("task" if brief.devices else "question")
    task = task_message(template, brief, budget=budget_words(brief.budget.model_dump()))
    return task + answer_message(packaged("answer"), brief, how="as `answer` of `task-done`")


def login_text(brief: Brief, socket: Path) -> str:
    """How to reach the network: by SSH, by JSON-RPC and by MCP."""
    lines = [f"ANI (JSON-RPC): {socket}", f"ANI (MCP):      netbench mcp {socket}"]
    if brief.ssh is None:
        return "\n".join(lines)
    hosts = brief.ssh.hosts.items()
    width = max((len(name) for name, _ in hosts), default=0)
    logins = [f"  {name:{width}}  ssh -p {one.port} {one.username}@{one.host}" for name, one in hosts]
    secrets = {(one.password, one.enable_secret) for _, one in hosts}
    words = [f"password {password}" + (f", enable secret {secret}" if secret else "") for password, secret in secrets]
    return paragraphs(
        "\n".join(["Logins:", *logins, *sorted(words)]), "\n".join([*lines, f"Logins (JSON):  {brief.ssh.inventory}"])
    )
