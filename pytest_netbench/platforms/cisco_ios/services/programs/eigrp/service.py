"""The service ``eigrp``: neighbors, reliable packets, and routes in the kernel with EIGRP's distance and metric.

Configuration: ``{"asn", "router_id", "variance", "paths", "interfaces": [{"name", "label", "passive", "bandwidth"
(kbit/s), "delay" (tens of µs), "hello", "hold"}, …]}``.

State: ``{"neighbors": [{"address", "interface", "hold", "uptime", "queue", "sequence"}, …], "topology": [{"prefix",
"active", "feasible", "paths": [{"via", "interface", "distance", "reported", "successor"}, …]}, …], "interfaces":
[{"interface", "peers"}, …], "waiting"}``, with times in seconds of lab time.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
from collections import deque
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Timer
from pytest_netbench.platforms.cisco_ios.services.programs.common.packets import Ipv4
from pytest_netbench.platforms.cisco_ios.services.programs.eigrp import packet as wire
from pytest_netbench.platforms.cisco_ios.services.programs.eigrp.dual import CONNECTED, Dual
from pytest_netbench.platforms.cisco_ios.services.programs.eigrp.packet import Packet, Vector

DISTANCE = 90
_ORIGIN = 210
"""The protocol number of its kernel routes.

It is unknown to zebra, which reads distance and metric from the priority.
"""
_RETRY_S, _MOST_TRIES = 1.0, 16
_GRACE_S = 1.0


class Neighbor:
    """A neighbor on one interface, with the reliable packets that it has not acknowledged."""

    def __init__(self, address: str, port: Port, now: float) -> None:
        self.address, self.port, self.since = address, port, now
        self.hold_until = now
        self.heard_init = self.joined = False
        self.last_sequence = 0
        self.queue: deque[Packet] = deque()
        self.tries = 0
        self.timer: Timer | None = None


class Port:
    """An interface with EIGRP, or a passive one."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.name = str(config["name"])
        self.cost = wire.link_vector(int(config["bandwidth"]), int(config["delay"]))
        self.own: IPv4Interface | None = None
        self.socket: socket.socket | None = None
        self.timer: Timer | None = None
        self.began = 0.0


