"""Static routes."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.static.compile import compile_static
from pytest_netbench.platforms.cisco_ios.areas.static.grammar import COMMANDS
from pytest_netbench.platforms.cisco_ios.grammar.command import Area

AREA = Area(
    name="static",
    commands=COMMANDS,
    compile=compile_static,
    help={"route": "Establish static routes"},
    scope=(
        ("static routes: next hop, interface, Null0, distance, tag, name, IPv6", "yes"),
        ("static routes: permanent", "accepted, without effect"),
    ),
)
