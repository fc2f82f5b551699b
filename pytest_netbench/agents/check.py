"""Checks, before anything is deployed, whether the agent that ``--agent=SPEC`` means can start."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_netbench import parts
from pytest_netbench.agents import resolve
from pytest_netbench.agents.startup.classes import create
from pytest_netbench.agents.startup.models import check_model
from pytest_netbench.agents.startup.probe import probe_class
from pytest_netbench.agents.startup.programs import check_command
from pytest_netbench.errors import AgentCannotStart, AgentFileError, UsageError

if TYPE_CHECKING:
    from pytest_netbench.agents.agentfile import AgentFile


def check_agent(spec: str, *, rootdir: Path, replayed: bool = False) -> None:
    """Check whether an agent can start: its class, its options, its program, its server, and its model.

    A registered agent may have ``check()``, a static method that raises a ``UsageError``.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.
        replayed: Its model is not asked.

    Raises:
        AgentCannotStart: It cannot, for a reason of its own.
        AgentFileError: The agent file is invalid or does not exist.
        UsageError: The machine lacks something: litellm, the SDK of A2A, an A2A server that answers.
    """
    if resolve.is_replay(spec):
        return
    registered = resolve.is_registered(spec)
    path = None if registered else resolve.agent_file(spec, rootdir)
    name = resolve.agent_id(spec, rootdir=rootdir)
    try:
        if registered:
            _check_registered(spec, rootdir, options={})
        elif path is None and resolve.is_class(spec):
            probe_class(spec, rootdir=rootdir)
        else:
            _check_file(_file_of(path, name, spec), spec, rootdir, replayed=replayed)
    except AgentCannotStart as error:
        raise _named(error, name, path) from error
    except AgentFileError as error:
        if path is None or error.path == path:
            raise
        raise _named(AgentCannotStart(str(error)), name, path) from error


def _named(error: AgentCannotStart, name: str, path: Path | None) -> AgentCannotStart:
    """The refusal with the agent's name, its file, and the line of what is wrong there."""
    return AgentCannotStart(
        f"agent {name} cannot start: {error.reason}",
        path=path,
        line=None if path is None else _line_of(error.field, path),
        frames=error.frames,
        printed=error.printed,
        field=error.field,
    )


def _file_of(path: Path | None, name: str, spec: str) -> AgentFile:
    """The agent file, or what a model alone stands for."""
    from pytest_netbench.agents.agentfile import AgentFile, load_agent_file  # imports pydantic, yaml

    return AgentFile(name=name, model=spec) if path is None else load_agent_file(path)


def _check_file(file: AgentFile, spec: str, rootdir: Path, *, replayed: bool) -> None:
    if file.policy.approval is not None:
        from pytest_netbench.ani.approval import approver_of  # imports pydantic

        approver_of(file.policy)
    if resolve.is_class(file.strategy):
        probe_class(file.strategy, rootdir=rootdir, options=file.arguments())
        return
    if file.strategy not in (*resolve.MODEL_STRATEGIES, *resolve.OUTSIDE):
        _check_registered(file.strategy, rootdir, options=file.arguments())
        return
    if file.options:
        raise AgentCannotStart(
            f"`options` are the arguments of a module:Class, and strategy {file.strategy!r} takes none:"
            f" {', '.join(file.options)}. What is sent to a model stands in `settings`",
            field="options",
        )
    if file.strategy in resolve.MODEL_STRATEGIES and not replayed:
        known = resolve.known_agents(rootdir)
        check_model(file.needed_model(), spec=spec, known=known, request=file.settings.request())
    if not replayed or file.strategy in resolve.OUTSIDE or find_spec("litellm") is not None:
        _ = resolve.resolve_agent(spec, rootdir=rootdir).info  # its prompts and placeholders
    if file.program is not None:
        check_command(file.program.command, file.program, field="program.command", root=rootdir)
    if file.a2a is not None:
        from pytest_netbench.agents.external.a2a_agent import check  # imports pydantic

        if file.a2a.command:
            check_command(file.a2a.command, file.a2a, field="a2a.command", root=rootdir)
        check(file)


def _check_registered(name: str, rootdir: Path, *, options: dict[str, Any]) -> None:
    """Check an agent of an entry point; that of another distribution is tried in a process of its own first."""
    place = parts.place("agents", name)
    if not place:
        try:
            parts.load("agents", name)
        except UsageError as error:  # it has the known ones
            raise AgentCannotStart(str(error)) from error
    if not place.startswith("pytest_netbench."):
        probe_class(place, rootdir=rootdir, options=options)
    kind = parts.load("agents", name)
    getattr(kind, "check", _nothing_to_check)()
    create(kind, name, options, rootdir=rootdir)


def _line_of(field: str, path: Path) -> int | None:
    """The line of a field in an agent file, or that of the strategy."""
    from pytest_netbench.documents import reading  # imports yaml

    tree = reading.read(path, error=AgentFileError, example="model: openai/gpt-4o")
    for where in (field.split("."), ["strategy"]):
        if where[0] in tree.value:
            return tree.line_of(tuple(where))
    return None


def _nothing_to_check() -> None:
    """Most agents need nothing."""
