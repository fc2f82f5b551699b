"""A network that exists already, as plain data: its devices and the cables between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_netbench.model.topology import Endpoint, Link, Node, Topology


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device that exists already.

    Attributes:
        name: Unique in its site.
        dialect: Name of its configuration language.
        node: The node of tasks that it always stands for; ``None`` leaves that to its name and its cables.
        interfaces: What it has, in any known form; empty if nobody said so.
        management: The interface by which it is reached; no node of a task has it.
    """

    name: str
    dialect: str
    node: str | None = None
    interfaces: tuple[str, ...] = ()
    management: str | None = None

    @property
    def stands_for(self) -> str:
        """The node that it stands for by its name."""
        return self.node or self.name


@dataclass(frozen=True)
class Cable:
    """What joins interfaces: a cable has two ends, a LAN more. An end's ``node`` is the name of a device."""

    ends: tuple[Endpoint, ...]

    def __str__(self) -> str:
        return " <-> ".join(map(str, self.ends))


@dataclass(frozen=True, kw_only=True)
class Site:
    """Devices and the cables between them.

    Attributes:
        devices: By name.
        cables: ``None`` if nobody said how the devices are joined; then each link of a task is taken to be there.
        called: What it is called in messages.
        naming: How people say which node a device stands for, with ``{node}`` in its place.
    """

    devices: Mapping[str, Device]
    cables: tuple[Cable, ...] | None = None
    called: str = "the testbed"
    naming: str = "`node: {node}` at one of these devices"


@dataclass(frozen=True, kw_only=True)
class Match:
    """Which device stands for which node.

    Attributes:
        devices: By node: the name of the device.
        by_shape: Whether names did not tell, but dialects and cables.
    """

    devices: Mapping[str, str]
    by_shape: bool = False


def alone(node: str, interfaces: Sequence[str]) -> Topology:
    """The topology of one node with interfaces whose other ends nobody knows."""
    ends = [(Endpoint(node=node, interface=interface),) for interface in interfaces]
    return Topology(nodes=(Node(name=node),), links=tuple(Link(endpoints=end) for end in ends))
