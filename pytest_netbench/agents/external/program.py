"""The strategy ``program``: an agent that is a program of its own, in any language.

It gets the brief on its standard input or as an argument, works over the ANI's socket (JSON-RPC) or over MCP, and hands
in its submission by ``task-done`` or on its standard output.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from pytest_netbench.agents import exits
from pytest_netbench.agents.agentfile import AgentFile
from pytest_netbench.agents.ending import EndedApart, Raised
from pytest_netbench.agents.external import command as words
from pytest_netbench.agents.external import confining, mcp_server, running
from pytest_netbench.agents.initial_messages import Opening
from pytest_netbench.agents.outside_settings import OutputFields, ProgramSettings
from pytest_netbench.agents.prompting import digests, paragraphs
from pytest_netbench.ani.jsonrpc import serve
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.ani.submission import SubmissionMethods
from pytest_netbench.errors import AgentError, AgentFileError, BudgetExhausted
from pytest_netbench.model.trial import AgentInfo, Brief, Submission, Usage

_SHOWN: Final = 60


def submission_of(text: str, settings: ProgramSettings) -> Submission:
    """Read the output of a program.

    Raises:
        ValueError: It is not what the agent file says.
    """
    if settings.output == "submission":
        return _submission(text)
    if settings.output == "text":
        return Submission(reasoning=text.strip() or None)
    objects = list(_objects(text)) if settings.output == "json-lines" else [_object(text)]
    if not objects:
        raise ValueError("there is no line with a JSON object")
    return _read(objects, settings.fields)


def _submission(text: str) -> Submission:
    try:
        return Submission.model_validate(_object(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"]))
        what = "unknown member" if problem["type"] == "extra_forbidden" else problem["msg"].removeprefix("Input ")
        raise ValueError(f"{where}: {what} (known: {', '.join(Submission.model_fields)})") from None


def _read(objects: Sequence[dict[str, Any]], fields: OutputFields) -> Submission:
    reasoning = None if fields.reasoning is None else _last(objects, fields.reasoning, str)
    cost = None if fields.cost_usd is None else _last(objects, fields.cost_usd, (int, float))
    usage = Usage(
        completions=sum(1 for one in objects if any(_at(one, path) is not None for path in fields.completion_tokens)),
        prompt_tokens=_sum(objects, fields.prompt_tokens),
        completion_tokens=_sum(objects, fields.completion_tokens),
        cost_usd=cost,
    )
    return Submission(reasoning=reasoning, usage=usage)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.lstrip().startswith("{"):
            yield _object(line)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        begin = " ".join(text[:_SHOWN].split())
        raise ValueError(f"not JSON ({error}); it begins with {begin!r}" if begin else "it printed nothing") from None
    if isinstance(value, dict):
        return value
    raise ValueError("it is not a JSON object")


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _last(objects: Sequence[dict[str, Any]], path: str, kind: type | tuple[type, ...]) -> Any:
    found = [value for one in objects if isinstance(value := _at(one, path), kind) and not isinstance(value, bool)]
    return found[-1] if found else None


def _sum(objects: Sequence[dict[str, Any]], paths: Sequence[str]) -> int:
    values = [_at(one, path) for one in objects for path in paths]
    return sum(value for value in values if isinstance(value, int) and not isinstance(value, bool) and value > 0)


class Program:
    """Any program.

    Args:
        file: Its agent file, with a section ``program``.
        root: The project: ``{root}`` in the command, and what a confined program does not see.

    Raises:
        AgentFileError: There is no such section, or its command has an unknown placeholder.
    """

    def __init__(self, *, file: AgentFile, root: Path) -> None:
        if file.program is None:
            raise AgentFileError(
                f"agent {file.name!r}: strategy 'program' needs a section `program`, e.g. `program: {{command:"
                " [python3, my_agent.py]}`"
            )
        self._file = file
        self._settings = file.program
        self._root = root
        words.check(self._settings.command, model=file.model)
        self._speaks_mcp = words.needs_mcp(self._settings.command)
        self._opening = Opening.of(file, system="program", question="program")

    @property
    def info(self) -> AgentInfo:
        info = self._file.info(prompts=digests(self._opening.prompts))
        section = self._settings.model_dump(mode="json", exclude_defaults=True)
        return info.model_copy(update={"settings": {**info.settings, "program": section}})

    def prepare(self) -> None:
        """Check that the program can be confined, and spoken to by MCP if it wants that.

        Raises:
            RequirementMissing: bubblewrap or the SDK of MCP is not installed.
        """
        if self._settings.confine:
            confining.require()
        if self._speaks_mcp:
            mcp_server.require()

    def run(self, brief: Brief, ani: Ani) -> Submission:
        """Let the program work until it ends or the time is up.

        Raises:
            BudgetExhausted: The time is up. With ``submission``, if one was handed in.
            AgentError: It failed, or its output cannot be read.
        """
        desk = SubmissionMethods(brief, text=self._text(brief))
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(serve(ani, desk=desk))
            folder = server.path.parent / "program"  # removed with the socket's directory
            folder.mkdir()
            mcp = stack.enter_context(mcp_server.McpServer(server.path, folder)) if self._speaks_mcp else None
            values = self._values(brief, folder, server.path, mcp)
            try:
                ended = self._carried_out(brief, ani, values, socket=server.path, folder=folder)
            except running.OutOfTime:
                spent = BudgetExhausted("wall_s", brief.budget.wall_s or 0.0)
                spent.submission = desk.submission
                raise spent from None
            except AgentError as error:
                error.submission = desk.submission
                raise
        return self._submission(ended, desk)

    def _text(self, brief: Brief) -> str:
        task = self._opening.task_text(brief, how="as `answer` of `task_done`")
        return paragraphs(self._opening.system_text(brief), task)

    def _values(self, brief: Brief, folder: Path, socket: Path, mcp: mcp_server.McpServer | None) -> dict[str, str]:
        values = {"prompt": self._text(brief), "root": str(self._root), "folder": str(folder), "socket": str(socket)}
        if self._file.model is not None:
            values["model"] = self._file.model
        if mcp is not None:
            values |= {"mcp_url": mcp.url, "mcp_config": str(mcp.config)}
        return values

    def _carried_out(
        self, brief: Brief, ani: Ani, values: Mapping[str, str], *, socket: Path, folder: Path
    ) -> running.Ended:
        command = words.filled(self._settings.command, values)
        if shutil.which(command[0], path=os.environ.get("PATH")) is None:
            raise AgentError(f"{command[0]} cannot be started: there is no such program")
        given = {"brief": json.dumps(brief.model_dump(mode="json")), "prompt": values["prompt"], "nothing": ""}
        shown = words.named_files(self._settings.command, self._root)
        confined = confining.confined(
            command, self._settings, brief=brief, socket=socket, folder=folder, root=self._root, shown=shown
        )
        with confined as (whole, pass_fds):
            environment = confining.environment(self._settings.environment, brief, socket)
            process = running.start(whole, environment=environment, folder=folder, pass_fds=pass_fds)
            running.let_die_first(process)
            try:
                text = given[self._settings.stdin]
                return running.communicate(process, text, left=lambda: ani.budget_left()["wall_s"])
            finally:
                running.kill(process)

    def _submission(self, ended: running.Ended, desk: SubmissionMethods) -> Submission:
        handed_in = desk.submission
        try:
            printed = self._printed(ended, needed=handed_in is None)
        except AgentError as error:
            error.submission = handed_in
            raise
        if handed_in is None:
            return printed
        reasoning = handed_in.reasoning or printed.reasoning
        return printed.model_copy(update={"reasoning": reasoning, "answer": handed_in.answer})

    def _printed(self, ended: running.Ended, *, needed: bool) -> Submission:
        name = self._settings.command[0]
        if ended.status != 0:
            how = exits.in_words(ended.status, by_shell=self._settings.confine)
            words_left = ended.last_words[-500:]
            if self._settings.confine and words_left.startswith("bwrap: "):
                raise AgentError(f"{name} cannot be started in its confinement (bubblewrap): {words_left}")
            raise EndedApart(Raised(text=f"{name} ended with {how}: {words_left}", process=how))
        if not needed and not ended.output.strip():
            return Submission()
        try:
            return submission_of(ended.output, self._settings)
        except ValueError as error:
            if not needed and self._settings.output == "submission":
                return Submission()  # it handed in by task-done, and prints what it likes
            raise AgentError(f"{name} printed no {self._settings.output}: {error}") from error
