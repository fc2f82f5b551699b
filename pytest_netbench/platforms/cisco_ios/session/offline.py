"""Reading of a configuration by a device that does not run: what it refuses while it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, cast

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.capabilities import CLOCK, HostedNode
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.grammar.grammar import Grammar
from pytest_netbench.platforms.cisco_ios.session import startup
from pytest_netbench.platforms.driver import PlannedNode


class NotRunning(Exception):
    """A command asks the network, and there is none."""


@dataclass
class _Node:
    """A node that has a name and ports, and nothing behind them."""

    name: str
    role: str | None
    interfaces: tuple[str, ...]
    line_rates: dict[str, int] = field(default_factory=dict)
    time_scale: float = 1.0
    memory: dict[str, Any] = field(default_factory=dict)

    def capability(self, one: Capability[Any]) -> NoReturn:
        """None: its time is that of the wall, and all else needs a network."""
        if one is CLOCK:
            raise RequirementMissing("a clock of the lab")
        raise NotRunning(one.name)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotRunning(name)


class OfflineDevice(Device):
    """A device that parses and stores lines, and applies nothing.

    Args:
        node: What the topology says of it.
        grammar: The grammar.
        startup_config: What it boots with; refused lines are in ``refused_startup_lines``.
    """

    def __init__(self, node: PlannedNode, grammar: Grammar, startup_config: str) -> None:
        named = _Node(node.name, node.role, node.interfaces)
        super().__init__(cast("HostedNode", named), grammar)
        self.startup_config = startup_config
        startup.load(self)

    def commit(self) -> None:
        """Do nothing."""


def accepted(device: str, commands: Sequence[str]) -> tuple[CommandStatus, ...]:
    """The statuses of commands of which nothing can be said without a network."""
    return tuple(CommandStatus(device=device, command=command, status="success") for command in commands)
