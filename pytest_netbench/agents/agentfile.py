"""The agent file, which describes an agent: a frozen model, and errors with the line number."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field, ValidationError, model_validator

from pytest_netbench.agents.keys import KEY_NAME, KEY_VALUE
from pytest_netbench.agents.outside_settings import A2aSettings, ProgramSettings
from pytest_netbench.agents.retry import Retries
from pytest_netbench.agents.settings import ModelSettings, Price
from pytest_netbench.documents import reading
from pytest_netbench.documents.durations import Words, spelling, with_seconds
from pytest_netbench.documents.explaining import first_problem
from pytest_netbench.documents.problems import SyntaxProblem
from pytest_netbench.documents.tree import Tree
from pytest_netbench.errors import AgentFileError
from pytest_netbench.model.agentsettings import AgentSettings
from pytest_netbench.model.extra_methods import GET_REACHABILITY
from pytest_netbench.model.trial import AgentInfo

SUFFIXES = (".agent.yaml", ".agent.yml", ".agent.json")
DURATIONS: Final[Words] = {
    ("budget", "wall"): "wall_s",
    ("budget", "lab"): "lab_s",
    ("settings", "timeout"): "timeout_s",
    ("retries", "first_wait"): "first_wait_s",
    ("retries", "longest_wait"): "longest_wait_s",
    ("policy", "approval_timeout"): "approval_timeout_s",
}
_PATHS = ("prompt", "instructions")


class AgentFile(AgentSettings):
    """Who is evaluated.

    It never contains API keys: litellm takes them from the environment.
    """

    name: str = Field(
        pattern=r"^[A-Za-z0-9][\w.+@-]*$", description="id in node ids and reports; default: the file's name"
    )
    model: str | None = Field(None, description="litellm's name of the model, e.g. openai/gpt-4o", min_length=1)
    strategy: str = Field(
        "react", description="react, single-turn, multi-turn, program, a2a, another registered agent, or module:Class"
    )
    settings: ModelSettings = ModelSettings()
    retries: Retries = Retries()
    price: Price | None = Field(None, description="if litellm has no price of the model, or another one holds")
    prompt: Path | None = Field(
        None, description="file that replaces the strategy's system prompt, relative to this file"
    )
    instructions: Path | None = Field(
        None, description="file with text that is added to the system prompt, relative to this file"
    )
    examples: dict[str, Path] = Field(
        {},
        description="by family, or by family/platform: file with worked examples that are shown before the task,"
        " relative to this file",
    )
    report_reachability: bool = Field(
        False, description="tell the model who reaches whom, at the start and after each turn with a change"
    )
    parallel_tool_calls: bool | None = Field(
        None, description="let the model make several tool calls at once; not sent if absent"
    )
    program: ProgramSettings | None = Field(None, description="which program it is, for strategy program")
    a2a: A2aSettings | None = Field(None, description="which A2A server it is, for strategy a2a")
    options: dict[str, Any] = Field({}, description="keyword arguments of a module:Class")
    environment: tuple[str, ...] = Field(
        (), description="variables that go with it to other machines (`--netbench-ray`), e.g. OPENAI_API_KEY"
    )

    @model_validator(mode="before")
    @classmethod
    def _reports_need_their_method(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("report_reachability") is not True:
            return data
        extras = data.get("extras") or ()
        if not isinstance(extras, list | tuple) or GET_REACHABILITY in extras:
            return data
        return {**data, "extras": [*extras, GET_REACHABILITY]}

    @model_validator(mode="after")
    def _section_fits_strategy(self) -> AgentFile:
        for section in ("program", "a2a"):
            if getattr(self, section) is not None and self.strategy != section:
                raise ValueError(f"the section `{section}` is for `strategy: {section}`, not for {self.strategy!r}")
        return self

    def needed_model(self) -> str:
        """The model, for a strategy that needs one.

        Raises:
            AgentFileError: There is none.
        """
        if self.model is None:
            raise AgentFileError(
                f"agent {self.name!r}: strategy {self.strategy!r} needs a model, e.g. `model: openai/gpt-4o`"
            )
        return self.model

    def info(self, *, prompts: Mapping[str, str] | None = None) -> AgentInfo:
        """The description of this agent in results.

        Args:
            prompts: Digest by prompt name.
        """
        settings: dict[str, Any] = self.settings.model_dump(mode="json", exclude_defaults=True)
        if self.parallel_tool_calls is not None:
            settings["parallel_tool_calls"] = self.parallel_tool_calls
        if self.report_reachability:
            settings["report_reachability"] = True
        if self.options:
            settings["options"] = self.options
        settings |= self.plain()
        if prompts:
            settings["prompts"] = dict(prompts)
        return AgentInfo(
            id=self.name, model=self.model, strategy=self.strategy, settings=settings, overrides=self.overrides()
        )

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of a ``module:Class``: the options, and the model if there is one."""
        return self.options if self.model is None else {"model": self.model, **self.options}

    def overrides(self) -> AgentSettings:
        """The file's settings for the terms of a trial."""
        return AgentSettings(**{name: getattr(self, name) for name in AgentSettings.model_fields})


def stem(path: Path) -> str:
    """The name of an agent by its file's name."""
    for suffix in SUFFIXES:
        if path.name.endswith(suffix):
            return path.name.removesuffix(suffix)
    return path.stem


def load_agent_file(path: Path) -> AgentFile:
    """Read and check an agent file.

    Raises:
        AgentFileError: What is wrong, where, and the probable correction.
    """
    tree = reading.read(path, error=AgentFileError, example="model: openai/gpt-4o")
    _refuse_keys(tree, path)
    try:
        with_seconds(tree, DURATIONS, path=path)
    except SyntaxProblem as problem:
        raise AgentFileError(problem.message, path=path, line=problem.line) from None
    data = tree.plain()
    data.setdefault("name", stem(path))
    try:
        file = AgentFile.model_validate(data)
    except ValidationError as error:
        message, line = first_problem(error, tree, AgentFile, spelling=spelling(DURATIONS))
        raise AgentFileError(message, path=path, line=line) from None
    return _with_paths(file, path.parent)


def _with_paths(file: AgentFile, folder: Path) -> AgentFile:
    """The file with its paths relative to ``folder``."""
    given: dict[str, Any] = {name: folder / where for name in _PATHS if (where := getattr(file, name)) is not None}
    command, space, rest = (file.policy.approval or "").partition(" ")
    if "/" in command:
        given["policy"] = file.policy.model_copy(update={"approval": f"{folder / command}{space}{rest}"})
    return file.model_copy(
        update={**given, "examples": {family: folder / where for family, where in file.examples.items()}}
    )


def _refuse_keys(tree: Tree, path: Path) -> None:
    """Refuse keys: the file is committed, copied into results and shown in reports."""
    for where, scalar in tree.scalars():
        value = scalar.value
        field = next((part for part in where if isinstance(part, str) and KEY_NAME.search(part)), None)
        if field is None and isinstance(value, str) and KEY_VALUE.search(value):
            field = str(where[-1])
        if field is not None:
            raise AgentFileError(
                f"{field!r} looks like a key, and keys do not belong in an agent file. Remove it (and revoke it, if it"
                " was published); the key is read from the environment, e.g. export OPENAI_API_KEY=…",
                path=path,
                line=tree.line_of(where),
            )
