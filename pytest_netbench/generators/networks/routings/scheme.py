"""What a routing scheme is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pytest_netbench.generators.networks.draft import Draft


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """How the routers of a draft learn routes.

    Attributes:
        prepare: Adds the interfaces that the scheme needs, before addresses are assigned.
        configure: Adds routes and routing processes, with addresses assigned.
        platforms: Platforms of routers whose configs can be written.
    """

    prepare: Callable[[Draft], None]
    configure: Callable[[Draft], None]
    platforms: tuple[str, ...] = ("frr", "cisco_ios")


def add_loopbacks(draft: Draft) -> None:
    """Give each device that forwards a loopback address."""
    for device in [device for device in draft.devices if device.forwards]:
        draft.loopback(device)


def add_nothing(draft: Draft) -> None:
    """Add no interface."""
