"""IS-IS."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.isis.compile import compile_isis, frr_tag, levels_of, members
from pytest_netbench.platforms.cisco_ios.areas.isis.grammar import COMMANDS, MODES, TYPES
from pytest_netbench.platforms.cisco_ios.areas.isis.shows import SHOWS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="isis",
    types=TYPES,
    modes=MODES,
    commands=(*COMMANDS, *SHOWS),
    compile=compile_isis,
    scope=(
        ("IS-IS: NET, levels, metrics and their style, circuit types, point-to-point, passive, redistribution", "yes"),
        ("IS-IS: authentication by the first key of a chain, the same for both levels", "yes"),
        ("IS-IS: summary addresses, route leaking, authentication of one level, multi-topology", "refused"),
    ),
)

__all__ = ["AREA", "frr_tag", "levels_of", "members"]
