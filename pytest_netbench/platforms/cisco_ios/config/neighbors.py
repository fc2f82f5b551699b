"""In which order a running config prints what it says of BGP neighbors."""

from __future__ import annotations

from ipaddress import ip_address

_ATTRIBUTES = (
    "peer-group",
    "remote-as",
    "member",
    "family-member",
    "local-as",
    "description",
    "password",
    "shutdown",
    "ebgp-multihop",
    "ttl-security",
    "disable-connected-check",
    "update-source",
    "timers",
    "advertisement-interval",
    "activate",
    "route-reflector-client",
    "send-community",
    "next-hop-self",
    "default-originate",
    "soft-reconfiguration",
    "weight",
    "distribute-list",
    "prefix-list",
    "route-map",
    "filter-list",
    "maximum-prefix",
)


def place(peer: str, command: str) -> tuple[int, str, int]:
    """Where a line ``neighbor PEER COMMAND …`` stands: peer groups first, then by address, each with its lines in a fixed order."""
    word = command.split(maxsplit=1)[0]
    try:
        number, name = int(ip_address(peer)), ""
    except ValueError:
        number, name = -1, peer
    return number, name, _ATTRIBUTES.index(word) if word in _ATTRIBUTES else len(_ATTRIBUTES)
