"""Agents that are Python classes: loaded, created and checked, with errors that name the agent's own code.

It runs in whatever process holds the agent. The process that reports a run does it in a process of its own (``probe``).
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from pytest_netbench.agents.startup.frames import definition_of, frames_of
from pytest_netbench.errors import AgentCannotStart

Note = Callable[[str], None]
_SEE: Final = "(see docs/reference/agents.md)"


def check_class(spec: str, *, rootdir: Path, options: Mapping[str, Any] | None = None, note: Note | None = None) -> Any:
    """Load and create the agent ``module:Class``, check what a trial will need of it, and return it.

    Args:
        spec: ``module:Class``.
        rootdir: Where the module is looked for, also in ``agents/`` there.
        options: Keyword arguments of the class.
        note: Is told what is done next, in words.

    Raises:
        AgentCannotStart: Something of it is wrong.
    """
    tell = note or _nothing
    module = spec.partition(":")[0]
    tell(f"importing {module}")
    kind = load_class(spec, rootdir)
    try:
        tell(f"creating {spec}")
        agent = create(kind, spec, dict(options or {}), rootdir=rootdir)
        tell(f"reading `info` of {spec}")
        _check_info(agent, spec, rootdir)
        _check_run(agent, spec)
    except AgentCannotStart as error:
        if error.frames:
            raise
        raise AgentCannotStart(error.reason, frames=definition_of(kind, rootdir=rootdir), field=error.field) from error
    return agent


def load_class(spec: str, rootdir: Path) -> Any:
    """Import ``module:Class``; the root directory and ``agents/`` in it are put on Python's path.

    Raises:
        AgentCannotStart: The module cannot be imported, or has no such class.
    """
    module_name, _, class_name = spec.partition(":")
    if str(rootdir) not in sys.path:
        sys.path.insert(0, str(rootdir))  # as pytest does for a conftest.py there
    if str(rootdir / "agents") not in sys.path:
        # last, and not as a package: the OpenAI Agents SDK is called `agents`, too
        sys.path.append(str(rootdir / "agents"))
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise AgentCannotStart(
                f"{spec}: there is no module {error.name!r} (looked in {rootdir}, {rootdir}/agents and where Python"
                f" looks). If a model is meant, name its provider too, e.g. --agent=ollama/{spec}"
            ) from error
        raise _raised(f"{spec}: importing {module_name} failed", error, spec, rootdir, _INSTALL) from error
    except (Exception, SystemExit) as error:
        raise _raised(f"{spec}: importing {module_name} failed", error, spec, rootdir) from error
    known = sorted(name for name, value in vars(module).items() if isinstance(value, type) and hasattr(value, "run"))
    found: Any = module
    for name in class_name.split("."):
        found = getattr(found, name, None)
    if found is None:
        near = get_close_matches(class_name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise AgentCannotStart(
            f"{spec}: {module_name} has no {class_name!r} (agents in it: {', '.join(known) or 'none'};"
            f" file: {getattr(module, '__file__', None) or 'none'}).{hint}"
        )
    return found


def create(kind: Any, spec: str, options: dict[str, Any], *, rootdir: Path) -> Any:
    """Create the agent, and check that it has what an agent has.

    Raises:
        AgentCannotStart: It cannot be created with these arguments, or is no agent.
    """
    if not callable(kind):
        file = getattr(sys.modules.get(spec.partition(":")[0]), "__file__", None)
        raise AgentCannotStart(f"{spec} is no class but {_a(kind)}: name the class of the agent (file: {file})")
    _check_options(kind, spec, options)
    try:
        agent = kind(**options)
    except (Exception, SystemExit) as error:
        what = f"{spec} cannot be created with {_given(options)}"
        raise _raised(what, error, spec, rootdir) from error
    if hasattr(agent, "run_informed") and spec != "oracle":
        raise AgentCannotStart(
            f"{spec} has 'run_informed': only 'oracle' may be given the Task; an agent that is evaluated has 'run'"
        )
    lacks = [name for name in ("run", "info") if not _has(agent, name)]
    if lacks and not hasattr(agent, "run_informed"):
        raise AgentCannotStart(f"{spec} is no agent: it has no {' and no '.join(repr(name) for name in lacks)} {_SEE}")
    return agent


_INSTALL: Final = ". Install what is missing, or correct the import"


def _check_options(kind: Any, spec: str, options: Mapping[str, Any]) -> None:
    """Compare the options with the parameters of the class, without calling it."""
    try:
        signature = inspect.signature(kind)
    except (TypeError, ValueError):
        return  # of a class in C: calling it tells
    try:
        signature.bind(**options)
    except TypeError as error:
        takes = [name for name, one in signature.parameters.items() if one.kind not in _ANY]
        unknown = next((name for name in options if name not in signature.parameters), None)
        near = get_close_matches(unknown, takes, n=1) if unknown else []
        hint = f" Did you mean {near[0]!r}?" if near else ""
        also = " (the file's `model` is passed as `model`)" if unknown == "model" else ""
        raise AgentCannotStart(
            f"{spec} cannot be created with {_given(options)}: {error}{also} (it takes:"
            f" {', '.join(takes) or 'nothing'}).{hint} Give its arguments as `options:` in an agent file",
            field="options",
        ) from error


_ANY: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _check_info(agent: Any, spec: str, rootdir: Path) -> None:
    from pytest_netbench.model.trial import AgentInfo  # imports pydantic

    try:
        info = agent.info
    except (Exception, SystemExit) as error:
        raise _raised(f"{spec}: reading `info` failed", error, spec, rootdir) from error
    example = "AgentInfo(id='mine', strategy='mine')"
    if inspect.isroutine(info):
        raise AgentCannotStart(f"{spec}: `info` is a method, and it must be an attribute: put @property above it")
    if not isinstance(info, AgentInfo):
        raise AgentCannotStart(f"{spec}: `info` is {_a(info)}, and it must be an AgentInfo, e.g. {example}")
    try:
        AgentInfo.model_validate({name: getattr(info, name) for name in AgentInfo.model_fields}).model_dump_json()
    except Exception as error:
        text = str(error).partition("For further information")[0].strip()
        raise AgentCannotStart(f"{spec}: `info` has invalid members, expected e.g. {example}: {text}") from error


def _check_run(agent: Any, spec: str) -> None:
    run = agent.run
    if not callable(run):
        raise AgentCannotStart(f"{spec}: `run` is {_a(run)}, and it must be a method `def run(self, brief, ani)`")
    if inspect.iscoroutinefunction(run) or inspect.isasyncgenfunction(run):
        raise AgentCannotStart(
            f"{spec}: `run` is `async def`, and it is called without an event loop: write `def run(self, brief, ani)`"
            " and call asyncio.run(…) in it"
        )
    if inspect.isgeneratorfunction(run):
        raise AgentCannotStart(f"{spec}: `run` has `yield`, so it does nothing when it is called: return a Submission")
    _check_call(run, spec, "run", "brief", "ani")
    prepare = getattr(agent, "prepare", None)
    if prepare is not None:
        if not callable(prepare):
            raise AgentCannotStart(f"{spec}: `prepare` is {_a(prepare)}, and it must be a method without arguments")
        _check_call(prepare, spec, "prepare")


def _check_call(method: Any, spec: str, name: str, *arguments: str) -> None:
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        called = f"{name}({', '.join(arguments)})"
        wanted = f"def {name}({', '.join(('self', *arguments))})"
        raise AgentCannotStart(
            f"{spec}: `{name}` takes {signature}, and it is called as {called}: {error}. Write `{wanted}`"
        ) from error


def _raised(what: str, error: BaseException, spec: str, rootdir: Path, remedy: str = "") -> AgentCannotStart:
    """The refusal of an agent whose own code raised ``error``."""
    if isinstance(error, AgentCannotStart):
        return error
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = frames_of(error, module=spec.partition(":")[0], rootdir=rootdir)
    return AgentCannotStart(f"{what}: {text}{remedy}", frames=frames)


def _has(agent: Any, name: str) -> bool:
    """Whether the agent has the attribute; one that raises when it is read is there."""
    try:
        inspect.getattr_static(agent, name)
    except AttributeError:
        return hasattr(agent, name)
    return True


def _given(options: Mapping[str, Any]) -> str:
    return ", ".join(options) or "no arguments"


def _a(value: object) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"


def _nothing(_: str) -> None:
    """Nobody is told."""
