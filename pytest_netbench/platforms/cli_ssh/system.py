"""What the driver has to know of an operating system that it only meets on a command line. Data."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_netbench.platforms.driver import Route


@dataclass(frozen=True, kw_only=True)
class Batches:
    """How configuration lines that take effect together are committed.

    Attributes:
        commit: The command.
        committed: What it prints if they are in force.
        discard: The command that forgets lines that are not committed.
        within: What the lines are. Nothing else is typed in configuration mode.
        begins: Commands that enter configuration mode, as a batch may begin with them.
        ends: Commands that commit or leave, as a batch may end with them.
    """

    commit: str
    committed: re.Pattern[str]
    discard: str
    within: re.Pattern[str]
    begins: re.Pattern[str]
    ends: re.Pattern[str]


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
        disable: The command that enters user mode, in which nothing can be changed; ``None`` if there is none.
        reads: What is typed with all privileges to read. All else is typed in user mode, or refused if there is none.
        writes: What is refused nonetheless.
        configure: The command that enters configuration mode.
        configuring: A prompt of configuration mode.
        top: A prompt at the top of configuration mode, outside any section.
        leave: The command that leaves configuration mode.
        batches: How lines are committed; ``None`` if each takes effect alone.
        operating: The first words of commands that are not of configuration mode.
        alone: What is not pasted with others, as it changes the mode, takes long, or may ask a question.
        refusals: What is never sent, and the message instead.
        text: What begins a text of several lines; group ``delimiter`` is what ends it, in any place of a line.
        ends: The line that ends such a text; ``None`` if it is the delimiter.
        endless: The message if such a text has no end.
        refused: What a device prints for a command that it refuses.
        above_prompt: What it prints above each prompt.
        config: The command that shows the running config.
        preamble: What is left out of it.
        version: The command that shows the version, and its pattern with one group.
        tables: Commands that show the routing tables.
        ages: What changes in them by itself.
        routing: How routes are asked for.
    """

    dialect: str
    unpaged: str
    settings: tuple[str, ...] = ()
    enable: str | None = "enable"
    disable: str | None = "disable"
    reads: re.Pattern[str]
    writes: re.Pattern[str]
    configure: str = "configure terminal"
    configuring: re.Pattern[str] = re.compile(r"\)#$")
    top: re.Pattern[str] = re.compile(r"\(config\)#$")
    leave: str = "end"
    batches: Batches | None = None
    operating: re.Pattern[str]
    alone: re.Pattern[str]
    refusals: Mapping[re.Pattern[str], str] = field(default_factory=dict)
    text: re.Pattern[str]
    ends: str | None = None
    endless: str = ""
    refused: re.Pattern[str]
    above_prompt: re.Pattern[str] | None = None
    config: str = "show running-config"
    preamble: re.Pattern[str] | None = None
    version: tuple[str, re.Pattern[str]]
    tables: Sequence[str] = ("show ip route",)
    ages: re.Pattern[str]
    routing: Routing
