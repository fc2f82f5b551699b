"""Probing: many packet exchanges at once from one process.

It makes its sockets in all nodes and then serves them in one loop. Standard library only.
"""

from __future__ import annotations

import contextlib
import selectors
import time
from typing import Any

from pytest_netbench.backends.netns.supervisor.measuring.clients import Clients
from pytest_netbench.backends.netns.supervisor.measuring.exchanges import Exchange
from pytest_netbench.backends.netns.supervisor.measuring.listeners import Listeners
from pytest_netbench.backends.netns.supervisor.measuring.sniffers import Sniffers
from pytest_netbench.backends.netns.supervisor.measuring.sockets import Sockets


class Prober:
    """Serves a batch of probes.

    Args:
        sockets: Makes sockets in nodes.
        requests: The fields of each probe.
    """

    def __init__(self, sockets: Sockets, requests: list[dict[str, Any]]) -> None:
        self._selector = selectors.DefaultSelector()
        self._exchanges = [Exchange(request, number) for number, request in enumerate(requests)]
        self._clients = Clients(sockets, self._selector)
        self._listeners = Listeners(sockets, self._selector, self._exchanges)
        self._sniffers = Sniffers(sockets, self._selector, self._exchanges)

    def run(self) -> list[dict[str, Any]]:
        """All probes side by side; reports in order."""
        for exchange in self._exchanges:
            with exchange.ended_by_errors():
                self._open(exchange)
        begin = time.monotonic()
        for exchange in self._exchanges:
            exchange.start(begin)
        while open_ones := [exchange for exchange in self._exchanges if not exchange.ended]:
            self._send_due(open_ones)
            self._wait(open_ones)
        self._linger()
        return [exchange.report() for exchange in self._exchanges]

    def _open(self, exchange: Exchange) -> None:
        if node := exchange.request["listen_on"]:
            self._sniffers.watch(node)
            if exchange.protocol != "icmp":
                self._listeners.listen(node, exchange.protocol, exchange.port, exchange.version)
        self._clients.open(exchange)

    def _send_due(self, open_ones: list[Exchange]) -> None:
        now = time.monotonic()
        for exchange in open_ones:
            if exchange.is_due(now):
                with exchange.ended_by_errors():
                    self._clients.send(exchange)

    def _wait(self, open_ones: list[Exchange]) -> None:
        now = time.monotonic()
        waits = [exchange.wait_s(now) for exchange in open_ones if not exchange.ended]
        if waits:
            self._handle(max(0.0, min(waits)))

    def _handle(self, timeout: float) -> bool:
        events = self._selector.select(timeout)
        for key, _ in events:
            with contextlib.suppress(BlockingIOError):
                key.data()
        return bool(events)

    def _linger(self) -> None:
        """Take what has already arrived: an answer may overtake the sniffer's copy of its request."""
        while self._handle(0):
            continue
