"""A DHCP server (RFC 2131 §4.3): its answers, given its pools. It probes an address before it offers it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp import packet as dhcp_packet
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.packet import NOWHERE, DhcpMessage, Kind, Option
from pytest_netbench.platforms.cisco_ios.services.programs.dhcp.pools import Binding, Conflict, Leases, Pool

_OFFER_S = 60.0

InUse = Callable[[str, Callable[[bool], None]], None]
"""Finds out whether an address is in use, and calls the given function with the result."""


@dataclass(frozen=True)
class Arrival:
    """A received message with its incoming interface, and the address of that interface."""

    message: DhcpMessage
    interface: str
    address: str


class DhcpServer:
    """A DHCP server.

    Args:
        loop: The loop, for the time.
        in_use: Finds out whether an address is in use.
        send: Sends an answer to the sender of an arrival.
    """

    def __init__(self, loop: Loop, in_use: InUse, send: Callable[[Arrival, DhcpMessage], None]) -> None:
        self._loop, self._in_use, self._send = loop, in_use, send
        self._asking: set[bytes] = set()
        self.leases = Leases()
        self.counters: Counter[str] = Counter()

    def serves(self, arrival: Arrival) -> bool:
        """Whether there is a pool for an arrival."""
        return self._pool(arrival) is not None

    def receive(self, arrival: Arrival) -> None:
        """Handle a message from a client, directly or through a relay."""
        self.leases.expire(self._loop.now())
        kind = arrival.message.kind
        self.counters[f"received {kind.name}"] += 1
        pool = self._pool(arrival)
        if pool is None:
            return
        if kind is Kind.DISCOVER:
            self._discover(arrival, pool)
        elif kind is Kind.REQUEST:
            self._request(arrival, pool)
        elif kind is Kind.INFORM:
            self._answer(arrival, pool, Kind.ACK, None)
        elif kind is Kind.DECLINE:
            self._decline(arrival.message)
        elif kind is Kind.RELEASE:
            self._release(arrival.message)

    def _pool(self, arrival: Arrival) -> Pool | None:
        message = arrival.message
        subnet_of = message.giaddr if message.giaddr != NOWHERE else arrival.address
        if message.giaddr == NOWHERE and message.ciaddr != NOWHERE and message.kind in {Kind.REQUEST, Kind.RELEASE}:
            # a client that renews or releases a lease from a relay sends directly to the server
            subnet_of = message.ciaddr
        return self.leases.pool_for(message.client, message.chaddr, subnet_of) if subnet_of else None

    # -- requests ----------------------------------------------------------------------------------------------------

    def _discover(self, arrival: Arrival, pool: Pool) -> None:
        message = arrival.message
        if message.client in self._asking:
            return
        address = self.leases.choose(pool, message.client, message.requested, self._loop.now())
        if address is None:
            return
        known = self.leases.bindings.get(message.client)
        if pool.address or (known is not None and known.address == address):
            self._offer(arrival, pool, address)
            return
        self._asking.add(message.client)
        self._in_use(address, lambda used: self._probed(arrival, pool, address, used))

    def _probed(self, arrival: Arrival, pool: Pool, address: str, used: bool) -> None:
        self._asking.discard(arrival.message.client)
        if used:
            self.leases.conflicts[address] = Conflict(address, "Ping", self._loop.now())
            self._discover(arrival, pool)
        elif pool in self.leases.pools and self.leases.is_free(address, arrival.message.client, self._loop.now()):
            self._offer(arrival, pool, address)
        else:
            self._discover(arrival, pool)

    def _offer(self, arrival: Arrival, pool: Pool, address: str) -> None:
        message = arrival.message
        known = self.leases.bindings.get(message.client)
        if known is None or known.address != address:
            expires = self._loop.now() + _OFFER_S
            self.leases.bindings[message.client] = Binding(
                pool.name, address, message.client, message.chaddr, expires, bool(pool.address)
            )
        self._answer(arrival, pool, Kind.OFFER, address)

    def _request(self, arrival: Arrival, pool: Pool) -> None:
        message, now = arrival.message, self._loop.now()
        if message.server and message.server != arrival.address:
            known = self.leases.bindings.get(message.client)
            if known is not None and not known.active:  # the client has accepted the offer of another server
                del self.leases.bindings[message.client]
            return
        wanted = message.requested
        fits = self.leases.may_have(pool, wanted) and self.leases.is_free(wanted, message.client, now)
        known = self.leases.bindings.get(message.client)
        if not fits or (message.server and (known is None or known.address != wanted)):
            self._answer(arrival, pool, Kind.NAK, None)
            return
        expires = None if pool.lease_s is None else now + pool.lease_s
        self.leases.bindings[message.client] = Binding(
            pool.name, wanted, message.client, message.chaddr, expires, bool(pool.address), active=True
        )
        self._answer(arrival, pool, Kind.ACK, wanted)

    def _decline(self, message: DhcpMessage) -> None:
        known = self.leases.bindings.get(message.client)
        if known is not None and known.address == message.requested:
            del self.leases.bindings[message.client]
            self.leases.conflicts[known.address] = Conflict(known.address, "Gratuitous ARP", self._loop.now())

    def _release(self, message: DhcpMessage) -> None:
        known = self.leases.bindings.get(message.client)
        if known is not None and known.address == message.ciaddr:
            del self.leases.bindings[message.client]

    def _answer(self, arrival: Arrival, pool: Pool, kind: Kind, address: str | None) -> None:
        options = {int(Option.SERVER_ID): dhcp_packet.addresses(arrival.address)}
        if kind is not Kind.NAK:
            options |= {Option.MASK: dhcp_packet.addresses(str(pool.network.netmask)), **self.leases.options(pool)}
        if address is not None:
            options |= _times(pool.lease_s)
        self.counters[f"sent {kind.name}"] += 1
        self._send(arrival, arrival.message.answer(kind, options, yiaddr=address or NOWHERE))

    # -- commands and state ------------------------------------------------------------------------------------------

    def clear(self, what: str, address: str) -> None:
        """Remove bindings or conflicts: of one address, or all (``*``).

        Raises:
            ValueError: The address has none.
        """
        if what == "binding":
            gone: list[Any] = [c for c, b in self.leases.bindings.items() if address in {"*", b.address}]
            for client in gone:
                del self.leases.bindings[client]
        else:
            gone = [a for a in self.leases.conflicts if address in {"*", a}]
            for found in gone:
                del self.leases.conflicts[found]
        if not gone and address != "*":
            raise ValueError(f"no {what} of {address}")

    def report(self) -> dict[str, Any]:
        """Return the state for ``show ip dhcp``, with relative times in seconds of lab time; ``None`` is never."""
        now = self._loop.now()
        self.leases.expire(now)
        return {
            "bindings": [
                {
                    "pool": binding.pool,
                    "address": binding.address,
                    "client": binding.client.hex(),
                    "left_s": None if binding.expires is None else binding.expires - now,
                    "manual": binding.manual,
                }
                for binding in self.leases.bindings.values()
                if binding.active
            ],
            "conflicts": [
                {"address": conflict.address, "how": conflict.how, "ago_s": now - conflict.found}
                for conflict in self.leases.conflicts.values()
            ],
            "pools": {
                pool.name: dict(zip(("total", "leased", "excluded"), self.leases.count(pool), strict=True))
                for pool in self.leases.pools
            },
            "counters": dict(self.counters),
        }


def _times(lease_s: float | None) -> dict[int, bytes]:
    if lease_s is None:
        return {Option.LEASE_TIME: b"\xff" * 4}
    return {
        Option.LEASE_TIME: dhcp_packet.seconds(lease_s),
        Option.RENEWAL_TIME: dhcp_packet.seconds(lease_s / 2),
        Option.REBINDING_TIME: dhcp_packet.seconds(lease_s * 7 / 8),
    }
