"""The running switch in IOS's terms: the config's ports with the state of the service."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.areas.switching.compile import state_of
from pytest_netbench.platforms.cisco_ios.areas.switching.state import SERVICE, SwitchPort, SwitchState
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.device.exec import Exec
from pytest_netbench.platforms.cisco_ios.services import runner

FORWARDING = 2


@dataclass(frozen=True)
class Port:
    """A switchport with its configuration and state. ``live`` is the service's state, empty if it has no such port."""

    interface: Interface
    config: SwitchPort
    live: Mapping[str, Any]

    @property
    def short(self) -> str:
        """``Gi0/1``."""
        return self.interface.parsed.short

    @property
    def trunk(self) -> bool:
        """Whether it is a trunk now, by configuration or negotiation."""
        return bool(self.live.get("trunk", self.config.trunk))

    @property
    def up(self) -> bool:
        """Whether its link is up."""
        return bool(self.live.get("up")) and not self.disabled

    @property
    def disabled(self) -> str:
        """The error that disabled it, or ""."""
        return str(self.live.get("disabled", ""))

    def forwards(self, vlan: int) -> bool:
        """Whether it forwards frames of a VLAN."""
        return self.up and self.live.get("states", {}).get(str(vlan)) == FORWARDING


class View:
    """A snapshot of a switch."""

    def __init__(self, at: Exec) -> None:
        self._at = at
        self.context: Context = at.device.context()
        self.state: SwitchState = state_of(self.context)

    @cached_property
    def live(self) -> Mapping[str, Any]:
        """The state of the service."""
        if SERVICE not in self._at.device.applied.services:
            return {"ports": {}, "trees": {}}
        return runner.state(self._at.node, SERVICE)

    @cached_property
    def ports(self) -> list[Port]:
        """The switchports, ordered by name."""
        by_kernel = {one.kernel: one for one in self.context.interfaces}
        found = [Port(by_kernel[port.name], port, self.live["ports"].get(port.name, {})) for port in self.state.ports]
        return sorted(found, key=lambda port: port.interface.parsed.sort_key)

    def security(self, port: Port) -> Mapping[str, Any]:
        """Return the port security state of a port."""
        nothing = {"addresses": [], "violations": 0, "last": ("00:00:00:00:00:00", 0)}
        found: Mapping[str, Any] = self.live.get("security", {}).get(port.config.name, nothing)
        return found

    def addresses(self) -> list[dict[str, Any]]:
        """The address table, without the switch's own addresses."""
        if SERVICE not in self._at.device.applied.services:
            return []
        table = json.loads(runner.command(self._at.node, SERVICE, "addresses"))
        known = {port.config.name for port in self.ports}
        return [entry for entry in table if entry["port"] in known]

    def command(self, words: str) -> str:
        """Run a command of the service, if it runs."""
        return runner.command(self._at.node, SERVICE, words) if SERVICE in self._at.device.applied.services else ""


def short_name(kernel: str) -> str:
    """Return ``Gi0/1`` for ``gi0-1``."""
    name = interfaces.from_kernel(kernel)
    return interfaces.parse(name).short if name else kernel


def full_name(kernel: str) -> str:
    """Return ``GigabitEthernet0/1`` for ``gi0-1``."""
    return interfaces.from_kernel(kernel) or kernel


def wrapped(words: list[str], width: int) -> list[str]:
    """Join words by commas in lines of at most ``width`` characters; one empty line for none."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 2 + len(word) <= width:
            lines[-1] += f", {word}"
        else:
            lines.append(word)
    return lines or [""]
