"""Stands in for `ubridge` and for Ethernet switches of `dynamips`: frames between UDP ports, told by lines over TCP.

Usage: wires.py NAME -H HOST:PORT …, or wires.py NAME -v. Of ubridge's packet filters it knows `frequency_drop`,
`packet_loss` and `delay`; of the switches, that a frame for an address that was seen goes to one port only.
"""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import socket
import sys
import threading
from collections.abc import Callable

_MOST = 65_535
VERSIONS = {"ubridge": "0.9.19", "dynamips": "0.2.23-amd64"}


class Port:
    """One end of a wire: a UDP socket and where its frames go."""

    def __init__(self, local: str, host: str, remote: str) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("", int(local)))
        self._to = (host, int(remote))

    def send(self, frame: bytes) -> None:
        try:
            self.socket.sendto(frame, self._to)
        except OSError:
            return  # the other end is not there yet, or no more

    def listen(self, take: Callable[[bytes], None]) -> None:
        """Give each frame that comes to ``take``, until the port is closed."""

        def run() -> None:
            while True:
                try:
                    frame = self.socket.recv(_MOST)
                except ConnectionRefusedError:
                    continue
                except OSError:
                    return
                if not frame:
                    return
                take(frame)

        threading.Thread(target=run, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):  # not connected; the thread wakes all the same
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class Bridge:
    """ubridge's bridge: two ports, and filters for both ways."""

    def __init__(self) -> None:
        self.ports: list[Port] = []
        self.filters: dict[str, list[str]] = {}

    def start(self) -> None:
        for port, other in zip(self.ports, reversed(self.ports), strict=True):
            port.listen(lambda frame, other=other: self._pass(frame, other))  # type: ignore[misc]

    def _pass(self, frame: bytes, port: Port) -> None:
        delay_s = 0.0
        for kind, *values in self.filters.values():
            if kind == "frequency_drop" and values[0] == "-1":
                return
            if kind == "packet_loss" and random.random() * 100 < int(values[0]):
                return
            if kind == "delay":
                jitter = int(values[1]) if len(values) > 1 else 0
                delay_s += max(0.0, int(values[0]) + random.uniform(-jitter, jitter)) / 1000
        if delay_s:
            threading.Timer(delay_s, port.send, (frame,)).start()
        else:
            port.send(frame)


class Switch:
    """A switch of dynamips, all of whose ports are in one VLAN."""

    def __init__(self) -> None:
        self.ports: dict[str, Port] = {}
        self._seen: dict[bytes, str] = {}

    def plug(self, name: str, port: Port) -> None:
        self.ports[name] = port
        port.listen(lambda frame: self._pass(frame, name))

    def unplug(self, name: str) -> None:
        del self.ports[name]
        self._seen = {address: port for address, port in self._seen.items() if port != name}

    def _pass(self, frame: bytes, source: str) -> None:
        target, sender = frame[:6], frame[6:12]
        self._seen[sender] = source
        known = self._seen.get(target)
        for name, port in list(self.ports.items()):
            if name != source and (known is None or known == name or target[0] & 1):
                port.send(frame)


class Wires:
    """What the lines of a connection ask for."""

    def __init__(self) -> None:
        self.bridges: dict[str, Bridge] = {}
        self.switches: dict[str, Switch] = {}
        self.ports: dict[str, Port] = {}

    def answer(self, module: str, command: str, words: list[str]) -> str | None:
        """Carry a command out; return what it says, or ``None`` if there is no such command."""
        if module == "hypervisor":
            return VERSIONS[sys.argv[1]] if command == "version" else "OK"
        carry_out = getattr(self, f"{module}_{command}", None)
        if carry_out is None:
            return None
        carry_out(*words)
        return "OK"

    def bridge_create(self, name: str) -> None:
        self.bridges[name] = Bridge()

    def bridge_add_nio_udp(self, name: str, *ends: str) -> None:
        self.bridges[name].ports.append(Port(*ends))

    def bridge_start(self, name: str) -> None:
        self.bridges[name].start()

    def bridge_delete(self, name: str) -> None:
        for port in self.bridges.pop(name).ports:
            port.close()

    def bridge_reset_packet_filters(self, name: str) -> None:
        self.bridges[name].filters.clear()

    def bridge_add_packet_filter(self, name: str, title: str, *values: str) -> None:
        self.bridges[name].filters[title] = list(values)

    def nio_create_udp(self, name: str, *ends: str) -> None:
        self.ports[name] = Port(*ends)

    def nio_delete(self, name: str) -> None:
        self.ports.pop(name).close()

    def ethsw_create(self, name: str) -> None:
        self.switches[name] = Switch()

    def ethsw_rename(self, name: str, new: str) -> None:
        self.switches[new] = self.switches.pop(name)

    def ethsw_delete(self, name: str) -> None:
        del self.switches[name]

    def ethsw_add_nio(self, name: str, port: str) -> None:
        self.switches[name].plug(port, self.ports[port])

    def ethsw_remove_nio(self, name: str, port: str) -> None:
        self.switches[name].unplug(port)

    def ethsw_set_access_port(self, name: str, port: str, vlan: str) -> None:
        """All ports are in one VLAN."""


def serve(connection: socket.socket, wires: Wires) -> None:
    """Answer the lines of one connection."""
    with connection, connection.makefile("rw", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            module, command, *words = shlex.split(line)
            try:
                said = wires.answer(module, command, words)
            except (KeyError, OSError) as error:
                lines.write(f"209-{error!r}\r\n")
            else:
                lines.write(f"100-{said}\r\n" if said is not None else f"202-unknown: {line.strip()}\r\n")
            lines.flush()
            if (module, command) == ("hypervisor", "stop"):
                os._exit(0)


def main() -> None:
    """Listen where the arguments say."""
    name, *arguments = sys.argv[1:]
    if "-H" not in arguments:
        print(
            "ubridge version 0.9.19" if name == "ubridge" else "Cisco Router Simulation Platform (version 0.2.23-amd64)"
        )
        return
    host, _, port = arguments[arguments.index("-H") + 1].rpartition(":")
    wires = Wires()
    with socket.create_server((host or "127.0.0.1", int(port))) as listener:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, wires), daemon=True).start()


if __name__ == "__main__":
    main()
