"""The order of BGP neighbor lines in a running config."""

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
    """Return the sort key of a line ``neighbor PEER COMMAND …``.

    Peer groups come first, then neighbors by address; the lines of each are in a fixed order.
    """
    word = command.split(maxsplit=1)[0]
    try:
        number, name = int(ip_address(peer)), ""
    except ValueError:
        number, name = -1, peer
    return number, name, _ATTRIBUTES.index(word) if word in _ATTRIBUTES else len(_ATTRIBUTES)
