"""Names of interfaces, by platform."""

from __future__ import annotations

_IOS = "cisco_ios"


def port_name(platform: str, kind: str, number: int) -> str:
    """Return the name of the port number ``number``, counted from 0, of a device of this kind."""
    if platform != _IOS:
        return f"eth{number}"
    return f"GigabitEthernet1/0/{number + 1}" if kind == "switch" else f"GigabitEthernet0/{number}"


def loopback_name(platform: str) -> str:
    """Return the name of the interface that carries a router's loopback address."""
    return "Loopback0" if platform == _IOS else "lo"
