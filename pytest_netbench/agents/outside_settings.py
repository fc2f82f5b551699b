"""The sections ``program`` and ``a2a`` of an agent file: which program is the agent, and how it is spoken to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from pytest_netbench.model.base import Model

Placed = Annotated[str, Field(pattern=r"^[^.]+(\.[^.]+)*$")]


class OutputFields(Model):
    """Where a program's output has what is wanted: names of members, with dots between levels."""

    reasoning: Placed | None = Field(None, description="its final text")
    prompt_tokens: tuple[Placed, ...] = Field((), description="numbers that are added up")
    completion_tokens: tuple[Placed, ...] = Field((), description="numbers that are added up")
    cost_usd: Placed | None = None


class Confinement(Model):
    """What a program that is started gets and sees."""

    environment: tuple[str, ...] = Field((), description="further variables that it gets, e.g. ANTHROPIC_API_KEY")
    confine: bool = Field(
        True, description="hide the project, results, the corpus and other processes from it; needs bubblewrap"
    )
    show: tuple[Path, ...] = Field((), description="what a confined program may read of the project, e.g. .venv")
    hide: tuple[Path, ...] = Field((), description="what it may not see besides the project, e.g. ~/baselines")


class ProgramSettings(Confinement):
    """The section ``program`` of an agent file."""

    command: tuple[str, ...] = Field(
        min_length=1,
        description="the program and its arguments; {prompt}, {model}, {root}, {folder}, {socket}, {mcp_url} and"
        " {mcp_config} are replaced",
    )
    stdin: Literal["brief", "prompt", "nothing"] = Field(
        "brief", description="what it reads: the brief as JSON, the brief in words, or nothing"
    )
    output: Literal["submission", "text", "json", "json-lines"] = Field(
        "submission",
        description="what it prints: a submission as JSON, its final text, one JSON object, or one on each line",
    )
    fields: OutputFields = Field(OutputFields(), description="for json and json-lines: where the output has what")


class A2aSettings(Confinement):
    """The section ``a2a`` of an agent file."""

    url: str | None = Field(
        None, pattern=r"^https?://[^/\s@]+(/\S*)?$", description="of a server that runs already: where its card is"
    )
    command: tuple[str, ...] = Field(
        (),
        description="what starts the server for each trial, on loopback; {port}, {model}, {root}, {folder} and"
        " {socket} are replaced",
    )
    work: Literal["tools", "turns"] = Field(
        "tools",
        description="tools: it works over MCP or JSON-RPC by itself; turns: it answers with commands, as multi-turn",
    )

    @model_validator(mode="after")
    def _one_server(self) -> A2aSettings:
        if (self.url is None) == (not self.command):
            raise ValueError("`a2a` has either `url` or `command`")
        if self.command and not any("{port}" in word for word in self.command):
            raise ValueError("`a2a.command` must say on which port the server listens: {port} is missing")
        return self
