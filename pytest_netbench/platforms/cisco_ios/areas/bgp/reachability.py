"""Over which routes BGP reaches next hops and neighbors.

A path's next hop may be known by the default route only. A static route's may not, and BGP opens no session over the
default route: it only answers one that the neighbor opens. zebra knows one switch for all three.
"""

from __future__ import annotations

from pytest_netbench.platforms.cisco_ios.compile.context import Context

_ZEBRA = "zebra"
_LIST = "netbench-no-default-route"
_PORT = 179
_PRIORITY = 32000
"""Of the kernel's rules: after those of policy routing, before the main table."""


def compile_vrf(context: Context, vrf: str) -> None:
    """Let paths use the default route of a VRF, but no static route and no session that this router opens."""
    path = (f"vrf {vrf}",) if vrf else ()
    for ip, every, six in (("ip", "0.0.0.0/0", ""), ("ipv6", "::/0", "-6 ")):
        entry = f"{ip} prefix-list {_LIST} seq 5 permit {every} ge 1"
        context.state.frr.add(_ZEBRA, entry, undo=f"no {entry}")
        opening = f"route-map {_LIST}-{ip} permit 10"
        context.state.frr.add(_ZEBRA, opening)
        context.state.frr.add(_ZEBRA, opening, f"match {ip} address prefix-list {_LIST}")
        context.state.frr.add(_ZEBRA, *path, f"{ip} nht static route-map {_LIST}-{ip}", undo=f"no {ip} nht static")
        context.state.frr.add(_ZEBRA, *path, f"{ip} nht resolve-via-default")
        opened = f"iif lo ipproto tcp dport {_PORT}"
        context.state.rules_of(vrf).extend(
            (
                f"{six}priority {_PRIORITY} {opened} lookup main suppress_prefixlength 0",
                f"{six}priority {_PRIORITY + 1} {opened} unreachable",
            )
        )
