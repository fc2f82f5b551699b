"""The strategy ``a2a``: an agent that is an A2A server.

It gets the task as a message. It works over MCP or the ANI's socket, or answers turn by turn, and its final artifact
or message is the submission.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from pytest_netbench.agents import turns
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.answer import read_with_answer
from pytest_netbench.agents.ending import EndedApart, Raised
from pytest_netbench.agents.external import confining, mcp_server
from pytest_netbench.agents.external.a2a_server import AgentServer, free_port
from pytest_netbench.agents.external.command import filled, named_files
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.prompting import digests, paragraphs
from pytest_netbench.agents.reports import Reports
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.errors import AgentError, AgentFileError, BudgetExhausted, NetbenchError, UsageError
from pytest_netbench.model.base import Model
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, Usage

if TYPE_CHECKING:
    from pytest_netbench.ani.a2a.calling import Answer, Conversation

QUESTIONS: Final = 3
NOBODY: Final = "Nobody answers questions: decide yourself, and complete the task."
_STARTS: Final = 2


class HandedIn(Model):
    """What a JSON object of the final artifact or message may say."""

    reasoning: str | None = None
    answer: dict[str, Any] | None = None
    usage: Usage = Usage()


class A2aAgent:
    """Any A2A server.

    Args:
        file: Its agent file, with a section ``a2a``.
        root: The project: ``{root}`` in the command, and what a confined server does not see.

    Raises:
        AgentFileError: There is no such section.
    """

    def __init__(self, *, file: AgentFile, root: Path) -> None:
        if file.a2a is None:
            raise AgentFileError(
                f"agent {file.name!r}: strategy 'a2a' needs a section `a2a`, e.g. `a2a: {{url: http://127.0.0.1:9999}}`"
            )
        self._file = file
        self._settings = file.a2a
        self._root = root
        self._by_turns = file.a2a.work == "turns"
        system, question = ("multi-turn", "single-turn-question") if self._by_turns else ("a2a", "a2a")
        self._opening = Opening.of(file, system=system, question=question)

    @property
    def info(self) -> AgentInfo:
        used = (*self._opening.prompts, *(turns.prompts() if self._by_turns else ()))
        info = self._file.info(prompts=digests(used))
        section = self._settings.model_dump(mode="json", exclude_defaults=True)
        return info.model_copy(update={"settings": {**info.settings, "a2a": section}})

    def prepare(self) -> None:
        """Check that the server can be confined, and spoken to, and load the SDK.

        Raises:
            UsageError: The SDK of A2A is not installed.
            RequirementMissing: bubblewrap or the SDK of MCP is not installed.
        """
        require()
        if self._settings.command and self._settings.confine:
            confining.require()
        if not self._by_turns:
            mcp_server.require()
        import_module("pytest_netbench.ani.a2a.calling")  # imports a2a

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Let the agent work until its task ends or the time is up.

        Raises:
            BudgetExhausted: The budget is used up. With ``submission``, if there is something of one.
            AgentError: It failed, or broke the protocol; with ``submission``, if there is something of one.
        """
        text = self._opening.task_text(brief, how="as `answer` in the data of your artifact, or of `task_done`")
        desk = SubmissionMethods(brief, text=paragraphs(self._opening.system_text(brief), text))
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(serve(ani, desk=desk))
            folder = server.path.parent / "agent"  # removed with the socket's directory
            folder.mkdir()
            try:
                agent = stack.enter_context(self._connected(brief, ani, socket=server.path, folder=folder))
                if self._by_turns:
                    return self._in_turns(brief, ani, agent)
                where = {"socket": str(server.path)}
                mcp = stack.enter_context(mcp_server.McpServer(server.path, folder))
                return self._alone(brief, desk, agent, {**where, "mcp_url": mcp.url})
            except AgentError as error:
                error.submission = error.submission or desk.submission
                raise

    def _alone(self, brief: Brief, desk: SubmissionMethods, agent: Conversation, where: dict[str, str]) -> Submission:
        """Let the agent work by itself, with the tools that it is told of."""
        data = {"brief": brief.model_dump(mode="json"), **where}
        answer = agent.send(desk.get_brief({})["text"], data)
        for _ in range(QUESTIONS):
            if not answer.asks:
                break
            answer = agent.send(NOBODY)
        if answer.asks:
            raise AgentError(
                f"the agent asked {QUESTIONS + 1} times for input, and nobody answers: {answer.text[:500]}"
            )
        return with_handed_in(submission_of(answer), desk.submission)

    def _in_turns(self, brief: Brief, ani: Ani, agent: Conversation) -> Submission:
        """Carry out the commands of its answers, and tell it what came of them."""
        reports = Reports(wanted=self._file.report_reachability, brief=brief, ani=ani)
        how = "under the key `answer` of your JSON object" if not brief.devices else "as `answer` in your last data"
        opening = paragraphs(self._opening.system_text(brief), self._opening.task_text(brief, how=how), reports.text())
        if not brief.devices:
            answer = agent.send(opening)
            reasoning, _, value = read_with_answer(answer.text, ())
            return Submission(reasoning=reasoning or None, answer=value)
        work = turns.Turns(brief=brief, ani=ani, reports=reports)
        answers: list[Answer] = []

        def ask(text: str) -> str:
            answers.append(agent.send(text))
            return answers[-1].text

        def submission(stop_reason: str) -> Submission:
            last = submission_of(answers[-1]) if answers else Submission()
            reasoning = work.reasoning or last.reasoning
            return last.model_copy(update={"reasoning": reasoning, "stop_reason": stop_reason})

        try:
            return submission(work.work(opening, ask))
        except AgentError as error:
            reason = f"budget: {error.limit}" if isinstance(error, BudgetExhausted) else "agent-error"
            error.submission = Submission(reasoning=work.reasoning, stop_reason=reason)
            raise

    @contextlib.contextmanager
    def _connected(self, brief: Brief, ani: Ani, *, socket: Path, folder: Path) -> Iterator[Conversation]:
        if self._settings.url is not None:
            with _conversation(self._settings.url, brief, ani) as agent:
                agent.connect()
                yield agent
            return
        for remaining in reversed(range(_STARTS)):
            with contextlib.ExitStack() as stack:
                url, server = stack.enter_context(self._started(brief, socket=socket, folder=folder))
                agent = stack.enter_context(_conversation(url, brief, ani))
                try:
                    agent.connect(coming=server.runs)
                except BudgetExhausted:
                    raise
                except AgentError as error:
                    if remaining and not server.runs():
                        ani.note(f"{server.ended()}; started once more, on another port")
                        continue
                    raise _with_end(error, server) from error
                try:
                    yield agent
                except BudgetExhausted:
                    raise
                except AgentError as error:
                    raise _with_end(error, server) from error
                return

    @contextlib.contextmanager
    def _started(self, brief: Brief, *, socket: Path, folder: Path) -> Iterator[tuple[str, AgentServer]]:
        port = str(free_port())
        values = {"port": port, "root": str(self._root), "folder": str(folder), "socket": str(socket)}
        if self._file.model is not None:
            values["model"] = self._file.model
        command = filled(self._settings.command, values)
        environment = confining.environment(self._settings.environment, brief, socket)
        confined = confining.confined(
            command,
            self._settings,
            brief=brief,
            socket=socket,
            folder=folder,
            root=self._root,
            shown=named_files(self._settings.command, self._root),
        )
        with (
            confined as (whole, pass_fds),
            AgentServer(
                whole,
                environment=environment,
                folder=folder,
                pass_fds=pass_fds,
                confined=self._settings.confine,
            ) as server,
        ):
            yield f"http://127.0.0.1:{port}", server


