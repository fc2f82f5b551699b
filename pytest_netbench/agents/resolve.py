"""Resolution of ``--agent=SPEC``: a registered agent, ``replay:DIR``, an agent file, ``module:Class``, or a model.

It imports only what the selected agent needs.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_netbench import parts
from pytest_netbench.agents.startup.classes import create, load_class
from pytest_netbench.errors import AgentCannotStart, AgentFileError, UsageError

if TYPE_CHECKING:
    from pytest_netbench.agents.agentfile import AgentFile
    from pytest_netbench.agents.protocol import Agent, InformedAgent
    from pytest_netbench.agents.replay import Replay
    from pytest_netbench.model.agentsettings import AgentSettings

MODEL_STRATEGIES = ("react", "single-turn", "multi-turn")
OUTSIDE = ("program", "a2a")
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
    if is_registered(spec):
        return spec
    if is_replay(spec):
        return _replay(spec).info.id
    path = agent_file(spec, rootdir)
    if path is not None:
        from pytest_netbench.agents.agentfile import load_agent_file  # imports pydantic and yaml

        return load_agent_file(path).name
    if is_class(spec):
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
    from pytest_netbench.agents import agentfile  # imports pydantic and yaml

    if is_registered(spec):
        agent: Agent | InformedAgent = parts.load("agents", spec)()
        return agent
    if is_replay(spec):
        return _replay(spec)
    path = agent_file(spec, rootdir)
    if path is not None:
        return _from_file(agentfile.load_agent_file(path), rootdir, path)
    if is_class(spec):
        own: Agent = _named(create(load_class(spec, rootdir), spec, {}, rootdir=rootdir), spec.replace(":", "."))
        return own
    _refuse_unless_model(spec, rootdir)
    return _from_file(agentfile.AgentFile(name=_model_id(spec), model=spec), rootdir, None)


def is_own(spec: str, *, rootdir: Path) -> bool:
    """Whether the code of the agent that ``spec`` means is a user's: a class, or a part of another distribution.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.

    Raises:
        UsageError: It is not an agent.
        AgentFileError: The agent file is invalid or does not exist.
    """
    if is_registered(spec):
        return not parts.is_ours("agents", spec)
    if is_replay(spec):
        return False
    path = agent_file(spec, rootdir)
    if path is None:
        return is_class(spec)
    from pytest_netbench.agents.agentfile import load_agent_file  # imports pydantic and yaml

    strategy = load_agent_file(path).strategy
    return is_class(strategy) or not parts.is_ours("agents", strategy)


def variables_of(spec: str, *, rootdir: Path) -> tuple[str, ...]:
    """Names of the environment variables that the file of an agent names; none of an agent without a file.

    Args:
        spec: The value of ``--agent``.
        rootdir: As for ``agent_id``.

    Raises:
        AgentFileError: The agent file is invalid or does not exist.
    """
    path = None if is_registered(spec) or is_replay(spec) else agent_file(spec, rootdir)
    if path is None:
        return ()
    from pytest_netbench.agents.agentfile import load_agent_file  # imports pydantic and yaml

    file = load_agent_file(path)
    sections = (file, file.program, file.a2a)
    return tuple(dict.fromkeys(name for one in sections if one is not None for name in one.environment))


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
    if is_registered(spec) or is_replay(spec):
        why = "asks no model"
    else:
        path = agent_file(spec, rootdir)
        if path is not None:
            from pytest_netbench.agents.agentfile import load_agent_file  # imports pydantic and yaml

            if load_agent_file(path).strategy in OUTSIDE:
                why = "is a program with a model client of its own"
    if why is not None:
        raise UsageError(
            f"--agent={spec} {why}, so there is nothing to record or replay: leave {option} out, or run it by itself"
        )


def preload(spec: str, *, rootdir: Path) -> None:
    """Import what the agent that ``spec`` means will need, if that takes long."""
    if model_of(spec, rootdir) is not None:
        from pytest_netbench.agents.llm import import_litellm  # imports pydantic

        import_litellm()


def model_of(spec: str, rootdir: Path) -> str | None:
    """The model that is asked by the agent that ``spec`` means; None if it is somebody's own class, or asks none."""
    if is_registered(spec) or is_replay(spec):
        return None
    path = agent_file(spec, rootdir)
    if path is not None:
        from pytest_netbench.agents.agentfile import load_agent_file  # imports pydantic and yaml

        file = load_agent_file(path)
        return file.model if file.strategy in MODEL_STRATEGIES else None
    return None if is_class(spec) else spec


def known_agents(rootdir: Path) -> tuple[str, ...]:
    """Names that ``--agent`` takes here: registered ones that need no model, and agent files."""
    registered = {name for name in parts.names("agents") if name not in (*MODEL_STRATEGIES, *OUTSIDE)}
    return tuple(sorted(registered | set(_files_by_name(rootdir))))


def _replay(spec: str) -> Replay:
    from pytest_netbench.agents.replay import Replay, folder_and_agent  # imports pydantic

    return Replay(*folder_and_agent(spec))


def is_replay(spec: str) -> bool:
    """Whether ``spec`` repeats the trials of a run."""
    return spec.startswith(_REPLAY)


def is_class(spec: str) -> bool:
    """Whether ``spec`` has the form of ``module:Class``."""
    return _CLASS.match(spec) is not None


def is_registered(spec: str) -> bool:
    """Whether ``spec`` is the name of a registered agent that needs no file.

    Raises:
        UsageError: It is a strategy that needs a model.
    """
    if spec in MODEL_STRATEGIES:
        raise UsageError(
            f"--agent={spec} needs a model: write an agent file agents/<name>.agent.yaml with `strategy: {spec}` and "
            "`model: …` and give its name, or give the model itself (--agent=openai/gpt-4o means react on that model)"
        )
    return spec not in OUTSIDE and spec in parts.names("agents")


def agent_file(spec: str, rootdir: Path) -> Path | None:
    """The agent file that ``spec`` means, if it means one.

    Raises:
        UsageError: ``spec`` is empty.
        AgentFileError: It names a file that does not exist.
    """
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
    try:
        kind = load_class(file.strategy, rootdir) if is_class(file.strategy) else parts.load("agents", file.strategy)
        if file.strategy in MODEL_STRATEGIES:
            on_model: Agent = kind(file=file)
            return on_model
        if file.strategy in OUTSIDE:
            outside: Agent = kind(file=file, root=rootdir)
            return outside
        made = create(kind, file.strategy, file.arguments(), rootdir=rootdir)
        own: Agent = _named(made, file.name, file.overrides())
    except AgentCannotStart as error:
        if path is None or error.path is not None:
            raise
        raise AgentCannotStart(error.reason, path=path, frames=error.frames) from error
    except (UsageError, AgentFileError) as error:
        if path is None or error.path is not None:
            raise
        raise AgentFileError(error.message, path=path) from error
    return own


def _named(agent: Any, name: str, overrides: AgentSettings | None = None) -> Any:
    from pytest_netbench.agents.named import NamedAgent  # imports pydantic

    if overrides is None or not overrides.plain():
        overrides = agent.info.overrides
    if agent.info.id == name and overrides == agent.info.overrides:
        return agent
    return NamedAgent(agent=agent, name=name, overrides=overrides)
