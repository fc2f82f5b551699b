"""What a command of exec mode may use: the device, the session that it was typed in, and its limits."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.apply import vrf as in_vrf
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.device import Device
from pytest_netbench.platforms.cisco_ios.grammar.command import Match
from pytest_netbench.platforms.frr import processes


class Interrupted(Exception):
    """Thrown into a running command: whoever is at the terminal wants no more of it."""


@dataclass(frozen=True)
class Ask:
    """A question that a running command puts to the person at the terminal.

    Yielded among pieces of output; the answer line is sent back. Where nobody can be asked, the answer is "", which takes the default.
    """

    prompt: str
    secret: bool = False


Pieces = Generator[str | Ask, str, None]
"""Output and questions of a running command; the answers are sent back."""


class CommandLine(Protocol):
    """The session that a command was typed in, as far as commands know it."""

    privileged: bool
    terminal_length: int
    terminal_width: int
    enable_secret: str | None
    closed: bool

    def stream(self, line: str) -> Pieces:
        """Type one line; what the device prints, piece by piece, and the questions it asks."""
        ...


@dataclass(frozen=True, kw_only=True)
class Exec:
    """What an exec command may use. The device has applied its config before.

    Args:
        device: The device.
        session: Where it was typed.
        limits: How long it may take.
    """

    device: Device
    session: CommandLine
    limits: SandboxLimits

    @property
    def node(self) -> HostedNode:
        """The node."""
        return self.device.node

    @property
    def config(self) -> Section:
        """The running config."""
        return self.device.config

    def ask(self, daemon: str, command: str) -> str:
        """What an FRR daemon answers; "" if it does not run."""
        if daemon not in processes.running(self.node):
            return ""
        return self.node.vty([(daemon, command)])[0][0]

    def ask_json(self, daemon: str, command: str) -> Any:
        """The same, read as JSON; ``{}`` where it answers anything else."""
        text = self.ask(daemon, command)
        start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
        try:
            return json.loads(text[start:]) if start >= 0 else {}
        except json.JSONDecodeError:  # words of refusal with a bracket in them
            return {}

    def run_in_vrf(self, vrf: str, argv: Sequence[str], *, timeout_s: float = 30.0) -> Completed:
        """Run a program of the machine in a VRF's network; "" is the global one."""
        prefix = self.device.vrf_prefix(vrf) if vrf else ()
        return self.node.run([*prefix, *argv], timeout_s=timeout_s)

    def ip_json(self, *words: str) -> list[Mapping[str, Any]]:
        """What ``ip -j WORDS`` prints, in all VRFs."""
        found: list[Mapping[str, Any]] = []
        for name in in_vrf.names(self.node):
            done = in_vrf.inside(self.node, name).run(["ip", "-j", *words])
            found += json.loads(done.stdout or "[]")
        return found


def execute(at: Exec, match: Match) -> Any:
    """Run an exec command on a device that has applied its config; its output, whole or in pieces."""
    at.device.commit()
    assert match.command.run is not None
    return match.command.run(at, match)