def require() -> None:
    """Check that A2A can be spoken here.

    Raises:
        UsageError: The SDK is not installed.
    """
    if any(find_spec(name) is None for name in ("a2a", "uvicorn", "starlette", "sse_starlette")):
        raise UsageError("A2A needs its SDK (fix: pip install 'pytest-netbench[a2a]')")


def server_command(socket: Path, *, http: str | None) -> list[str]:
    """The command that serves the ANI at ``socket`` by A2A at ``http``, a host and a port; by default any port."""
    return [sys.executable, "-m", "pytest_netbench.cli", "a2a", str(socket), "--http", http or "127.0.0.1:0"]


def check(file: AgentFile) -> None:
    """Check, before anything is deployed, that the agent of ``file`` can be spoken to.

    Raises:
        UsageError: The SDK is not installed, or nobody answers at the URL.
    """
    require()
    if file.a2a is None or file.a2a.url is None:
        return
    from pytest_netbench.ani.a2a.calling import Conversation  # imports a2a

    try:
        with Conversation(file.a2a.url, wall_left=_unlimited) as agent:
            agent.connect()
    except AgentError as error:
        raise UsageError(f"agent {file.name!r}: {error}. Start the agent's server first") from error


def submission_of(answer: Answer) -> Submission:
    """The submission that a final answer is.

    Raises:
        AgentError: A JSON object of it is not what a submission may say.
    """
    given: dict[str, Any] = {}
    for value in answer.objects:
        if set(value) & set(HandedIn.model_fields):
            given = value
    try:
        handed_in = HandedIn.model_validate(given)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        raise AgentError(
            f"the data of the final artifact or message is no submission: {where}: {problem['msg']}"
        ) from error
    reasoning = handed_in.reasoning or answer.text.strip() or None
    return Submission(reasoning=reasoning, answer=handed_in.answer, usage=handed_in.usage)


def with_handed_in(final: Submission, handed_in: Submission | None) -> Submission:
    """``final``, unless it says less than what was handed in by ``task-done``."""
    if handed_in is None:
        return final
    answer = handed_in.answer if final.answer is None else final.answer
    return final.model_copy(update={"reasoning": handed_in.reasoning or final.reasoning, "answer": answer})


def _conversation(url: str, brief: Brief, ani: Ani) -> Conversation:
    from pytest_netbench.ani.a2a.calling import Conversation  # imports a2a

    def wall_left() -> float | None:
        return ani.budget_left().get("wall_s")

    return Conversation(url, wall_s=brief.budget.wall_s, wall_left=wall_left, note=_noting(ani))


def _noting(ani: Ani) -> Callable[[str], None]:
    def note(text: str) -> None:
        with contextlib.suppress(NetbenchError):  # the trial has ended
            ani.note(text)

    return note


def _with_end(error: AgentError, server: AgentServer) -> AgentError:
    ended = server.ended()
    if not ended:
        return error
    handed_in = error.submission if isinstance(error.submission, Submission) else None
    return EndedApart(Raised(text=f"{error}; {ended}", process=server.how, handed_in=handed_in))


def _unlimited() -> None:
    return None
