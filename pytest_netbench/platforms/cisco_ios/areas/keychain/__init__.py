"""Key chains: the keys that routing protocols authenticate with."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.keychain.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.areas.keychain.shows import SHOWS, secrets, tell
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="keychain",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    scope=(
        ("key chains: keys and texts", "yes, in RIP, OSPFv2 and IS-IS"),
        ("key chains: lifetimes", "yes, in RIP; elsewhere keys are valid at any time"),
        ("key chains: cryptographic algorithms", "refused"),
    ),
)

__all__ = ["AREA", "secrets", "tell"]
