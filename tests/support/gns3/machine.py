"""Stands in for QEMU, with an IOS node of this project as the machine: its console is served, its ports are wires.

Usage: machine.py with the arguments of qemu-system-x86_64; it knows -serial, -monitor and -netdev. Port n is the
interface GigabitEthernet0/n. The node runs in a lab of `netns`; a host in it for each port passes its frames on.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
import signal
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

ENABLE = "enable-secret"
"""The password of privileged mode."""
_ALL = 0x0003
_NEWNET = 0x40000000
_MOST = 65_535
_START_S = 60.0
_PROMISCUOUS = (263, 1)  # SOL_PACKET, PACKET_ADD_MEMBERSHIP
_SERIAL = re.compile(r"-serial telnet:127\.0\.0\.1:(\d+)")
_MONITOR = re.compile(r"-monitor tcp:127\.0\.0\.1:(\d+)")
_WIRE = re.compile(r"id=gns3-(\d+),udp=127\.0\.0\.1:(\d+),localaddr=127\.0\.0\.1:(\d+)")


def main() -> None:
    """Run until the server ends this process."""
    words = " ".join(sys.argv[1:])
    if "-version" in words or "--version" in words:
        print("QEMU emulator version 7.2.22")
        return
    wires = {int(port): (int(remote), int(local)) for port, remote, local in _WIRE.findall(words)}
    serial, monitor = _SERIAL.search(words), _MONITOR.search(words)
    assert serial is not None
    # the server connects at once, long before there is a router
    console = socket.create_server(("127.0.0.1", int(serial[1])))
    if monitor is not None:
        _answer_monitor(int(monitor[1]))
    lab = _deployed(sorted(wires))
    for port, (remote, local) in wires.items():
        _connect(lab.nodes[f"p{port}"], remote, local)
    server = _served(lab, console)
    ends = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ends.set())
    ends.wait()
    server.close()
    lab.destroy()


def _deployed(ports: list[int]) -> Any:
    from pytest_netbench import parts
    from pytest_netbench.lab.request import LabRequest
    from pytest_netbench.model.topology import Endpoint, Link, Node, Topology

    hosts = [f"p{port}" for port in ports]
    links = [
        Link(endpoints=(Endpoint(node="R1", interface=f"Gi0/{port}"), Endpoint(node=f"p{port}", interface="eth0")))
        for port in ports
    ]
    return parts.load("backends", "netns")().deploy(
        LabRequest(
            name="machine",
            topology=Topology(nodes=(Node(name="R1"), *map(_host, hosts)), links=tuple(links)),
            dialects={"R1": "cisco_ios", **dict.fromkeys(hosts, "linux")},
            startup_configs={"R1": "hostname Router\n"},
        )
    )


def _host(name: str) -> Any:
    from pytest_netbench.model.topology import Node

    return Node(name=name, platform="linux")


def _served(lab: Any, listener: socket.socket) -> Any:
    """The console of the router, as QEMU serves that of a machine."""
    from pytest_netbench.lab.ssh.hosts import Host
    from pytest_netbench.lab.ssh.server import SshServer
    from pytest_netbench.lab.ssh_line import SshLine, SshTarget
    from tests.support.console_server import ConsoleServer

    node, driver, password = lab.nodes["R1"], lab.driver("R1"), secrets.token_hex(10)
    host = Host(
        name="R1", username="admin", password=password, console=lambda: driver.console(node, enable_secret=ENABLE)
    )
    server = SshServer(hosts=[host], guard=_Open())
    target = SshTarget(
        host="127.0.0.1", port=server.ports["R1"], user=host.username, password=password, host_key="ignore"
    )
    return ConsoleServer(SshLine("R1", target), listener=listener)


class _Open:
    """Implements ``lab.ssh.hosts.Guard``: all may be typed."""

    stands_still = False

    def moving(self) -> Any:
        from pytest_netbench.lab.ssh.hosts import Typed

        return contextlib.nullcontext(Typed())

    def enter(self, device: str, session: str, line: str, kind: Any) -> Any:
        from pytest_netbench.lab.ssh.hosts import Typed

        return contextlib.nullcontext(Typed())

    def broken(self, device: str, error: Exception) -> None:
        print(f"{device}: {error}", file=sys.stderr)


def _answer_monitor(port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port))

    def run() -> None:
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=_prompt, args=(peer,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()


def _prompt(peer: socket.socket) -> None:
    with peer:
        peer.sendall(b"(qemu) ")
        while peer.recv(_MOST):
            peer.sendall(b"\r\n(qemu) ")


def _connect(host: Any, remote: int, local: int) -> None:
    """Pass frames between a host's interface and UDP ports of this machine."""
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    wire.bind(("127.0.0.1", local))
    inside = _inside(_namespace(host), lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL)))

    def out() -> None:
        while True:
            frame, (_, _, kind, *_) = inside.recvfrom(_MOST)
            if kind != socket.PACKET_OUTGOING:
                wire.sendto(frame, ("127.0.0.1", remote))

    def back() -> None:
        while True:
            inside.send(wire.recv(_MOST))

    for run in (out, back):
        threading.Thread(target=_for_ever, args=(run,), daemon=True).start()


def _for_ever(run: Callable[[], None]) -> None:
    while True:
        try:
            run()
        except ConnectionRefusedError:
            continue  # the other end is not there yet
        except OSError as error:
            print(f"a frame was lost: {error}", file=sys.stderr)


def _namespace(host: Any) -> Path:
    """The network namespace of a node, by a program that is started there."""
    mark = f"9{uuid.uuid4().int % 10**12}"
    host.start(["sleep", mark])
    ends_at = time.monotonic() + _START_S
    while time.monotonic() < ends_at:  # a process has the arguments of its parent until it has become the program
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (place / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", mark.encode()]:
                    return place / "ns/net"
        time.sleep(0.01)
    raise AssertionError(f"no program runs on the host {_START_S:g} s after its start")


def _inside(namespace: Path, make: Callable[[], socket.socket]) -> socket.socket:
    """A packet socket of another namespace; a thread goes there alone."""
    found: list[socket.socket] = []
    libc = ctypes.CDLL(None, use_errno=True)

    def run() -> None:
        handle = os.open(namespace, os.O_RDONLY)
        if libc.setns(handle, _NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        one = make()
        one.bind(("eth0", 0))
        index = socket.if_nametoindex("eth0")
        one.setsockopt(*_PROMISCUOUS, index.to_bytes(4, "little") + (1).to_bytes(2, "little") + bytes(10))
        found.append(one)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


if __name__ == "__main__":
    main()
