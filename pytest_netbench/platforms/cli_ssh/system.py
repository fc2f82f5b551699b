"""What the driver has to know of an operating system that it only meets on a command line. Data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_netbench.platforms.driver import Route


@dataclass(frozen=True, kw_only=True)
class Routing:
    """How the route to one prefix is asked for: the command, and the routes in what it printed."""

    request: Callable[[str], str]
    parse: Callable[[str, str], list[Route]]


@dataclass(frozen=True, kw_only=True)
class System:
    """One operating system of network devices. Its prompts end with ``>`` or ``#``.

    Attributes:
        dialect: The name of its dialect.
        unpaged: The command that turns paging off; the first that is typed.
        settings: Further commands at the beginning of a session.
        enable: The command that enters privileged mode; ``None`` if there is one mode of operation.
        reads: What is typed in privileged mode to read; all else is typed in user mode.
        writes: What is refused there nonetheless.
        configure: The command that enters configuration mode.
        configuring: A prompt of configuration mode.
        top: A prompt at the top of configuration mode, outside any section.
        leave: The command that leaves configuration mode.
        operating: The first words of commands that are not of configuration mode.
        alone: What is not pasted with others, as it changes the mode, takes long, or may ask a question.
        refusals: What is never sent, and the message instead.
        text: What begins a text of several lines; group ``delimiter`` is what ends it, in any place of a line.
        ends: The line that ends such a text; ``None`` if it is the delimiter.
        endless: The message if such a text has no end.
        refused: What a device prints for a command that it refuses.
        config: The command that shows the running config.
        version: The command that shows the version, and its pattern with one group.
        tables: Commands that show the routing tables.
        ages: What changes in them by itself.
        routing: How routes are asked for.
    """

    dialect: str
    unpaged: str
    settings: tuple[str, ...] = ()
    enable: str | None = "enable"
    reads: re.Pattern[str]
    writes: re.Pattern[str]
    configure: str = "configure terminal"
    configuring: re.Pattern[str] = re.compile(r"\)#$")
    top: re.Pattern[str] = re.compile(r"\(config\)#$")
    leave: str = "end"
    operating: re.Pattern[str]
    alone: re.Pattern[str]
    refusals: Mapping[re.Pattern[str], str] = field(default_factory=dict)
    text: re.Pattern[str]
    ends: str | None = None
    endless: str = ""
    refused: re.Pattern[str]
    config: str = "show running-config"
    version: tuple[str, re.Pattern[str]]
    tables: Sequence[str] = ("show ip route",)
    ages: re.Pattern[str]
    routing: Routing
