"""Pools of global addresses: each inside host gets its own, the lowest free one, until the pool is exhausted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address

from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.compile.context import Context
from pytest_netbench.platforms.cisco_ios.compile.state import Chain
from pytest_netbench.platforms.cisco_ios.config.tree import Section

_MOST = 1024
EXHAUSTED = "nat_exhausted"


@dataclass(frozen=True)
class Pool:
    """A pool with its first and last address."""

    name: str
    first: str
    last: str

    @cached_property
    def addresses(self) -> list[str]:
        """The addresses of the pool; a very large pool is cut to those that can be assigned here."""
        low, high = int(IPv4Address(self.first)), int(IPv4Address(self.last))
        return [str(IPv4Address(number)) for number in range(low, min(high, low + _MOST - 1) + 1)]

    @property
    def chain(self) -> Chain:
        """The chain that assigns addresses to packets."""
        return Chain("inet", f"nat_pool_{slug(self.name)}")

    @property
    def given(self) -> str:
        """The name of the map of local to global addresses."""
        return f"nat_given_{slug(self.name)}"

    @property
    def back(self) -> str:
        """The name of the map of global to local addresses."""
        return f"nat_back_{slug(self.name)}"

    def write(self, context: Context, *, entering: Chain, seconds: int) -> None:
        """Add the maps and the chain, once; ``entering`` is the chain of packets that come from outside."""
        nft = context.state.nft
        if (self.chain.family, self.chain.name) in nft.chains:
            return
        taken = f"nat_taken_{slug(self.name)}"
        lasts = f"flags dynamic,timeout; timeout {seconds}s; size 65535;"
        nft.last("inet", "map", self.given, f"type ipv4_addr : ipv4_addr; {lasts}")
        nft.last("inet", "map", self.back, f"type ipv4_addr : ipv4_addr; {lasts}")
        nft.last("inet", "set", taken, f"type ipv4_addr; {lasts}")
        nft.rule(self.chain, f"snat ip to ip saddr map @{self.given}")
        for address in self.addresses:
            # nft requires a key that depends on the packet: this expression always gives the address
            key = f"ip saddr & 0.0.0.0 | {address}"
            nft.rule(
                self.chain,
                f"{key} != @{taken} add @{taken} {{ {key} }} add @{self.given} {{ ip saddr : {address} }} "
                f"add @{self.back} {{ {key} : ip saddr }} snat ip to {address}",
            )
        nft.rule(self.chain, f"{nft.counter('inet', EXHAUSTED)} drop")
        nft.rule(entering, f"dnat ip to ip daddr map @{self.back}")


def pools(config: Section) -> dict[str, Pool]:
    """Return all pools by name."""
    return {entry["pool"]: Pool(entry["pool"], entry["first"], entry["last"]) for entry in config.all("ip nat pool")}
