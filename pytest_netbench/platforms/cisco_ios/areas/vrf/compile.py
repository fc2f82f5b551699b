"""Compile the lines of the area ``vrf``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.areas.static.compile import frr_line
from pytest_netbench.platforms.cisco_ios.areas.vrf.grammar import definitions
from pytest_netbench.platforms.cisco_ios.compile.context import Context

# -- compilation -------------------------------------------------------------------------------------------------------


def compile_vrf(context: Context) -> None:
    """Add the area's part of the desired state."""
    names = [str(entry["vrf"]) for entry in definitions(context.config)]
    context.state.vrfs = tuple(names)
    for entry in context.config.all("ip route"):
        if entry.get("vrf") in names:
            if entry.get("track") is not None:
                continue  # the area sla adds tracked routes
            context.state.frr.add("staticd", f"{frr_line(entry)} vrf {entry['vrf']}")
