"""Which port of a GNS3 node an interface of a task is. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pytest_netbench.errors import LabError

_NAME = re.compile(r"([A-Za-z-]*)\s*(\d[\d/.:]*)?")
_LAST = re.compile(r"(\d+)$")


class Port(NamedTuple):
    """A port, as the server counts."""

    adapter: int
    number: int


def port_of(node: Mapping[str, Any], interface: str) -> Port:
    """The port of an interface: by its name, short or long; else the n-th port for the number n at its end.

    A node that has one port has one interface, whatever that is called.

    Args:
        node: As the server shows it.
        interface: Its name in the task.

    Raises:
        LabError: There is none.
    """
    ports = _ethernet(node)
    for one in ports:
        if any(_same(str(one.get(key) or ""), interface) for key in ("name", "short_name")):
            return _port(one)
    if len(ports) == 1:
        return _port(ports[0])
    last = _LAST.search(interface)
    if last is not None and "/" not in interface and int(last[1]) < len(ports):
        return _port(ports[int(last[1])])
    raise LabError(
        f"{node['name']} has no port for interface {interface!r} "
        f"(its ports: {_listed(ports)}; fix: a template with enough adapters, or properties in the table of kinds)"
    )


def kernel_interface(node: Mapping[str, Any], interface: str) -> str:
    """What the kernel of a node with Linux calls an interface: it counts the ports.

    Raises:
        LabError: There is no port for it.
    """
    port = port_of(node, interface)
    return f"eth{ports_of(node).index(port)}"


def ports_of(node: Mapping[str, Any]) -> list[Port]:
    """The Ethernet ports of a node, in the server's order."""
    return [_port(one) for one in _ethernet(node)]


def _ethernet(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in node.get("ports") or () if one.get("link_type", "ethernet") == "ethernet"]


def _same(port: str, interface: str) -> bool:
    """Whether one name is the other, or a short form of it: ``Gi0/1`` and ``GigabitEthernet0/1``."""
    (word, number), (other, other_number) = _parts(port), _parts(interface)
    return number == other_number != "" and bool(word and other) and (word.startswith(other) or other.startswith(word))


def _parts(name: str) -> tuple[str, str]:
    found = _NAME.fullmatch(name)
    return (found[1].casefold(), found[2] or "") if found else (name, "")


def _port(one: Mapping[str, Any]) -> Port:
    return Port(int(one["adapter_number"]), int(one["port_number"]))


def _listed(ports: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(str(one["name"]) for one in ports) or "none"
