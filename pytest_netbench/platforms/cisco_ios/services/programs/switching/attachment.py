"""The interfaces of a switching program, and what its parts ask of the switch that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.switching.dataplane import Dataplane


@dataclass(eq=False)
class Attachment:
    """An interface that the switching program uses. ``tags``: its tag by domain, 0 for untagged."""

    name: str
    number: int
    index: int = 0
    tags: dict[int, int] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    up: bool = False
    mac: bytes = bytes(6)
    trunk: bool = False
    protected: bool = False
    native: int | None = None
    disabled: str = ""
    recovery: Timer | None = None


class Switch(Protocol):
    """The switch, as its parts see it."""

    shared: Shared
    config: dict[str, Any]
    plane: Dataplane | None

    @property
    def held(self) -> Mapping[str, Attachment]:
        """The interfaces in use, by name."""

    def order(self, *words: object) -> None:
        """Send an order to the switching program, if it runs."""

    def refresh(self) -> None:
        """Apply the configuration, the link states and the negotiated modes."""

    def is_port(self, attachment: Attachment) -> bool:
        """Whether an interface is a port, not the inner end of an SVI or a subinterface."""

    def set_state(self, attachment: Attachment, domain: int, state: int) -> None:
        """Set a port to blocking, learning or forwarding in a domain."""

    def disable(self, attachment: Attachment, cause: str) -> None:
        """Disable a port because of an error, until it recovers by command or by time."""
