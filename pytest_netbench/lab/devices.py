"""The nodes of a running lab together with the platforms that speak to them.

Owns the one rule of which platform a node has, and what becomes of an exception that a platform did not mean to raise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from pytest_netbench import parts
from pytest_netbench.errors import LabError, NetbenchError
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.platforms.base import Platform

T = TypeVar("T")


class UnknownDevice(KeyError):
    """There is no device of that name; the text names the known ones and the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class Devices:
    """Looks nodes up by name and asks their platforms.

    Args:
        lab: The running network.
        platforms: Platforms by name; those not given are loaded by entry point at first use.
    """

    def __init__(self, lab: Lab, *, platforms: Mapping[str, Platform] | None = None) -> None:
        self._lab = lab
        self._platforms: dict[str, Platform] = dict(platforms or {})

    @property
    def names(self) -> tuple[str, ...]:
        """Device names in topology order."""
        return tuple(node.name for node in self._lab.topology.nodes)

    def node(self, name: str) -> LabNode:
        """The node called ``name``.

        Raises:
            UnknownDevice: There is none.
        """
        try:
            return self._lab.nodes[name]
        except KeyError:
            raise UnknownDevice(unknown("device", name, self.names)) from None

    def platform(self, name: str) -> Platform:
        """The platform of the node called ``name``."""
        wanted = self.node(name).platform
        if wanted not in self._platforms:
            self._platforms[wanted] = parts.load("platforms", wanted)()
        return self._platforms[wanted]

    @property
    def platforms(self) -> dict[str, Platform]:
        """The platforms of the lab's nodes by name, in topology order."""
        return {self.node(name).platform: self.platform(name) for name in self.names}

    def ask(self, name: str, what: str, question: Callable[[Platform, LabNode], T]) -> T:
        """Put ``question`` to a device; ``what`` says in an error what was being done.

        Raises:
            UnknownDevice: There is no such device.
            LabError: Also when the platform fell over, for that is nobody's fault who is being scored.
        """
        node, platform = self.node(name), self.platform(name)
        try:
            return question(platform, node)
        except NetbenchError:
            raise
        except Exception as error:
            raise LabError(f"{name}: platform {platform.name} failed at {what}: {error!r}") from error


def unknown(kind: str, name: str, known: tuple[str, ...]) -> str:
    """``unknown device 'R9' (known: 'R1', 'R2'). Did you mean 'R1'?``."""
    by_lower = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), by_lower, n=1)
    listing = ", ".join(repr(one) for one in known) or "none"
    return f"unknown {kind} {name!r} (known: {listing})." + (f" Did you mean {by_lower[near[0]]!r}?" if near else "")
