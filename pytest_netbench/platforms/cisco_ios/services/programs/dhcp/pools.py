"""The leases of a DHCP server: pools, bindings, addresses in conflict. Without packets or a clock of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network
from typing import Any


@dataclass(frozen=True)
class Pool:
    """A pool: of a network, or for one host (``client``), which gets ``address``.

    ``lease_s`` is ``None`` for an infinite lease. ``options`` by code; a pool inherits those of wider pools that
    contain it.
    """

    name: str
    network: IPv4Network
    lease_s: float | None
    options: Mapping[int, bytes]
    client: bytes = b""
    address: str = ""

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> Pool:
        """Read the pool of a JSON object ``name network lease_s options client address``; bytes are hexadecimal."""
        options = {int(code): bytes.fromhex(value) for code, value in config.get("options", {}).items()}
        return cls(
            name=config["name"],
            network=IPv4Network(config["network"], strict=False),
            lease_s=config.get("lease_s", 86400.0),
            options=options,
            client=bytes.fromhex(config.get("client", "")),
            address=config.get("address", ""),
        )


@dataclass
class Binding:
    """An address leased, or (``active`` is false) offered, to a client.

    ``expires`` is in lab time, ``None`` for an infinite lease.
    """

    pool: str
    address: str
    client: bytes
    mac: bytes
    expires: float | None
    manual: bool = False
    active: bool = False


@dataclass
class Conflict:
    """An address that another host uses. ``how`` in IOS's words: ``Ping``, ``Gratuitous ARP``. ``found``: lab time."""

    address: str
    how: str
    found: float


@dataclass
class Leases:
    """Pools, bindings and conflicts."""

    pools: Sequence[Pool] = ()
    excluded: Sequence[tuple[IPv4Address, IPv4Address]] = ()
    bindings: dict[bytes, Binding] = field(default_factory=dict)
    conflicts: dict[str, Conflict] = field(default_factory=dict)

    def take_over(self, pools: Sequence[Pool], excluded: Sequence[tuple[str, str]]) -> None:
        """Replace the pools; bindings outside all new pools are removed."""
        self.pools = pools
        self.excluded = _joined((IPv4Address(low), IPv4Address(high)) for low, high in excluded)
        names = {pool.name: pool for pool in pools}
        for client, binding in list(self.bindings.items()):
            pool = names.get(binding.pool)
            if pool is None or IPv4Address(binding.address) not in pool.network:
                del self.bindings[client]

    def pool_for(self, client: bytes, mac: bytes, subnet_of: str) -> Pool | None:
        """Return the pool of ``client`` on the subnet of ``subnet_of`` (the address of the relay or interface)."""
        here = IPv4Address(subnet_of)
        fitting = [pool for pool in self.pools if here in pool.network]
        names = {client, b"\x01" + mac, mac}
        own = [pool for pool in fitting if pool.client and pool.client in names]
        shared = [pool for pool in fitting if not pool.client]
        return next(iter(own or sorted(shared, key=lambda pool: -pool.network.prefixlen)), None)

    def options(self, pool: Pool) -> dict[int, bytes]:
        """Return the options of ``pool``, including inherited ones."""
        wider = [other for other in self.pools if not other.client and pool.network.subnet_of(other.network)]
        found: dict[int, bytes] = {}
        for other in [*sorted(wider, key=lambda other: other.network.prefixlen), pool]:
            found |= other.options
        return found

    def choose(self, pool: Pool, client: bytes, wanted: str, now: float) -> str | None:
        """Return the address for ``client`` in ``pool``: its own, the requested one, or the first free one."""
        if pool.address:
            return pool.address
        known = self.bindings.get(client)
        taken = {b.address for b in self.bindings.values() if b.client != client and not _expired(b, now)}
        candidates = [known.address] if known and known.pool == pool.name else []
        for address in [*candidates, wanted]:
            if self.may_have(pool, address) and address not in taken:
                return address
        return next((address for address in self._free(pool) if address not in taken), None)

    def may_have(self, pool: Pool, address: str) -> bool:
        """Whether ``pool`` may assign ``address`` at all."""
        if pool.address:
            return address == pool.address
        number = IPv4Address(address)
        if number not in pool.network or number in {pool.network.network_address, pool.network.broadcast_address}:
            return False
        return address not in self.conflicts and not any(low <= number <= high for low, high in self.excluded)

    def is_free(self, address: str, client: bytes, now: float) -> bool:
        """Whether no other client than ``client`` has ``address``."""
        others = (b for b in self.bindings.values() if b.address == address and b.client != client)
        return all(_expired(binding, now) for binding in others)

    def _free(self, pool: Pool) -> Iterator[str]:
        number, last = int(pool.network.network_address) + 1, int(pool.network.broadcast_address)
        while number < last:
            # skip a wide exclusion in one step
            end = next((int(high) for low, high in self.excluded if int(low) <= number <= int(high)), None)
            if end is None and self.may_have(pool, str(IPv4Address(number))):
                yield str(IPv4Address(number))
            number = number + 1 if end is None else end + 1

    def expire(self, now: float) -> None:
        """Remove expired bindings."""
        for client, binding in list(self.bindings.items()):
            if _expired(binding, now):
                del self.bindings[client]

    def count(self, pool: Pool) -> tuple[int, int, int]:
        """Return the numbers of all, leased and excluded addresses."""
        total = 1 if pool.client else max(0, pool.network.num_addresses - 2)
        leased = sum(binding.pool == pool.name and binding.active for binding in self.bindings.values())
        excluded = 0
        if not pool.client:
            first, last = pool.network.network_address, pool.network.broadcast_address
            excluded = sum(max(0, int(min(high, last)) - int(max(low, first)) + 1) for low, high in self.excluded)
        return total, leased, excluded


def _joined(ranges: Iterable[tuple[IPv4Address, IPv4Address]]) -> list[tuple[IPv4Address, IPv4Address]]:
    """Return the same addresses as disjoint ranges."""
    found: list[tuple[IPv4Address, IPv4Address]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return found


def _expired(binding: Binding, now: float) -> bool:
    return binding.expires is not None and binding.expires <= now
