"""Platforms of routers: one for all, or mixed, where the seed says which routers have which."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from typing import Final

MIXED: Final = "mixed"
"""Routers of both platforms in one network."""
MIXED_OF: Final = ("cisco_ios", "frr")


def offers(platforms: Collection[str], platform: str) -> bool:
    """Whether what has these platforms also has ``platform``, which may be mixed."""
    return platform in platforms or (platform == MIXED and set(MIXED_OF) <= set(platforms))


def router_platforms(platform: str, source: random.Random) -> Iterator[str]:
    """The platform of each router in turn. Of two mixed ones in a row, each platform has one."""
    while True:
        yield from source.sample(MIXED_OF, len(MIXED_OF)) if platform == MIXED else (platform,)