class Service:
    """EIGRP of one autonomous system."""

    def __init__(self, shared: Shared) -> None:
        self._shared, self._loop = shared, shared.loop
        self._config: dict[str, Any] = {}
        self._ports: dict[str, Port] = {}
        self._near: dict[str, Neighbor] = {}
        self._sequence = 0
        self._installed: dict[str, str] = {}
        self._due: Timer | None = None
        self._dual = self._new_dual()
        shared.links.listen(self._links_changed)

    def _new_dual(self) -> Dual:
        return Dual(
            send=self._say,
            link=lambda near: self._near[near].port.cost if near in self._near else Vector(),
            same_link=lambda one, other: (
                self._near[one].port is self._near[other].port if {one, other} <= set(self._near) else False
            ),
        )

    # -- configuration and links -------------------------------------------------------------------------------------

    def configure(self, config: dict[str, Any]) -> None:
        former, self._config = self._config, config
        wanted = {one["name"]: one for one in config.get("interfaces", ())}
        if former.get("asn") != config.get("asn"):
            wanted_now: dict[str, Any] = {}
        else:
            wanted_now = wanted
        for name, port in list(self._ports.items()):
            if wanted_now.get(name) != port.config:
                self._close(port)
                del self._ports[name]
        self._dual.variance, self._dual.most_paths = config.get("variance", 1), config.get("paths", 4)
        for name, one in wanted.items():
            if name not in self._ports:
                self._ports[name] = Port(one)
        self._links_changed()
        self._dual.refresh()
        self._install_soon()

    def _links_changed(self) -> None:
        for port in self._ports.values():
            link = self._shared.links.get(port.name)
            own = (
                IPv4Interface(f"{link.address}/{link.mask}") if link is not None and link.up and link.address else None
            )
            if own != port.own:
                self._close(port)
                self._installed = dict.fromkeys(self._installed, "")  # the kernel may have removed them with the link
                if own is not None:
                    self._begin(port, own)
        self._dual.connected(
            {str(port.own.network): port.cost for port in self._ports.values() if port.own is not None}
        )
        self._install_soon()

    def _begin(self, port: Port, own: IPv4Interface) -> None:
        port.own, port.began = own, self._loop.now()
        if port.config["passive"]:
            return
        one = socket.socket(socket.AF_INET, socket.SOCK_RAW, wire.PROTOCOL)
        one.setblocking(False)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, port.name.encode())
        member = struct.pack(
            "4s4si", socket.inet_aton(wire.GROUP), socket.inet_aton(str(own.ip)), socket.if_nametoindex(port.name)
        )
        one.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        one.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, member)
        one.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
        one.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 2)
        one.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xC0)
        port.socket = one
        self._loop.watch(one.fileno(), lambda: self._receive(port))
        self._hello(port)

    def _close(self, port: Port) -> None:
        for neighbor in [near for near in self._near.values() if near.port is port]:
            self._lose(neighbor, "interface down")
        if port.timer is not None:
            port.timer.cancel()
        if port.socket is not None:
            hold = int(port.config["hold"])
            self._emit(port, wire.GROUP, Packet(wire.HELLO, self._asn, hold_s=hold, leaving=True))
            self._loop.unwatch(port.socket.fileno())
            port.socket.close()
        port.socket, port.own, port.timer = None, None, None

    @property
    def _asn(self) -> int:
        return int(self._config.get("asn", 0))

    # -- packets -----------------------------------------------------------------------------------------------------

    def _emit(self, port: Port, target: str, packet: Packet) -> None:
        # the link went down, or a filter of the router dropped the packet: it is lost, as on a real network
        with contextlib.suppress(OSError):
            if port.socket is not None:
                port.socket.sendto(packet.pack(), (target, 0))

    def _hello(self, port: Port) -> None:
        self._emit(port, wire.GROUP, Packet(wire.HELLO, self._asn, hold_s=int(port.config["hold"])))
        port.timer = self._loop.after(float(port.config["hello"]), lambda: self._hello(port))
        now = self._loop.now()
        for neighbor in [near for near in self._near.values() if near.port is port and near.hold_until < now]:
            self._lose(neighbor, "holding time expired")

    def _receive(self, port: Port) -> None:
        assert port.socket is not None
        try:
            datagram = Ipv4.parse(port.socket.recv(1 << 16))
        except OSError:
            return
        packet = Packet.parse(datagram.payload) if datagram is not None else None
        if datagram is None or packet is None or port.own is None or packet.asn != self._asn:
            return
        if datagram.source == str(port.own.ip) or IPv4Address(datagram.source) not in port.own.network:
            return
        self._handle(port, datagram.source, packet)

    def _handle(self, port: Port, source: str, packet: Packet) -> None:
        neighbor = self._near.get(source)
        if packet.leaving:
            if neighbor is not None:
                self._lose(neighbor, "Interface Goodbye received")
            return
        if neighbor is None:
            if packet.hold_s is None:
                return  # its updates can wait until its hello has arrived
            neighbor = self._meet(source, port)
            neighbor.hold_until = self._loop.now() + packet.hold_s
        if packet.hold_s is not None:
            neighbor.hold_until = self._loop.now() + packet.hold_s
        if packet.ack:
            self._acknowledged(neighbor, packet.ack)
        if packet.sequence:
            self._reliable(neighbor, packet)

    def _reliable(self, neighbor: Neighbor, packet: Packet) -> None:
        if packet.flags & wire.INIT:
            if neighbor.heard_init and packet.sequence != neighbor.last_sequence:
                # it restarted without a goodbye
                hold = neighbor.hold_until
                self._lose(neighbor, "peer restarted")
                neighbor = self._meet(neighbor.address, neighbor.port)
                neighbor.hold_until = hold
            neighbor.heard_init = True
        elif not neighbor.heard_init:
            return  # out of order: it will be retransmitted
        self._emit(neighbor.port, neighbor.address, Packet(wire.HELLO, self._asn, ack=packet.sequence))
        if packet.sequence == neighbor.last_sequence:
            return
        neighbor.last_sequence = packet.sequence
        for prefix, vector in packet.routes:
            self._dual.hear(neighbor.address, packet.opcode, prefix, vector)
        self._maybe_join(neighbor)
        self._install_soon()

    def _meet(self, address: str, port: Port) -> Neighbor:
        neighbor = self._near[address] = Neighbor(address, port, self._loop.now())
        self._emit(port, wire.GROUP, Packet(wire.HELLO, self._asn, hold_s=int(port.config["hold"])))
        self._enqueue(neighbor, Packet(wire.UPDATE, self._asn, flags=wire.INIT))
        return neighbor

    def _maybe_join(self, neighbor: Neighbor) -> None:
        if neighbor.joined or not neighbor.heard_init or any(p.flags & wire.INIT for p in neighbor.queue):
            return
        neighbor.joined = True
        neighbor.since = self._loop.now()
        self._shared.log(
            "DUAL",
            5,
            "NBRCHANGE",
            f"EIGRP-IPv4 {self._asn}: Neighbor {neighbor.address} ({neighbor.port.config['label']}) is up: new"
            " adjacency",
        )
        for routes in wire.batches(self._dual.join(neighbor.address)):
            self._enqueue(neighbor, Packet(wire.UPDATE, self._asn, routes=routes))

    def _lose(self, neighbor: Neighbor, why: str) -> None:
        if neighbor.timer is not None:
            neighbor.timer.cancel()
        self._near.pop(neighbor.address, None)
        if neighbor.joined:
            self._shared.log(
                "DUAL",
                5,
                "NBRCHANGE",
                f"EIGRP-IPv4 {self._asn}: Neighbor {neighbor.address} ({neighbor.port.config['label']}) is down: {why}",
            )
        self._dual.leave(neighbor.address)
        self._install_soon()

    # -- one reliable packet at a time -------------------------------------------------------------------------------

    def _say(self, address: str, opcode: int, prefix: str, vector: Vector) -> None:
        if address in self._near:
            self._enqueue(self._near[address], Packet(opcode, self._asn, routes=((prefix, vector),)))

    def _enqueue(self, neighbor: Neighbor, packet: Packet) -> None:
        self._sequence += 1
        numbered = Packet(packet.opcode, packet.asn, packet.flags, self._sequence, routes=packet.routes)
        neighbor.queue.append(numbered)
        if len(neighbor.queue) == 1:
            neighbor.tries = 0
            self._transmit(neighbor)

    def _transmit(self, neighbor: Neighbor) -> None:
        if self._near.get(neighbor.address) is not neighbor or not neighbor.queue:
            return
        if neighbor.tries >= _MOST_TRIES:
            self._lose(neighbor, "retry limit exceeded")
            return
        neighbor.tries += 1
        self._emit(neighbor.port, neighbor.address, neighbor.queue[0])
        neighbor.timer = self._loop.after(_RETRY_S, lambda: self._transmit(neighbor))

    def _acknowledged(self, neighbor: Neighbor, sequence: int) -> None:
        if not neighbor.queue or neighbor.queue[0].sequence != sequence:
            return
        neighbor.queue.popleft()
        if neighbor.timer is not None:
            neighbor.timer.cancel()
        self._maybe_join(neighbor)
        if neighbor.queue:
            neighbor.tries = 0
            self._transmit(neighbor)

    # -- routes ------------------------------------------------------------------------------------------------------

    def _install_soon(self) -> None:
        if self._due is None or self._due.call is None:
            self._due = self._loop.after(0, self._install)

    def _install(self) -> None:
        self._due = None
        wanted = {prefix: words for prefix in self._dual.networks if (words := self._route(prefix))}
        lines = []
        for prefix in {*self._installed, *wanted}:
            if self._installed.get(prefix) != wanted.get(prefix):
                # delete any existing route: the priority identifies a route, and it changes with the metric
                lines.append(f"route flush exact {prefix} proto {_ORIGIN}")
                lines += [f"route add {prefix} proto {_ORIGIN} {wanted[prefix]}"] if prefix in wanted else []
        if lines:
            subprocess.run(
                ["/usr/sbin/ip", "-force", "-batch", "-"],
                input="\n".join([*lines, ""]),
                capture_output=True,
                text=True,
                check=False,
            )
        self._installed = wanted

    def _route(self, prefix: str) -> str:
        network = self._dual.networks[prefix]
        ways = [way for way in network.successors if way != CONNECTED and way in self._near]
        if not ways or CONNECTED in network.successors:
            return ""
        distance = min(self._dual.distance(network, ways[0]), 0xFFFFFF)
        hops = [f"via {way} dev {self._near[way].port.name}" for way in ways]
        ahead = hops[0] if len(hops) == 1 else " ".join(f"nexthop {hop}" for hop in hops)
        return f"metric {DISTANCE << 24 | distance} {ahead}"

    # -- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        now = self._loop.now()
        neighbors = [
            {
                "address": near.address,
                "interface": near.port.config["label"],
                "hold": max(0, int(near.hold_until - now)),
                "uptime": now - near.since,
                "queue": len(near.queue),
                "sequence": near.last_sequence,
            }
            for near in self._near.values()
            if near.joined
        ]
        interfaces = [
            {
                "interface": port.config["label"],
                "peers": sum(near.port is port and near.joined for near in self._near.values()),
            }
            for port in self._ports.values()
            if port.own is not None and not port.config["passive"]
        ]
        topology = [self._shown(prefix) for prefix in sorted(self._dual.networks, key=IPv4Interface)]
        return {"neighbors": neighbors, "interfaces": interfaces, "topology": topology, "waiting": self._waiting(now)}

    def _shown(self, prefix: str) -> dict[str, Any]:
        network = self._dual.networks[prefix]
        paths = []
        for way in sorted(network.reported, key=lambda way: self._dual.distance(network, way)):
            distance = self._dual.distance(network, way)
            if distance == wire.INFINITE:
                continue
            own = way == CONNECTED
            port = (
                next((p for p in self._ports.values() if p.own is not None and str(p.own.network) == prefix), None)
                if own
                else self._near[way].port
            )
            paths.append(
                {
                    "via": way,
                    "interface": port.config["label"] if port else "",
                    "distance": distance,
                    "reported": 0 if own else network.reported[way].distance,
                    "successor": way in network.successors,
                    "feasible": own or network.reported[way].distance < network.feasible,
                }
            )
        return {"prefix": prefix, "active": network.active, "feasible": network.feasible, "paths": paths}

    def _waiting(self, now: float) -> list[str]:
        found = [f"EIGRP neighbor {near.address} is not up yet" for near in self._near.values() if not near.joined]
        found += [f"EIGRP has news for {near.address}" for near in self._near.values() if near.joined and near.queue]
        found += [
            f"EIGRP route {prefix} is active" for prefix, network in self._dual.networks.items() if network.active
        ]
        listening = [port for port in self._ports.values() if port.socket is not None]
        found += [
            f"EIGRP has not listened on {port.config['label']} for long enough"
            for port in listening
            if now - port.began < float(port.config["hello"]) + _GRACE_S
            and not any(n.port is port for n in self._near.values())
        ]
        return found

    def command(self, words: list[str]) -> str:
        """Run ``clear neighbors``: neighbors are discovered again."""
        if words != ["clear", "neighbors"]:
            raise ValueError(f"eigrp knows no command {' '.join(words)!r} (known: clear neighbors)")
        for neighbor in list(self._near.values()):
            self._lose(neighbor, "manually cleared")
        return ""
