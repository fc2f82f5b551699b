"""What a service of a network is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from pytest_netbench.generators.networks.draft import Draft


def leave_as_it_is(_draft: Draft) -> None:
    """Prepare nothing: most services need no other addresses or interfaces."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """Something that routers do beside routing, or that hosts do.

    Attributes:
        what: One sentence for people.
        shapes: Shapes that can have it; empty for all.
        platforms: Platforms whose configs can be written.
        configure: Adds the service, with addresses assigned and routes configured.
        prepare: Changes the draft before addresses are assigned.
        is_of_hosts: Whether hosts have it, not routers. Generators draw it into each network for which it is chosen.
    """

    name: str
    what: str
    shapes: tuple[str, ...] = ()
    platforms: tuple[str, ...]
    configure: Callable[[Draft, Random], None]
    prepare: Callable[[Draft], None] = leave_as_it_is
    is_of_hosts: bool = False

    def fits(self, shape: str, platform: str) -> bool:
        """Whether a network of this shape and platform can have it."""
        return (not self.shapes or shape in self.shapes) and platform in self.platforms
