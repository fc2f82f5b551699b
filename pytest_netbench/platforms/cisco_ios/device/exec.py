"""The context of an exec command: the device, the session in which it was typed, and its limits."""

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
    """Raised in a running command when the user interrupts it."""


@dataclass(frozen=True)
class Ask:
    """A question from a running command to the user at the terminal.

    It is yielded among pieces of output, and the answer line is sent back. Without a user, the answer is "",
    which selects the default.
    """

    prompt: str
    secret: bool = False


Pieces = Generator[str | Ask, str, None]
"""Output and questions of a running command; answers are sent back."""


class CommandLine(Protocol):
    """The session in which a command was typed, as commands see it."""

    privileged: bool
    terminal_length: int
    terminal_width: int
    enable_secret: str | None
    closed: bool

    def stream(self, line: str) -> Pieces:
        """Type one line; yield the device's output in pieces, and its questions."""
        ...


@dataclass(frozen=True, kw_only=True)
class Exec:
    """The context of an exec command. The device has applied its config before.

    Args:
        device: The device.
        session: The session in which it was typed.
        limits: The limits of its run time.
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
        """Return an FRR daemon's answer to a command; "" if the daemon does not run."""
        if daemon not in processes.running(self.node):
            return ""
        return self.node.vty([(daemon, command)])[0][0]

    def ask_json(self, daemon: str, command: str) -> Any:
        """Return the answer as JSON; ``{}`` if it is not JSON."""
        text = self.ask(daemon, command)
        start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
        try:
            return json.loads(text[start:]) if start >= 0 else {}
        except json.JSONDecodeError:  # a refusal that contains a bracket
            return {}

    def run_in_vrf(self, vrf: str, argv: Sequence[str], *, timeout_s: float = 30.0) -> Completed:
        """Run a program of the machine in a VRF's network; "" is the global one."""
        prefix = self.device.vrf_prefix(vrf) if vrf else ()
        return self.node.run([*prefix, *argv], timeout_s=timeout_s)

    def ip_json(self, *words: str) -> list[Mapping[str, Any]]:
        """Return the output of ``ip -j WORDS`` in all VRFs."""
        found: list[Mapping[str, Any]] = []
        for name in in_vrf.names(self.node):
            done = in_vrf.inside(self.node, name).run(["ip", "-j", *words])
            found += json.loads(done.stdout or "[]")
        return found


def execute(at: Exec, match: Match) -> Any:
    """Run an exec command on a device that has applied its config; return its output, whole or in pieces."""
    at.device.commit()
    assert match.command.run is not None
    return match.command.run(at, match)
