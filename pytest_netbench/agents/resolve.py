"""Resolution of ``--agent=SPEC``: a registered agent, ``replay:DIR``, an agent file, ``module:Class``, or a model.

It imports only what the selected agent needs.
"""

from __future__ import annotations

import re
import sys
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_netbench import parts
from pytest_netbench.agents.cassettes import deck
from pytest_netbench.agents.keys import missing_key
from pytest_netbench.errors import AgentFileError, UsageError

if TYPE_CHECKING:
    from pytest_netbench.agents.agentfile import AgentFile
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.agents.replay import Replay
    from pytest_netbench.model.agentsettings import AgentSettings

_MODEL_STRATEGIES = ("react", "single-turn", "multi-turn")
_OUTSIDE = ("program", "a2a")
_CLASS = re.compile(r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$")
_FILE = re.compile(r"\.(ya?ml|json)$")
_REPLAY = "replay:"
_FILE_SUFFIXES = (".agent.yaml", ".agent.yml", ".agent.json")


def agent_id(spec: str, *, rootdir: Path) -> str:
    """The id of the agent that ``spec`` means: short, stable, fit for a node id.

    Args:
        spec: The value of ``--agent``.
        rootdir: Where ``agents/`` is looked for; ``module`` of ``module:Class`` may be in either.

    Raises:
        UsageError: It is not an agent.
        AgentFileError: The agent file is invalid or does not exist.
    """
    if _is_registered(spec):
        return spec
    if spec.startswith(_REPLAY):
        return _replay(spec).info.id
    path = _agent_file(spec, rootdir)
    if path is not None:
        from pytest_netbench.agents.agentfile import load_agent_file  # noqa: PLC0415  (imports pydantic and yaml)

        return load_agent_file(path).name
    if _CLASS.match(spec):
        return spec.replace(":", ".")
    _refuse_unless_model(spec, rootdir)
    return _model_id(spec)


def resolve_agent(spec: str, *, rootdir: Path) -> Agent | InformedAgent:
    """The agent that ``spec`` means; its ``info.id`` is ``agent_id(spec)``.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.

    Raises:
        UsageError: It is not an agent, or the class cannot be used.
        AgentFileError: The agent file is invalid or does not exist.
    """
    from pytest_netbench.agents import agentfile  # noqa: PLC0415  (imports pydantic and yaml)

    if _is_registered(spec):
        agent: Agent | InformedAgent = parts.load("agents", spec)()
        return agent
    if spec.startswith(_REPLAY):
        return _replay(spec)
    path = _agent_file(spec, rootdir)
    if path is not None:
        return _from_file(agentfile.load_agent_file(path), rootdir, path)
    if _CLASS.match(spec):
        own: Agent = _named(_instance(_class(spec, rootdir), spec, {}), spec.replace(":", "."))
        return own
    _refuse_unless_model(spec, rootdir)
    return _from_file(agentfile.AgentFile(name=_model_id(spec), model=spec), rootdir, None)


def check_agent(spec: str, *, rootdir: Path, replayed: bool = False) -> None:
    """Check, before anything is deployed, whether an agent can be used: its model, its server, or what it needs.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.
        replayed: Its model is not asked.

    A registered agent may have ``check()``, a static method that raises a ``UsageError``.

    Raises:
        UsageError: The key of its provider is missing, litellm or the SDK of A2A is not installed, no server answers,
            or a registered agent refuses.
        AgentFileError: The agent file is invalid or does not exist.
    """
    if _is_registered(spec):
        getattr(parts.load("agents", spec), "check", _nothing_to_check)()
        return
    _check_outside(spec, rootdir)
    model = model_of(spec, rootdir)
    if model is None or replayed:
        return
    if find_spec("litellm") is None:
        raise UsageError(f"--agent={spec} asks a model, which needs litellm (fix: pip install 'pytest-netbench[llm]')")
    variables = missing_key(model)
    if variables:
        others = f" (or {', '.join(variables[1:])})" if variables[1:] else ""
        raise UsageError(f"--agent={spec}: {model} needs a key. Fix: export {variables[0]}=…{others}")


def _check_outside(spec: str, rootdir: Path) -> None:
    """Check that changes can be approved, and that an agent that is an A2A server can be spoken to."""
    path = None if spec.startswith(_REPLAY) else _agent_file(spec, rootdir)
    if path is None:
        return
    from pytest_netbench.agents.agentfile import load_agent_file  # noqa: PLC0415  (imports pydantic and yaml)

    file = load_agent_file(path)
    if file.policy.approval is not None:
        from pytest_netbench.ani.approval import approver_of  # noqa: PLC0415  (imports pydantic)

        approver_of(file.policy)
    if file.strategy == "a2a":
        from pytest_netbench.agents.outside.a2a_agent import check  # noqa: PLC0415

        check(file)


def check_recordable(spec: str, *, rootdir: Path, option: str) -> None:
    """Check whether what models answer to an agent can be recorded and replayed.

    An own class is not refused, because it may ask by ``agents.llm``.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.
        option: For the message.

    Raises:
        UsageError: The agent asks no model, or not through this package.
        AgentFileError: The agent file is invalid or does not exist.
    """
    why = None
    if _is_registered(spec) or spec.startswith(_REPLAY):
        why = "asks no model"
    else:
        path = _agent_file(spec, rootdir)
        if path is not None:
            from pytest_netbench.agents.agentfile import load_agent_file  # noqa: PLC0415  (imports pydantic and yaml)

            if load_agent_file(path).strategy in _OUTSIDE:
                why = "is a program with a model client of its own"
    if why is not None:
        raise UsageError(
            f"--agent={spec} {why}, so there is nothing to record or replay: leave {option} out, or run it by itself"
        )


def _nothing_to_check() -> None:
    """Most agents need nothing."""


def preload(spec: str, *, rootdir: Path) -> None:
    """Import what the agent that ``spec`` means will need, if that takes long."""
    if not deck.replays() and model_of(spec, rootdir) is not None:
        from pytest_netbench.agents.llm import import_litellm  # noqa: PLC0415  (imports pydantic)

        import_litellm()


def model_of(spec: str, rootdir: Path) -> str | None:
    """The model that is asked by the agent that ``spec`` means; None if it is somebody's own class, or asks none."""
    if _is_registered(spec) or spec.startswith(_REPLAY):
        return None
    path = _agent_file(spec, rootdir)
    if path is not None:
        from pytest_netbench.agents.agentfile import load_agent_file  # noqa: PLC0415  (imports pydantic and yaml)

        file = load_agent_file(path)
        return file.model if file.strategy in _MODEL_STRATEGIES else None
    return None if _CLASS.match(spec) else spec


def known_agents(rootdir: Path) -> tuple[str, ...]:
    """Names that ``--agent`` takes here: registered ones that need no model, and agent files."""
    registered = {name for name in parts.names("agents") if name not in (*_MODEL_STRATEGIES, *_OUTSIDE)}
    return tuple(sorted(registered | set(_files_by_name(rootdir))))


def _replay(spec: str) -> Replay:
    from pytest_netbench.agents.replay import Replay, folder_and_agent  # noqa: PLC0415  (imports pydantic)

    return Replay(*folder_and_agent(spec))


def _is_registered(spec: str) -> bool:
    if spec in _MODEL_STRATEGIES:
        raise UsageError(
            f"--agent={spec} needs a model: write an agent file agents/<name>.agent.yaml with `strategy: {spec}` and "
            "`model: …` and give its name, or give the model itself (--agent=openai/gpt-4o means react on that model)"
        )
    return spec not in _OUTSIDE and spec in parts.names("agents")


def _agent_file(spec: str, rootdir: Path) -> Path | None:
    if not spec.strip():
        raise UsageError(f"--agent is empty (known: {', '.join(known_agents(rootdir))}; or a model, or module:Class)")
    if _FILE.search(spec):
        for path in (Path(spec), rootdir / spec, rootdir / "agents" / spec):
            if path.is_file():
                return path
        near = get_close_matches(_stem(Path(spec)), _files_by_name(rootdir), n=1, cutoff=0.7)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        known = ", ".join(_files_by_name(rootdir)) or "none"
        raise AgentFileError(f"there is no agent file {spec!r} (known names: {known}).{hint}")
    return _files_by_name(rootdir).get(spec)


def _files_by_name(rootdir: Path) -> dict[str, Path]:
    """Agent files by name; those under rootdir take precedence over those of the package."""
    package = Path(__file__).parents[1]
    folders = (rootdir / "agents", package / "corpus" / "agents", package.parent / "agents")
    found: dict[str, Path] = {}
    for folder in folders:
        for suffix in _FILE_SUFFIXES:
            for path in sorted(folder.glob(f"*{suffix}")):
                found.setdefault(_stem(path), path)
    return found


def _stem(path: Path) -> str:
    name = path.name
    for suffix in (*_FILE_SUFFIXES, ".yaml", ".yml", ".json"):
        name = name.removesuffix(suffix)
    return name


def _refuse_unless_model(spec: str, rootdir: Path) -> None:
    """Raise an error for a word close to the name of an agent: it is a typing error and not a model."""
    if re.search(r"\s", spec):
        raise UsageError(f"--agent={spec!r}: neither an agent nor a model has blanks in its name")
    if "/" in spec:
        return  # provider/model: agents have no such names
    known = known_agents(rootdir)
    near = [name for name in get_close_matches(spec, known, n=1, cutoff=0.8) if abs(len(name) - len(spec)) <= 2]
    if near:
        raise AgentFileError(
            f"unknown agent {spec!r} (known: {', '.join(known)}). Did you mean {near[0]!r}? "
            f"If a model is meant, name its provider too: --agent=openai/{spec}"
        )


def _model_id(model: str) -> str:
    return "react-" + re.sub(r"[^\w.+@-]", "-", model)


def _from_file(file: AgentFile, rootdir: Path, path: Path | None) -> Agent | InformedAgent:
    is_class = bool(_CLASS.match(file.strategy))
    try:
        kind = _class(file.strategy, rootdir) if is_class else parts.load("agents", file.strategy)
        if file.strategy in _MODEL_STRATEGIES:
            on_model: Agent = kind(file=file)
            return on_model
        if file.strategy in _OUTSIDE:
            outside: Agent = kind(file=file, root=rootdir)
            return outside
        options = file.options if file.model is None else {"model": file.model, **file.options}
        own: Agent = _named(_instance(kind, file.strategy, options), file.name, file.overrides())
    except (UsageError, AgentFileError) as error:
        if path is None or error.path is not None:
            raise
        raise AgentFileError(error.message, path=path) from error
    return own


def _class(spec: str, rootdir: Path) -> Any:
    module_name, _, class_name = spec.partition(":")
    if str(rootdir) not in sys.path:
        sys.path.insert(0, str(rootdir))  # as pytest does for a conftest.py there
    if str(rootdir / "agents") not in sys.path:
        # last, and not as a package: the OpenAI Agents SDK is called `agents`, too
        sys.path.append(str(rootdir / "agents"))
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module_name}.".startswith(f"{error.name}."):
            raise UsageError(f"{spec}: importing {module_name} failed: {error}") from error
        raise UsageError(
            f"{spec}: there is no module {error.name!r} (looked in {rootdir}, {rootdir}/agents and where Python looks)."
            f" If a model is meant, name its provider too, e.g. --agent=ollama/{spec}"
        ) from error
    except Exception as error:
        raise UsageError(f"{spec}: importing {module_name} failed: {type(error).__name__}: {error}") from error
    known = sorted(name for name, value in vars(module).items() if isinstance(value, type) and hasattr(value, "run"))
    if not hasattr(module, class_name):
        near = get_close_matches(class_name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(
            f"{spec}: {module_name} has no {class_name!r} (agents in it: {', '.join(known) or 'none'}).{hint}"
        )
    return getattr(module, class_name)


def _instance(kind: Any, spec: str, options: dict[str, Any]) -> Any:
    try:
        agent = kind(**options)
    except TypeError as error:
        given = ", ".join(options) or "no arguments"
        raise UsageError(
            f"{spec} cannot be made with {given}: {error}. Give its arguments as `options:` in an agent file"
        ) from error
    lacks = [name for name in ("run", "info") if not hasattr(agent, name)]
    if lacks and not hasattr(agent, "run_informed"):
        raise UsageError(
            f"{spec} is no agent: it has no {' and no '.join(repr(name) for name in lacks)} (see"
            " docs/reference/agents.md)"
        )
    if hasattr(agent, "run_informed") and spec != "oracle":
        raise UsageError(
            f"{spec} has 'run_informed': only 'oracle' may be given the Task; an agent that is evaluated has 'run'"
        )
    return agent


def _named(agent: Any, name: str, overrides: AgentSettings | None = None) -> Any:
    from pytest_netbench.agents.named import NamedAgent  # noqa: PLC0415  (imports pydantic)

    if overrides is None or not overrides.plain():
        overrides = agent.info.overrides
    if agent.info.id == name and overrides == agent.info.overrides:
        return agent
    return NamedAgent(agent=agent, name=name, overrides=overrides)
