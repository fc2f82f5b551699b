"""Compile the lines of the area ``system``."""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.compile.context import Context


def compile_system(context: Context) -> None:
    """Add the area's part of the desired state."""
    entry = context.config.get("hostname")
    context.state.hostname = str(entry["name"]) if entry else context.facts.name
    context.state.sysctls |= {
        "net.ipv4.ip_forward": "0" if context.config.says_no("ip routing") else "1",
        "net.ipv4.conf.all.promote_secondaries": "1",
        "net.ipv6.conf.all.keep_addr_on_down": "1",
    }
