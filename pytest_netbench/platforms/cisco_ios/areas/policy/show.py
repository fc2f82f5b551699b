"""``show`` commands of routing policy."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.grammar.command import Command

COMMANDS: tuple[Command, ...] = ()
