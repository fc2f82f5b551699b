"""Control of the links of a containerlab lab. A cable is a pair of interfaces; a LAN is a bridge on the panel."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from pytest_netbench.backends.containerlab.devices import ContainerDevice
from pytest_netbench.backends.containerlab.node import ContainerNode
from pytest_netbench.backends.containerlab.programs import Place, request, run
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.model.topology import LinkQuality, Topology

KernelName = Callable[[str, str], str]
"""Of a node and an interface; raises ValueError for what cannot be an interface there."""
_FAMILIES = ("-4", "-6")
_SILENT = LinkQuality(loss=1.0)
_TIMEOUT_S = 30.0


class _End(NamedTuple):
    """One end of a cable: an interface of a node, or a port of the panel (``node`` is ``None``)."""

    place: Place
    interface: str
    node: ContainerNode | ContainerDevice | None

    def run(self, argv: list[str]) -> str:
        return run(request(self.place, argv, "trusted"), timeout_s=_TIMEOUT_S).stdout


class ContainerLinks:
    """Implements ``lab.capabilities.LinkControl``.

    A cut sets the ends of a cable down, and what that removes comes back with them. Of a LAN it sets the port of the
    panel down, so that the node's end loses its carrier. What it cannot do raises ``RequirementMissing``.

    Args:
        topology: Of the lab.
        nodes: Its nodes.
        panel: The container of the LANs, and by node and interface its ports.
        kernel_name: The kernel's name of an interface.
    """

    def __init__(
        self,
        topology: Topology,
        nodes: Mapping[str, ContainerNode | ContainerDevice],
        panel: tuple[Place | None, Mapping[tuple[str, str], str]],
        kernel_name: KernelName,
    ) -> None:
        self._kernel_name = kernel_name
        place, ports = panel
        self._cables: dict[tuple[str, str], tuple[_End, ...]] = {}
        """By node and the kernel's name of an interface: both ends of its cable."""
        for link in topology.links:
            own = [
                _End(nodes[one.node].place, kernel_name(one.node, one.interface), nodes[one.node])
                for one in link.endpoints
            ]
            for one, end in zip(link.endpoints, own, strict=True):
                port = ports.get((one.node, one.interface))
                far = (_End(place, port, None),) if place is not None and port is not None else ()
                # where a LAN is not ours, only the node's own end can be set down
                self._cables[one.node, end.interface] = (*far, end) if far else tuple(own) if len(own) == 2 else (end,)
        self._lock = threading.Lock()
        self._cut: dict[tuple[_End, ...], list[tuple[_End, list[str]]]] = {}
        self._qualities: dict[tuple[_End, ...], LinkQuality] = {}
        self._crashed: frozenset[str] = frozenset()

    def cut(self, node: str, interface: str) -> None:
        cable = self._cable(node, interface)
        with self._lock:
            if cable in self._cut:
                return
            ends = [end for end in cable if end.node is None] or cable
            self._cut[cable] = [(end, command) for end in ends for command in _taken_down(end)]

    def restore(self, node: str, interface: str) -> None:
        cable = self._cable(node, interface)
        with self._lock:
            for end, command in self._cut.pop(cable, []):
                end.run(command)

    def is_cut(self, node: str, interface: str) -> bool:
        return self._cable(node, interface) in self._cut

    def quality(self, node: str, interface: str) -> LinkQuality:
        return self._qualities.get(self._cable(node, interface), LinkQuality())

    def set_quality(self, node: str, interface: str, quality: LinkQuality) -> None:
        cable = self._cable(node, interface)
        if quality not in (_SILENT, LinkQuality()):
            raise _cannot("delay, limit or lose a share of what a link carries")
        with self._lock:
            self._qualities[cable] = quality
            self._apply(cable)

    def set_crashed(self, crashed: Collection[str]) -> None:
        """Let no frame pass on the cables of these nodes, and on those of all others again; carriers stay.

        Raises:
            LabError: The kernel cannot do it.
        """
        with self._lock:
            before, self._crashed = self._crashed, frozenset(crashed)
            for cable in dict.fromkeys(self._cables.values()):
                if any(end.node is not None and end.node.name in before ^ self._crashed for end in cable):
                    self._apply(cable)

    @contextlib.contextmanager
    def unplugged(self, node: str) -> Iterator[None]:
        """Let the interfaces of a node have no carrier for a moment; those whose links are cut have none anyway."""
        with self._lock:
            cables = [cable for (owner, _), cable in self._cables.items() if owner == node and cable not in self._cut]
        far = [end for cable in cables for end in cable if end.node is None or end.node.name != node]
        undo = [(end, command) for end in far for command in _taken_down(end)]
        try:
            yield
        finally:
            for end, command in undo:
                end.run(command)

    def _apply(self, cable: tuple[_End, ...]) -> None:
        crashed = any(end.node is not None and end.node.name in self._crashed for end in cable)
        silent = crashed or self._qualities.get(cable) == _SILENT
        try:
            for end in cable:
                end.place.by.set_silent(end.place.pid, end.interface, silent=silent)
        except OSError as error:
            raise LabError(f"a link cannot be made silent: {error.strerror or error}") from None

    def flap(self, node: str, interface: str, *, down_s: float, up_s: float) -> None:
        self._cable(node, interface)
        raise _cannot("let a link flap")

    def detach(self, node: str, interface: str) -> None:
        self._cable(node, interface)
        raise _cannot("take out an interface")

    def attach(self, node: str, interface: str) -> None:
        self._cable(node, interface)

    def set_defect(self, node: str, interface: str, defect: Defect) -> None:
        self._cable(node, interface)
        if defect != Defect():
            raise _cannot("give a cable a defect")

    def _cable(self, node: str, interface: str) -> tuple[_End, ...]:
        try:
            return self._cables[node, self._kernel_name(node, interface)]
        except (KeyError, ValueError):
            known = ", ".join(name for owner, name in self._cables if owner == node) or "no such node"
            raise LabError(f"{node} has no interface {interface!r} (known: {known})") from None


def _cannot(what: str) -> RequirementMissing:
    """Not an error of the lab: that could be taken for what an agent left."""
    return RequirementMissing(f"backend containerlab cannot {what}")


def _taken_down(end: _End) -> list[list[str]]:
    """Set an end down; return the commands that undo it. What a routing daemon put there it puts back itself."""
    (link,) = json.loads(end.run(["ip", "-j", "-d", "address", "show", "dev", end.interface])) or [{}]
    if "UP" not in link.get("flags", ()):
        return []
    undo = [["ip", "link", "set", "dev", end.interface, "up"]]
    if end.node is not None:
        undo += _lost(end, link)
    end.run(["ip", "link", "set", "dev", end.interface, "down"])
    return undo


def _lost(end: _End, link: Mapping[str, Any]) -> list[list[str]]:
    """The commands that bring back what an interface loses when it goes down: IPv6 addresses, and static routes."""
    found = [
        ["ip", "-6", "address", "replace", f"{one['local']}/{one['prefixlen']}", "dev", end.interface, "nodad"]
        for one in link.get("addr_info", ())
        if one.get("family") == "inet6" and one.get("scope") == "global"
    ]
    for family in _FAMILIES:
        for line in end.run(["ip", family, "route", "show", "dev", end.interface, "table", "main"]).splitlines():
            words = line.replace(" linkdown", "").split()
            maker = words[words.index("proto") + 1] if "proto" in words else "boot"
            if maker in ("boot", "static", "dhcp"):
                found.append(["ip", family, "route", "replace", *words, "dev", end.interface])
    return found
