"""The process that joins the links of a lab on its panel, and cuts and shapes them. Standard library only.

It is in the network of the panel and nowhere else inside, and reads requests from descriptor 0, a socket: lines of
JSON. The first one says what to join. It ends with the panel, and with the connection unless it is told to stay; the
programs that shape links end with it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from pytest_netbench.kernel.cabling import redirects, wires
from pytest_netbench.kernel.cabling.cables import Cables, Message
from pytest_netbench.kernel.cabling.flaps import Flaps
from pytest_netbench.kernel.cabling.rtnetlink import End, Netlink, Request, bridge, set_master, set_mtu, set_state
from pytest_netbench.kernel.cabling.wires import Laid, Port
from pytest_netbench.kernel.processes import started
from pytest_netbench.kernel.syscalls import CLONE_NEWNET, setns

_CHUNK = 65_536


def main() -> NoReturn:
    """Serve until the other end of the connection is closed."""
    control = socket.socket(fileno=os.dup(0))
    lines = _lines(control)
    panel = _Panel(control)
    _answer(control, panel.build, next(lines))
    panel.serve(lines)


class _Panel:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._stays = False
        self._running: dict[int, str] = {}
        self._cables: Cables
        self._flaps: Flaps

    def build(self, spec: Message) -> Message:
        """Enter the panel and join all links.

        Args:
            spec: ``panel`` and ``nodes`` (by name): process and when it was started. ``links``: ``ports`` (names of
                interfaces of the panel), and ``wire``, arguments or ``None``. ``program``: what shapes links, if there
                is one.

        Raises:
            OSError: A container has ended, or the kernel refuses.
        """
        networks = {name: _network(*process) for name, process in spec["nodes"].items()}
        self._panel = os.pidfd_open(spec["panel"][0])
        home = _network(*spec["panel"])
        setns(home, CLONE_NEWNET)
        indexes = iter(range(wires.FIRST_INDEX, sys.maxsize))
        requests: list[Request] = []
        program = None if spec["program"] is None else wires.WireProgram(spec["program"])
        links = [_joined(requests, number, link, indexes) for number, link in enumerate(spec["links"])]
        with Netlink() as netlink:
            netlink.do(requests)
        for laid, link in zip(links, spec["links"], strict=True):
            for near, far in _wired(laid):
                if program is None:
                    raise OSError("there is no program that delays, loses and limits")
                pid = wires.start_wire(program, near, far, link["wire"])
                self._running[pid] = wires.description(near, far)
        self._cables = Cables(
            links,
            networks=networks,
            home=home,
            program=program,
            next_index=next(indexes),
            running=self._running,
        )
        self._flaps = Flaps(self._cables)
        return {}

    def serve(self, lines: Iterator[Message]) -> NoReturn:
        operations: Mapping[str, Callable[[Message], Message]] = {
            "cut-link": self._flaps.cut,
            "flap-link": self._flaps.start,
            "shape-link": self._cables.shape,
            "block-link": self._cables.block,
            "detach": self._cables.detach,
            "stay": self._stay,
        }
        ended = _ends_of_children()
        waited: tuple[Any, ...] = (self._panel, self._cables, ended)
        while True:
            asking = () if self._stays else (self._control,)
            ready, _, _ = select.select((*asking, *waited), [], [], self._flaps.wait_s())
            if self._panel in ready:
                os._exit(0)
            if self._control in ready:
                message = next(lines)
                _answer(self._control, operations[message["op"]], message)
            if self._cables in ready:
                self._cables.watch()
            self._flaps.tick()
            if ended in ready:
                os.read(ended, _CHUNK)
                self._check_wires()

    def _stay(self, _: Message) -> Message:
        """Go on without anybody who asks."""
        self._stays = True
        return {}

    def _check_wires(self) -> None:
        """A link whose program has ended carries nothing: the lab cannot go on."""
        if self._running and (pid := os.waitpid(-1, os.WNOHANG)[0]):
            os.write(2, f"{self._running.get(pid, 'a program')} has ended\n".encode())
            os._exit(1)


def _ends_of_children() -> int:
    """A descriptor that can be read once a child has ended."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reader


def _network(pid: int, since: str) -> int:
    descriptor = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if started(pid) != since:
        raise ProcessLookupError(3, "the container has ended")
    return descriptor


def _joined(requests: list[Request], number: int, link: Message, indexes: Iterator[int]) -> Laid:
    """One link as it will be laid, by further requests."""
    ports = tuple(Port(name, socket.if_nametoindex(name)) for name in link["ports"])
    is_wired = link["wire"] is not None
    for port in ports:
        requests += [set_mtu(port.name, wires.MTU), set_state(port.name, up=True)]
    if len(ports) < 2:
        return Laid(ports)
    if len(ports) == 2:
        one, other = (port.position for port in ports)
        if not is_wired:
            requests += [*redirects.redirect(one, other), *redirects.redirect(other, one)]
        return Laid(ports, wired=is_wired)
    master = next(indexes)
    requests.append(bridge(End(f"lan{number}", master)))
    for port in ports:
        if is_wired:
            requests += wires.extension(port, master, (next(indexes), next(indexes)))
        else:
            requests.append(set_master(port.name, master))
    return Laid(ports, bridge=master, wired=is_wired)


def _wired(laid: Laid) -> list[tuple[str, str]]:
    if not laid.wired:
        return []
    if laid.bridge is None:
        return [(laid.ports[0].name, laid.ports[1].name)]
    return [(port.name, wires.far_end(port)) for port in laid.ports]


def _lines(control: socket.socket) -> Iterator[Message]:
    """Requests, each when it is complete; this process ends when there is no more."""
    pending = b""
    while True:
        data = control.recv(_CHUNK)
        if not data:
            os._exit(0)
        *complete, pending = (pending + data).split(b"\n")
        for line in complete:
            yield json.loads(line)


def _answer(control: socket.socket, operation: Callable[[Message], Any], message: Message) -> None:
    try:
        answer = {"ok": operation(message)}
    except OSError as error:
        answer = {"error": str(error)}
    control.sendall(json.dumps(answer).encode() + b"\n")
