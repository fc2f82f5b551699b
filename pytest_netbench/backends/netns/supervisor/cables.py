"""The links of a running lab: cut and restore them, change their quality, pass the carrier on. Standard library only.

Each endpoint of a link is an interface in a node whose other end, its *outer*, is in the lab's own namespace. A cable joins two outers
by redirection, or by a wire if it shapes what passes. In a LAN each outer is a port of a bridge, with a wire before it if it shapes. A
stub is an outer that leads nowhere. A node sees carrier as long as its outer is up, so a cut sets outers down, and no node's own
interface is touched.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import NamedTuple

from pytest_netbench.backends.netns.supervisor import redirects, rtnetlink, wiring
from pytest_netbench.backends.netns.supervisor.carriers import Carriers
from pytest_netbench.backends.netns.supervisor.owner import Message
from pytest_netbench.backends.netns.supervisor.rtnetlink import End, Netlink


class Port(NamedTuple):
    """One endpoint of a link: its outer's name and index."""

    name: str
    index: int


class Link:
    """One link as it is laid.

    Args:
        ports: An outer per endpoint, in the order of the topology.
        bridge: Index of the LAN's bridge; ``None`` for a cable or a stub.
    """

    def __init__(self, ports: tuple[Port, ...], bridge: int | None) -> None:
        self.ports = ports
        self.bridge = bridge
        self.wires: dict[int, int] = {}
        self.cut: set[int] = set()
        self.lowered: int | None = None

    @property
    def is_cable(self) -> bool:
        """Whether it joins exactly two endpoints directly."""
        return self.bridge is None and len(self.ports) == 2

    def segment(self, port: int) -> list[int]:
        """The ports that lose carrier if the cable at ``port`` is cut: both of a cable, one of a LAN."""
        return list(range(len(self.ports))) if self.bridge is None else [port]


class Cables:
    """All links of a lab by their number.

    Args:
        links: As laid by ``wiring``.
        program: The wire program, or ``None`` if there is none.
        wires: Pid and description of all wires that run; kept up to date.
        indexes: Gives an unused interface index.
    """

    def __init__(
        self,
        links: Mapping[int, Link],
        *,
        program: str | None,
        wires: MutableMapping[int, str],
        indexes: Callable[[], int],
    ) -> None:
        self._links = dict(links)
        self._program = program
        self._wires = wires
        self._indexes = indexes
        self._carriers = Carriers()
        self._by_index = {port.index: link for link in links.values() for port in link.ports if link.is_cable}

    def fileno(self) -> int:
        """The descriptor that can be read when a carrier changed."""
        return self._carriers.fileno()

    def watch(self) -> None:
        """Pass on carriers that changed."""
        changed = self._carriers.changed()
        links: Iterable[Link] = self._links.values()
        if changed is not None:
            links = {id(link): link for index in changed if (link := self._by_index.get(index))}.values()
        for link in links:
            self._pass_on(link)

    def cut(self, request: Message) -> Message:
        """Take the carrier from the endpoints of a segment, or give it back."""
        link = self._links[request["link"]]
        segment = link.segment(request["port"])
        if request["cut"]:
            link.cut.update(segment)
            link.lowered = None
            for port in segment:
                self._carriers.set_up(link.ports[port].name, False)
        else:
            link.cut.difference_update(segment)
            for port in segment:
                self._carriers.set_up(link.ports[port].name, True)
            self._pass_on(link)
        return {}

    def shape(self, request: Message) -> Message:
        """Give a link another quality.

        Raises:
            OSError: There is no wire program, or it did not start.
        """
        link = self._links[request["link"]]
        arguments: list[str] | None = request["wire"]
        if arguments is not None and self._program is None:
            raise OSError("there is no program that delays, loses and limits")
        if link.is_cable:
            self._shape_cable(link, arguments)
        elif link.bridge is not None:
            for port in range(len(link.ports)):
                self._shape_port(link, port, arguments)
        # A wire that starts sets both its ends up.
        for port in link.cut:
            self._carriers.set_up(link.ports[port].name, False)
        self._pass_on(link)
        return {}

    def _shape_cable(self, link: Link, arguments: list[str] | None) -> None:
        one, other = link.ports
        if not self._end_wire(link, 0):
            with Netlink() as netlink:
                netlink.do([redirects.no_redirect(one.index), redirects.no_redirect(other.index)])
        if arguments is None:
            with Netlink() as netlink:
                netlink.do([*redirects.redirect(one.index, other.index), *redirects.redirect(other.index, one.index)])
        else:
            self._start_wire(link, 0, one.name, other.name, arguments)

    def _shape_port(self, link: Link, port: int, arguments: list[str] | None) -> None:
        near = link.ports[port]
        far, master = f"{near.name}f", f"{near.name}m"
        had_wire = self._end_wire(link, port)
        with Netlink() as netlink:
            if had_wire and arguments is None:
                netlink.do([rtnetlink.remove(far), rtnetlink.set_master(near.name, link.bridge or 0)])
            elif not had_wire and arguments is not None:
                pair = rtnetlink.veth(End(master, self._indexes()), End(far, self._indexes()), master=link.bridge)
                netlink.do([rtnetlink.set_master(near.name, 0), pair, rtnetlink.set_state(far, up=True)])
        if arguments is not None:
            self._start_wire(link, port, near.name, far, arguments)

    def _start_wire(self, link: Link, port: int, near: str, far: str, arguments: list[str]) -> None:
        assert self._program is not None
        pid = wiring.start_wire(self._program, near, far, arguments)
        link.wires[port] = pid
        self._wires[pid] = f"wire {near}-{far}"

    def _end_wire(self, link: Link, port: int) -> bool:
        """End the wire at a port; whether there was one. Frames on their way are lost."""
        pid = link.wires.pop(port, None)
        if pid is None:
            return False
        self._wires.pop(pid, None)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        link.lowered = None
        return True

    def _pass_on(self, link: Link) -> None:
        """Let a cable have carrier at both ends or at none. Wires do so by themselves.

        Only one outer is ever lowered, and the other one stays up and watched: its carrier coming back raises the lowered one, whose own
        carrier is then looked at in turn.
        """
        if not link.is_cable or link.cut or link.wires:
            return
        for _ in range(4):
            if link.lowered is not None:
                if not self._carriers.has(link.ports[1 - link.lowered].name):
                    return
                self._carriers.set_up(link.ports[link.lowered].name, True)
                link.lowered = None
            lacking = next((end for end in (0, 1) if not self._carriers.has(link.ports[end].name)), None)
            if lacking is None:
                return
            self._carriers.set_up(link.ports[1 - lacking].name, False)
            link.lowered = 1 - lacking
