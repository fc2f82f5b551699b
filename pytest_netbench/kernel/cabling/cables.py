"""The links of a running lab: cut and restore them, change their quality, pass the carrier on. Standard library only.

Each endpoint of a link is an interface in a node. Its peer, the *outer*, is in the lab's own namespace. A cable joins
two outers by redirection, or by a wire if it shapes traffic. In a LAN each outer is a port of a bridge, with a wire
before it if it shapes traffic. A stub is an outer that is not connected. A node sees carrier as long as its outer is
up, so a cut sets outers down and changes no interface of a node.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from pytest_netbench.kernel import interfaces
from pytest_netbench.kernel.cabling import redirects, rtnetlink, wires
from pytest_netbench.kernel.cabling.carriers import Carriers
from pytest_netbench.kernel.cabling.wires import Laid
from pytest_netbench.kernel.syscalls import CLONE_NEWNET, setns

Message = dict[str, Any]


class Link:
    """One link: wires by port, cut and blocked ports, and the port that is down because its peer has no carrier."""

    def __init__(self, laid: Laid) -> None:
        self.ports = laid.ports
        self.bridge = laid.bridge
        self.wires: dict[int, int] = {}
        self.cut: set[int] = set()
        self.blocked: set[int] = set()
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
        links: As they are laid.
        networks: Descriptors of the nodes' network namespaces, by name of node.
        home: Descriptor of the namespace that this process is in.
        program: The program that wires run, if there is one.
        next_index: For interfaces that are made later: above all that are used.
        running: Pid and description of all programs that run; wires are added and removed.
    """

    def __init__(
        self,
        links: Sequence[Laid],
        *,
        networks: Mapping[str, int],
        home: int,
        program: wires.WireProgram | None,
        next_index: int,
        running: MutableMapping[int, str],
    ) -> None:
        self._links = [Link(laid) for laid in links]
        self._networks = networks
        self._home = home
        self._program = program
        self._running = running
        self._indexes = itertools.count(next_index)
        self._carriers = Carriers()
        self._by_index = {port.position: link for link in self._links for port in link.ports if link.is_cable}
        pids = {text: pid for pid, text in running.items()}
        for link, laid in zip(self._links, links, strict=True):
            if laid.wired:
                for port, (near, far) in self._wired(link).items():
                    link.wires[port] = pids[wires.description(near, far)]

    def fileno(self) -> int:
        """The descriptor that can be read when a carrier changed."""
        return self._carriers.fileno()

    def watch(self) -> None:
        """Pass on carriers that changed."""
        changed = self._carriers.changed()
        links: Iterable[Link] = self._links
        if changed is not None:
            links = {id(link): link for index in changed if (link := self._by_index.get(index))}.values()
        for link in links:
            self._pass_on(link)

    def _link(self, request: Message) -> Link:
        link = self._links[request["link"]]
        if not link.ports:
            raise OSError("this kernel cannot redirect frames (act_mirred), so its cables cannot be cut or shaped")
        return link

    def _wired(self, link: Link) -> dict[int, tuple[str, str]]:
        """By port: the interfaces that a wire joins. A cable has one wire."""
        if link.is_cable:
            return {0: (link.ports[0].name, link.ports[1].name)}
        return {number: (port.name, wires.far_end(port)) for number, port in enumerate(link.ports)}

    def cut(self, request: Message) -> Message:
        """Take the carrier from the endpoints of a segment, or give it back."""
        link = self._link(request)
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

    def block(self, request: Message) -> Message:
        """Let no frame pass between an endpoint and its link, or let all pass again. Carriers stay.

        Raises:
            OSError: The link is shaped.
        """
        link, port = self._link(request), request["port"]
        if link.wires:
            raise OSError("a link with delay, loss, rate or a defect cannot be blocked")
        if link.bridge is not None:
            _do([rtnetlink.set_master(link.ports[port].name, 0 if request["blocked"] else link.bridge)])
        elif link.is_cable:
            link.blocked = (link.blocked | {port}) if request["blocked"] else (link.blocked - {port})
            one, other = (end.position for end in link.ports)
            if request["blocked"] and len(link.blocked) == 1:
                _do([redirects.no_redirect(one), redirects.no_redirect(other)])
            elif not request["blocked"] and not link.blocked:
                _do([*redirects.redirect(one, other), *redirects.redirect(other, one)])
        return {}

    def detach(self, request: Message) -> Message:
        """Take the interface of an endpoint out of its node, or put it in again, without its addresses.

        It lies in the lab's own namespace meanwhile, down, under the name of its outer with another ending.
        """
        port = self._link(request).ports[request["port"]]
        kept, interface = f"{port.name}x", request["interface"]
        network = self._networks[request["node"]]
        if request["detached"]:
            with self._inside(network):
                _do([rtnetlink.move(socket.if_nametoindex(interface), rtnetlink.End(kept, 0, self._home))])
        else:
            _do([rtnetlink.move(socket.if_nametoindex(kept), rtnetlink.End(interface, 0, network))])
            with self._inside(network):
                interfaces.plug_in([interface])
        return {}

    @contextlib.contextmanager
    def _inside(self, network: int) -> Iterator[None]:
        setns(network, CLONE_NEWNET)
        try:
            yield
        finally:
            setns(self._home, CLONE_NEWNET)

    def shape(self, request: Message) -> Message:
        """Give a link another quality.

        Raises:
            OSError: There is no wire program, or it did not start.
        """
        link = self._link(request)
        arguments: list[str] | None = request["wire"]
        if arguments is not None and self._program is None:
            raise OSError("there is no program that delays, loses and limits")
        if link.is_cable:
            self._shape_cable(link, arguments)
        elif link.bridge is not None:
            for number in range(len(link.ports)):
                self._shape_port(link, number, arguments)
        if arguments is not None and self._program is not None:
            for number, (near, far) in self._wired(link).items():
                pid = wires.start_wire(self._program, near, far, arguments)
                link.wires[number] = pid
                self._running[pid] = wires.description(near, far)
        # A wire that starts sets both its ends up.
        for port in link.cut:
            self._carriers.set_up(link.ports[port].name, False)
        self._pass_on(link)
        return {}

    def _shape_cable(self, link: Link, arguments: list[str] | None) -> None:
        one, other = (port.position for port in link.ports)
        if not self._end_wire(link, 0):
            _do([redirects.no_redirect(one), redirects.no_redirect(other)])
        if arguments is None:
            _do([*redirects.redirect(one, other), *redirects.redirect(other, one)])

    def _shape_port(self, link: Link, number: int, arguments: list[str] | None) -> None:
        port = link.ports[number]
        assert link.bridge is not None
        had_wire = self._end_wire(link, number)
        if had_wire and arguments is None:
            _do([rtnetlink.remove(wires.far_end(port)), rtnetlink.set_master(port.name, link.bridge)])
        elif not had_wire and arguments is not None:
            between = wires.extension(port, link.bridge, (next(self._indexes), next(self._indexes)))
            _do([rtnetlink.set_master(port.name, 0), *between])

    def _end_wire(self, link: Link, port: int) -> bool:
        """End the wire at a port; whether there was one. Frames on their way are lost."""
        pid = link.wires.pop(port, None)
        if pid is None:
            return False
        self._running.pop(pid, None)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        link.lowered = None
        return True

    def _pass_on(self, link: Link) -> None:
        """Let a cable have carrier at both ends or at none. Wires do so by themselves.

        Only one outer is lowered. The other one stays up and is watched: when its carrier returns, the lowered one is
        raised, and then the carrier of the raised one is checked.
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


def _do(requests: list[rtnetlink.Request]) -> None:
    with rtnetlink.Netlink() as netlink:
        netlink.do(requests)
