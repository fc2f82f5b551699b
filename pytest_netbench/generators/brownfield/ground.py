"""Ground: what leftovers of one device are made of: names in its style, and addresses that the network does not use."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from pytest_netbench.model.network import DrawnNetwork

_SITES: Final = (
    "AMS",
    "BRN",
    "CPH",
    "DUB",
    "FRA",
    "GVA",
    "HEL",
    "KTW",
    "LUX",
    "MIL",
    "OSL",
    "PRG",
    "RIX",
    "STO",
    "VIE",
)
_PURPOSES: Final = (
    *(
        "BACKUP",
        "CCTV",
        "CORE-IN",
        "CUST",
        "EXPORT-LAN",
        "GUEST",
        "INFRA",
        "LAB",
        "LINK-IN",
        "LOCAL",
        "MGMT",
        "MONITOR",
    ),
    *("OLD-DC", "PARTNER", "PRINTERS", "PROTECT", "SCADA", "SERVERS", "SNMP-RO", "TEST", "TRANSIT", "VOICE", "WIFI"),
)
_OWNERS: Final = ("ahl", "bkm", "cz", "dve", "jrs", "noc", "pt", "ruud", "team-net", "ws")
_BLOCKS: Final = 3


class Ground:
    """What leftovers of a device are made of.

    Args:
        source: Of all choices.
        retired: Blocks of sites that are gone; no address of the network is in them.
        taken: Words that no name may be.
    """

    def __init__(self, source: random.Random, retired: Sequence[IPv4Network], taken: Collection[str]) -> None:
        self.source = source
        self._retired = tuple(retired)
        self._taken = {*taken}
        self._style = source.randrange(3)

    def name(self) -> str:
        """A name that nothing on the device has yet, in the style of the device."""
        while True:
            words = [self.source.choice(_PURPOSES)]
            if self.source.random() < 0.7:
                words.insert(self.source.randrange(2), self.source.choice(_SITES))
            if self.source.random() < 0.3:
                words.append(str(self.source.randint(1, 99)))
            name = ("-".join(words), "_".join(words).lower(), "-".join(words).title())[self._style]
            if self.take(name):
                return name

    def number(self, low: int, high: int) -> str | None:
        """A number from ``low`` to ``high`` that nothing on the device has yet; ``None`` if a few tries find none."""
        drawn = (str(self.source.randint(low, high)) for _ in range(10))
        return next((one for one in drawn if self.take(one)), None)

    def take(self, word: str) -> bool:
        """Whether a word was free. It is taken from now on."""
        is_free = word not in self._taken
        self._taken.add(word)
        return is_free

    def network(self, low: int = 22, high: int = 28) -> IPv4Network:
        """A prefix of a length from ``low`` to ``high`` that the network does not use."""
        block, length = self.source.choice(self._retired), self.source.randint(low, high)
        start = int(block.network_address) + (self.source.randrange(1 << (length - block.prefixlen)) << (32 - length))
        return IPv4Network((start, length))

    def address(self) -> IPv4Address:
        """An address that the network does not use."""
        block = self.source.choice(self._retired)
        return block[self.source.randrange(1, block.num_addresses - 1)]

    def note(self) -> str:
        """Words of somebody who worked here."""
        some = self.source
        return some.choice(
            (
                f"{some.choice(_SITES)} {some.choice(('migration', 'cutover', 'rollout'))} {some.randint(2009, 2024)}",
                f"do not remove, ask {some.choice(_OWNERS)}",
                f"CHG{some.randint(10_000, 99_999):07} {some.choice(_OWNERS)}",
                f"temporary until {some.randint(1, 12):02}/{some.randint(2012, 2024)}",
                f"{some.choice(_OWNERS)}: test, remove after {some.choice(('audit', 'move', 'swap', 'tender'))}",
                f"legacy {some.choice(_SITES)}",
                f"see ticket {some.randint(1_000, 99_999)}",
            )
        )


def retired_blocks(network: DrawnNetwork, source: random.Random) -> tuple[IPv4Network, ...]:
    """Draw private blocks of which the network has no address, in ascending order."""
    used = [IPv4Network(subnet.prefix) for subnet in network.subnets]
    free = [
        block
        for block in IPv4Network("10.0.0.0/8").subnets(new_prefix=12)
        if not any(block.overlaps(one) for one in used)
    ]
    return tuple(sorted(source.sample(free, _BLOCKS)))
