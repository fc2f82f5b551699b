"""Probing: many packet exchanges at once from one process, in one loop. Standard library only.

The loop's work is proportional to the number of events: dictionaries identify packets by contents and flows, and
deadlines are in a heap. A probe is given up only after its deadline has passed and all sockets were read until empty.
So the result depends on the kernel's receive times and not on when this process was scheduled.
"""

from __future__ import annotations

import heapq
import ipaddress
import resource
from collections import deque
from typing import Any

from pytest_netbench.probing.disguise import Disguise
from pytest_netbench.probing.events import Events, now_ns
from pytest_netbench.probing.exchanges import Exchange
from pytest_netbench.probing.identities import Identities
from pytest_netbench.probing.receivers import Receiver
from pytest_netbench.probing.senders import Senders
from pytest_netbench.probing.sockets import Sockets
from pytest_netbench.probing.spoofed_sources import SpoofedSources
from pytest_netbench.probing.streams import Clients, Listeners

# Sent at once, before arrivals are read: queues of the kernel hold more.
_BURST = 32
_RETRY_NS = 2_000_000
_MOST_CONNECTIONS = 2000


class Prober:
    """Serves a batch of probes.

    Args:
        sockets: Makes sockets in nodes.
        requests: The fields of each probe.
        repetitions: How often an unanswered probe is sent again, if its fields do not say so.
        limit_s: When to stop whatever happens, in seconds.
        seed: Draws the same contents again; ``None`` for other ones each time.
    """

    def __init__(
        self,
        sockets: Sockets,
        requests: list[dict[str, Any]],
        *,
        repetitions: int,
        limit_s: float,
        seed: int | None = None,
    ) -> None:
        self._sockets = sockets
        self._stop = now_ns() + int(limit_s * 1e9)
        self._disguise = Disguise(seed)
        # drawn for each call: taps keep only segments that announce it, and agents cannot tell them by it
        self._window = self._disguise.window()
        self._events = Events()
        self._identities = Identities()
        self._receivers: dict[str, Receiver] = {}
        self._spoofed_sources: dict[str, SpoofedSources] = {}
        self._own: dict[tuple[str, str], bool] = {}
        self._senders = Senders(
            sockets=sockets,
            receivers=self._receivers,
            identities=self._identities,
            disguise=self._disguise,
            window=self._window,
        )
        self._listeners = Listeners(sockets=sockets, events=self._events, identities=self._identities)
        self._clients = Clients(
            sockets=sockets, events=self._events, identities=self._identities, disguise=self._disguise
        )
        self._most_connections = min(_MOST_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 4)
        self._fresh: deque[Exchange] = deque()
        self._due: list[tuple[int, int, Exchange]] = []
        self._lost_packets = 0
        self._open = len(requests)
        self._exchanges = [self._begin(request, repetitions) for request in requests]

    def run(self) -> list[dict[str, Any]]:
        """All probes side by side; reports in order."""
        for exchange in self._exchanges:
            try:
                self._prepare(exchange)
            except OSError as error:
                exchange.fail(error)
        self._fresh.extend(_one_of_each_source_in_turn(self._exchanges))
        while self._open and now_ns() < self._stop:
            swept = now_ns()
            if self._events.sweep(self._wait_ns(swept)):
                self._expire(swept)
            for _ in range(min(_BURST, len(self._fresh))):
                self._send(self._fresh.popleft())
        self._events.sweep()
        return [exchange.report() for exchange in self._exchanges]

    @property
    def unowned(self) -> set[bytes]:
        """Addresses that were sent to or from and that, as far as is known, no node has."""
        found = {one.packed for one in self._exchanges if one.stand_in or not (one.watched or one.answered)}
        sources = (exchange.request["source_address"] for exchange in self._exchanges if exchange.foreign)
        found.update(ipaddress.ip_address(address).packed for address in sources)
        return found

    def close(self) -> list[int]:
        """Close everything but taps, which take their time; returns their descriptors."""
        self._listeners.close()
        return self._sockets.close()

    def _begin(self, request: dict[str, Any], repetitions: int) -> Exchange:
        if request["protocol"] in ("tcp", "udp", "segment") and request["port"] is None:
            request["port"] = self._disguise.port()
        own = request["repetitions"]
        return Exchange(request, repetitions=repetitions if own is None else own, ended=self._ended)

    def _ended(self, exchange: Exchange) -> None:
        self._open -= 1
        self._clients.close(exchange)

    def _receiver(self, node: str) -> Receiver:
        if node not in self._receivers:
            self._receivers[node] = Receiver(
                node=node,
                sockets=self._sockets,
                events=self._events,
                identities=self._identities,
                window=self._window,
            )
        return self._receivers[node]

    def _prepare(self, exchange: Exchange) -> None:
        source, protocol, version = self._receiver(exchange.source), exchange.protocol, exchange.version
        source.hear("icmp", version)
        if protocol == "udp":
            source.hear("udp", version)
        elif protocol == "tcp":
            source.watch()
        for node in (*exchange.watched, *exchange.followed):
            self._receiver(node).watch()
        for node in exchange.watched:
            if protocol != "tcp":
                self._receiver(node).hear(protocol, version)
        if exchange.listen_on and protocol == "udp":
            self._receiver(exchange.listen_on).answer_datagrams(version, exchange.listen_port)
        elif exchange.listen_on and protocol == "tcp":
            exchange.occupied = self._listeners.listen(
                self._receiver(exchange.listen_on), version, exchange.listen_port
            )
        if exchange.stand_in:
            self._spoofed(exchange.stand_in).add(exchange.target)
        self._prepare_source(exchange)

    def _prepare_source(self, exchange: Exchange) -> None:
        node, address = exchange.source, exchange.request["source_address"]
        if not address:
            return
        if (node, address) not in self._own:
            self._own[node, address] = self._sockets.has(node, address, exchange.version)
        exchange.foreign = not self._own[node, address]
        if exchange.foreign:
            self._spoofed(node).add(address)

    def _spoofed(self, node: str) -> SpoofedSources:
        if node not in self._spoofed_sources:
            self._spoofed_sources[node] = SpoofedSources(
                receiver=self._receiver(node),
                sockets=self._sockets,
                identities=self._identities,
                disguise=self._disguise,
            )
        return self._spoofed_sources[node]

    def _send(self, exchange: Exchange) -> None:
        if exchange.ended:
            return
        if exchange.protocol == "tcp" and self._clients.count >= self._most_connections and not exchange.tries:
            self._wait_until(exchange, now_ns() + _RETRY_NS)
            return
        exchange.begin_try(self._lost_packets)
        try:
            self._send_by_protocol(exchange)
        except BlockingIOError:
            exchange.undo_try()
            self._wait_until(exchange, now_ns() + _RETRY_NS)
        except OSError as error:
            exchange.fail(error)
        else:
            exchange.was_sent()
            self._wait_until(exchange, exchange.due)

    def _send_by_protocol(self, exchange: Exchange) -> None:
        if exchange.protocol != "tcp":
            self._senders.send(exchange)
        elif exchange.foreign:
            self._spoofed_sources[exchange.source].connect(exchange)
        else:
            self._clients.connect(exchange, self._receiver(exchange.source))

    def _wait_until(self, exchange: Exchange, due: int) -> None:
        heapq.heappush(self._due, (due, id(exchange), exchange))

    def _wait_ns(self, now: int) -> int:
        while self._due and self._due[0][2].ended:
            heapq.heappop(self._due)
        if self._fresh or not self._due:
            return 0
        return min(self._due[0][0], self._stop) - now

    def _expire(self, swept: int) -> None:
        """Repeat or give up what was due before all sockets were read empty."""
        late = []
        while self._due and self._due[0][0] <= swept:
            exchange = heapq.heappop(self._due)[2]
            if not exchange.ended:
                late.append(exchange)
        if any(exchange.is_last_try for exchange in late):
            self._lost_packets = sum(receiver.dropped() for receiver in self._receivers.values())
        for exchange in late:
            if exchange.due > swept:
                self._wait_until(exchange, exchange.due)
            elif exchange.may_repeat(self._lost_packets):
                self._fresh.append(exchange)
            else:
                exchange.give_up()


def _one_of_each_source_in_turn(exchanges: list[Exchange]) -> list[Exchange]:
    """So that the first packets of each node find its neighbors before many wait for them."""
    turns: dict[str, int] = {}
    order: list[tuple[int, int]] = []
    for number, exchange in enumerate(exchanges):
        turn = turns[exchange.source] = turns.get(exchange.source, 0) + 1
        order.append((turn, number))
    return [exchanges[number] for _, number in sorted(order)]
