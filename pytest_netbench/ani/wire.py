"""Parameters and results of each ANI method, as models.

Field names are the wire names of draft-cui-nmrg-llm-benchmark §4.2. Requests are validated by these models, and every
JSON Schema that an agent is shown is theirs (``ani.schema``).
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict
from pydantic_core import PydanticCustomError

from pytest_netbench.model.topology import Control

MAX_COMMANDS_PER_CALL = 500
MAX_LINE_BYTES = 8192
MAX_REQUEST_CHARACTERS = 262_144
MAX_WAIT_S = 3600.0
MAX_REASONING = MAX_REQUEST_CHARACTERS

# on a terminal a control character is an editing key (^O enters the line), so it never reaches a device
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_CONTROL_OR_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")


def control_character(character: str) -> PydanticCustomError:
    """The objection to a character that may not stand in a line."""
    return PydanticCustomError(
        "control_character",
        "contains the control character {character}; give one line of plain text",
        {"character": repr(character)},
    )


def _short_lines(text: str) -> str:
    size = max(len(line.encode(errors="replace")) for line in text.split("\n"))
    if size > MAX_LINE_BYTES:
        raise PydanticCustomError(
            "line_too_long",
            "is {size} bytes long; at most {limit} in a line",
            {"size": size, "limit": MAX_LINE_BYTES},
        )
    return text


def _without(forbidden: re.Pattern[str]) -> AfterValidator:
    def check(text: str) -> str:
        found = forbidden.search(text.rstrip("\r\n"))
        if found is not None:
            raise control_character(found[0])
        return text

    return AfterValidator(check)


def _not_too_much(texts: tuple[str, ...]) -> tuple[str, ...]:
    size = sum(len(text) for text in texts)
    if size > MAX_REQUEST_CHARACTERS:
        raise PydanticCustomError(
            "request_too_large",
            "has {size} characters; at most {limit} in one request",
            {"size": size, "limit": MAX_REQUEST_CHARACTERS},
        )
    return texts


Line = Annotated[str, Strict(), AfterValidator(_short_lines), _without(_CONTROL_OR_BREAK)]
"""One line of plain text."""
Command = Annotated[str, Strict(), AfterValidator(_short_lines), _without(_CONTROL)]
"""A configuration command: a here-document spans lines, and tabs are kept."""
Device = Annotated[Line, Field(description="device name as get-topology spells it")]


class Wire(BaseModel):
    """Parameters or a result; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def plain(self) -> dict[str, Any]:
        """The JSON object on the wire; what is ``None`` is left out."""
        return self.model_dump(mode="json", exclude_none=True)


class NoParams(Wire):
    """No parameters."""


class WaitParams(Wire):
    """Parameters of ``wait``."""

    seconds: float = Field(gt=0, le=MAX_WAIT_S, description="seconds of the network's time")


class WaitResult(Wire):
    """Result of ``wait``."""

    passed_s: float = Field(description="seconds of the network's time that passed")


class GetTopologyParams(Wire):
    """Parameters of ``get-topology``."""

    devices: Annotated[tuple[Command, ...], AfterValidator(_not_too_much)] = Field(
        (), description="device names; empty or left out means all"
    )
    page: int | None = Field(
        None, ge=1, description="only this page of 200 links; the first is 1, and has all device names"
    )


class TopologyView(Wire):
    """Nodes, links and who may configure what, as agents see them."""

    nodes: tuple[str, ...] = Field(description="device names")
    links: tuple[str, ...] = Field(description="one text per link, e.g. R1 eth0 <-> R2 eth0")
    control: dict[str, Control] | None = Field(
        None,
        description="by device name, unless all are managed. managed: configure it; observed: read it and send packets"
        " from it, do not change it; foreign: not accessible",
    )
    services: dict[str, tuple[str, ...]] | None = Field(
        None,
        description="by device name, if there are any: the servers that run there: dns, web, dhcp, lb, vpn or rpki",
    )


class GetTopologyResult(Wire):
    """Result of ``get-topology``."""

    topology: TopologyView
    pages: int | None = Field(None, description="how many pages there are, if one was asked for")


class GetRunningCfgParams(Wire):
    """Parameters of ``get-running-cfg``."""

    device: Device
    section: Line | None = Field(
        None, description="only the lines that begin with these words, each with what is indented below it"
    )
    page: int | None = Field(None, ge=1, description="only this page of 200 lines; the first is 1")


class GetRunningCfgResult(Wire):
    """Result of ``get-running-cfg``."""

    running_config: str = Field(description="the configuration as the device prints it")
    pages: int | None = Field(None, description="how many pages there are, if one was asked for")


class UpdateCfgParams(Wire):
    """Parameters of ``update-cfg``."""

    device: Device
    commands: Annotated[tuple[Command, ...], AfterValidator(_not_too_much)] = Field(
        max_length=MAX_COMMANDS_PER_CALL, description="configuration commands, one line each"
    )


class CommandResult(Wire):
    """What the device said of one command."""

    command: str
    status: Literal["success", "error"]
    message: str | None = Field(
        None, description="the device's own message: why it refused the command, or what it printed"
    )


class UpdateCfgResult(Wire):
    """Result of ``update-cfg``: one entry per command, in order."""

    results: tuple[CommandResult, ...]


class ExecuteCmdParams(Wire):
    """Parameters of ``execute-cmd``."""

    device: Device
    command: Line = Field(description="one line")


class ExecuteCmdResult(Wire):
    """Result of ``execute-cmd``."""

    output: str = Field(description="what the device prints")


class Section(Wire):
    """One section of a command reference."""

    platform: str
    title: str
    text: str


class BudgetLeftResult(Wire):
    """Result of ``budget-left``: what is left of each limit; ``null`` is unlimited."""

    calls: int | None
    commands: int | None
    wall_s: float | None
    tokens: int | None
    lab_s: float | None


class GetBriefResult(Wire):
    """Result of ``get-brief``."""

    brief: dict[str, Any] = Field(description="the task as data, see docs/reference/agents.md")
    text: str = Field(description="the task in words")


class TaskDoneParams(Wire):
    """Parameters of ``task-done``."""

    reasoning: str | None = Field(None, description="what was configured and why", max_length=MAX_REASONING)
    answer: dict[str, Any] | None = Field(None, description="the answer, if the task asks for one: see get-brief")


class TaskDoneResult(Wire):
    """Result of ``task-done``."""

    ok: bool
    note: str | None = Field(None, description="what to call differently next time; left out if there is nothing")
