"""Startup lines of Linux nodes that need no program: addresses, routes, link state, sysctls. Standard library only."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence

from pytest_netbench.backends.netns.supervisor import nodes
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message
from pytest_netbench.kernel.addresses import UNSPECIFIED
from pytest_netbench.kernel.cabling import rtnetlink
from pytest_netbench.kernel.cabling.rtnetlink import Netlink, Request

# Nothing that a shell would not hand on as it is.
_PLAIN = re.compile(r"[\w.:/=@+%, \t-]*", re.ASCII)
_SYSCTL = re.compile(r"(net(?:\.[a-z0-9_]+)+)=([a-z0-9]+)")
_OCTETS = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_Action = Callable[[Netlink], None]


class Settings:
    """Serves requests to apply startup lines."""

    def __init__(self, network: Network) -> None:
        self._spaces = network.spaces
        self._home = network.home.network

    def settle(self, request: Message) -> Message:
        """Apply lines up to the first that needs a program or that the kernel refuses; return the number applied."""
        with nodes.inside_network(self._spaces[request["node"]], self._home), Netlink() as netlink:
            return {"applied": _apply(netlink, request["lines"])}


def _apply(netlink: Netlink, lines: Sequence[str]) -> int:
    for count, line in enumerate(lines):
        try:
            action = understood(line)
            if action is None:
                return count
            action(netlink)
        except OSError:
            # the program then says in its own words what is wrong
            return count
    return len(lines)


def understood(line: str) -> _Action | None:
    """What a line does, or ``None`` if only a shell can tell.

    Raises:
        OSError: An address in it is none, or it names an interface that is not there.
    """
    if not line.strip() or line.lstrip().startswith("#"):
        return lambda _: None
    if not _PLAIN.fullmatch(line):
        return None
    match line.split():
        case ["sysctl", "-w" | "-qw", setting] | ["sysctl", "-q", "-w", setting]:
            return _sysctl(setting)
        case ["ip", *words]:
            request = _ip(words)
            return None if request is None else lambda netlink: netlink.do([request])
    return None


def _sysctl(setting: str) -> _Action | None:
    found = _SYSCTL.fullmatch(setting)
    if found is None:
        return None
    return lambda _: nodes.write_sysctl(found[1].replace(".", "/"), found[2])


def _ip(words: list[str]) -> Request | None:
    family = ""
    if words[:1] in (["-4"], ["-6"]):
        family, *words = words
    request = None
    match words:
        case ["a" | "addr" | "address", "add" | "a", prefix, "dev", name]:
            request = rtnetlink.address(*_prefix(prefix), socket.if_nametoindex(name))
        case ["l" | "link", "set", "dev", name, "up" | "down" as state] | [
            "l" | "link",
            "set",
            name,
            "up" | "down" as state,
        ]:
            return rtnetlink.set_state(name, up=state == "up")
        case ["l" | "link", "set", "dev", name, "address", octets] if _OCTETS.fullmatch(octets):
            return rtnetlink.set_hardware_address(name, bytes.fromhex(octets.replace(":", "")))
        case ["r" | "route", "add", destination, "via", gateway]:
            request = rtnetlink.route(_destination(destination, gateway), gateway=gateway)
        case ["r" | "route", "add", destination, "via", gateway, "dev", name]:
            request = rtnetlink.route(
                _destination(destination, gateway), gateway=gateway, index=socket.if_nametoindex(name)
            )
        case ["r" | "route", "add", destination, "dev", name] if destination != "default":
            request = rtnetlink.route(_destination(destination, destination), index=socket.if_nametoindex(name))
    if request is None or (family and (family == "-6") != (":" in " ".join(words))):
        return None
    return request


def _destination(text: str, like: str) -> tuple[str, int]:
    if text == "default":
        return ("::", 0) if ":" in like else (UNSPECIFIED, 0)
    if (":" in text) != (":" in like):
        raise OSError(f"{text} and {like} are of two families")
    return _prefix(text)


def _prefix(text: str) -> tuple[str, int]:
    address, slash, length = text.partition("/")
    most = 128 if ":" in address else 32
    socket.inet_pton(socket.AF_INET6 if most == 128 else socket.AF_INET, address)
    if not slash:
        return address, most
    if not (length.isdigit() and int(length) <= most):
        raise OSError(f"{text} is not a prefix")
    return address, int(length)
