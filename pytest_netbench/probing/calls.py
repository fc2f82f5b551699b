"""What is measured of networks, each as one call of a short-lived process. Standard library only.

A call takes its request as a dictionary and returns what JSON can say.
"""

from __future__ import annotations

import contextlib
import gc
import ipaddress
import json
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from pytest_netbench.probing import captures, closing, neighbors, packets
from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.networks import Networks
from pytest_netbench.probing.overflow import AGAIN, Overflow, wait_for_calm
from pytest_netbench.probing.probes import Prober
from pytest_netbench.probing.sockets import Sockets
from pytest_netbench.probing.traffic import Traffic

TRIES = 2
_HOP_LIMITS = {4: (socket.IPPROTO_IP, socket.IP_TTL), 6: (socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS)}


def trace(sockets: Sockets, request: dict[str, Any]) -> list[str | None]:
    """The address of each hop up to the last that answered; ``None`` for one that did not."""
    return _Trace(sockets, request).run()


class _Trace:
    def __init__(self, sockets: Sockets, request: dict[str, Any]) -> None:
        self._target = request["target"]
        self._version = ipaddress.ip_address(self._target).version
        self._limits = range(1, request["max_hops"] + 1)
        self._patience_s = request["patience_s"] / TRIES
        self._socket = sockets.open(request["source"], "icmp", self._version)
        self._socket.setblocking(True)
        self._disguise = Disguise()
        self._identifier = int.from_bytes(os.urandom(2), "big")
        self._hops: dict[int, str] = {}
        self._reached: int | None = None

    def run(self) -> list[str | None]:
        for _ in range(TRIES):
            self._send()
            self._receive()
            if self._is_complete():
                break
        last = self._reached or max(self._hops, default=0)
        return [self._hops.get(limit) for limit in range(1, last + 1)]

    def _send(self) -> None:
        for limit in self._limits:
            self._socket.setsockopt(*_HOP_LIMITS[self._version], limit)
            with contextlib.suppress(OSError):
                message = packets.echo_request(self._identifier, limit, self._disguise.echo(), version=self._version)
                self._socket.sendto(message, (self._target, 0))

    def _receive(self) -> None:
        deadline = time.monotonic() + self._patience_s
        while not self._is_complete() and (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                data, sender = self._socket.recvfrom(2048)
            except TimeoutError:
                return
            self._take(data, sender[0])

    def _take(self, data: bytes, sender: str) -> None:
        message = packets.read_icmp(data, version=self._version)
        if message is None or message.identifier != self._identifier:
            return
        self._hops.setdefault(message.sequence, sender)
        if message.kind == "reply":
            self._reached = min(self._reached or message.sequence, message.sequence)

    def _is_complete(self) -> bool:
        return self._reached is not None and all(limit in self._hops for limit in range(1, self._reached + 1))


Request = dict[str, Any]
Measured = tuple[Any, Sequence[int]]
"""A result, and descriptors that take their time to close."""


class Calls:
    """Measures in networks.

    Args:
        networks: The networks of the nodes.
    """

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self._sockets = Sockets(networks)

    def probe(self, request: Request) -> Measured:
        """Packet exchanges, all at once. What fails while the machine drops packets is tried again, twice at most."""
        overflow = Overflow()
        reports, closing = self._probe_once(request, request["probes"])
        for _ in range(AGAIN):
            lost = [number for number, report in enumerate(reports) if not report["delivered"]]
            if not lost or not overflow:
                break
            wait_for_calm()
            overflow = Overflow()
            again, slow = self._probe_once(request, [request["probes"][number] for number in lost])
            closing += slow
            for number, report in zip(lost, again, strict=True):
                reports[number] = report
        return reports, closing

    def _probe_once(self, request: Request, probes: list[Request]) -> tuple[list[dict[str, Any]], list[int]]:
        prober = Prober(
            self._sockets,
            probes,
            repetitions=request["repetitions"],
            limit_s=request["limit_s"],
            seed=request["seed"],
        )
        neighbors.ask_again(self._networks)
        reports = prober.run()
        neighbors.forget(self._networks, prober.unowned)
        return reports, prober.close()

    def path(self, request: Request) -> Measured:
        """Hops towards an address."""
        return trace(self._sockets, request), ()

    def traffic(self, request: Request) -> Measured:
        """Flows, and what arrives of them. They are sent again while the machine drops packets, twice at most."""
        for _ in range(AGAIN):
            overflow = Overflow()
            reports = self._traffic_once(request)
            if not overflow:
                return reports, ()
            wait_for_calm()
        return self._traffic_once(request), ()

    def _traffic_once(self, request: Request) -> list[dict[str, Any]]:
        neighbors.ask_again(self._networks)
        return Traffic(self._sockets, request).run()

    def capture(self, request: Request) -> Measured:
        """Packets of an interface."""
        return captures.capture(self._networks, request), ()


def write_and_exit(work: Callable[[], Measured], output: int) -> NoReturn:
    """Write to ``output`` what ``work`` returns, as JSON, and end this process."""
    # a short life with many objects: looking for cycles would only delay packets
    gc.disable()
    result, slow_to_close = work()
    data = json.dumps(result).encode()
    while data:
        data = data[os.write(output, data) :]
    closing.close_elsewhere(slow_to_close)
    os._exit(0)
