"""The addresses that translations use: pools, those of interfaces, and ARP for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface

from pytest_netbench.platforms.cisco_ios.areas.acl.lists import find
from pytest_netbench.platforms.cisco_ios.areas.acl.nft import slug
from pytest_netbench.platforms.cisco_ios.areas.common.arp import answer_only
from pytest_netbench.platforms.cisco_ios.areas.nat.grammar import network_length
from pytest_netbench.platforms.cisco_ios.compile.context import Context, Interface
from pytest_netbench.platforms.cisco_ios.compile.state import (
    CONTROL,
    Chain,
)
from pytest_netbench.platforms.cisco_ios.config.tree import Entry, Section

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


_MOST_ARP = 1024


def own_address(one: Interface) -> str | None:
    """Return the primary address of an interface; ``None`` if its config has none."""
    return one.addresses[0].split("/")[0] if one.addresses else None


def global_address(context: Context, entry: Entry) -> str | None:
    """Return the global address of a static rule: an explicit one or an interface's."""
    if "global" in entry.match.args:
        return str(entry["global"])
    one = context.interface(entry["out"])
    return own_address(one) if one is not None else None


def addresses_of(context: Context, entry: Entry) -> list[str]:
    """Return the first and the last address of a rule's pool."""
    if entry.name in {"nat network", "nat outside network"}:
        given = entry["global"] if entry.name == "nat network" else entry["local"]
        network = IPv4Interface(f"{given}/{network_length(entry.get('mask') or entry['slash'])}").network
        return [str(network[0]), str(network[-1])]
    if entry.name in {"nat dynamic", "nat destination"} and "pool" in entry.match.args:
        pool: Pool | None = pools(context.config).get(entry["pool"])
        return [pool.first, pool.last] if pool else []
    if entry.name == "nat outside static":
        return [entry["local"]]
    address = global_address(context, entry)
    return [address] if address else []


def global_addresses(context: Context, rules: list[Entry]) -> Iterator[str]:
    """Return the global addresses that hosts on the same network may request by ARP."""
    for entry in rules:
        if entry.has("no-alias"):
            continue
        if entry.name == "nat dynamic" and "pool" in entry.match.args:
            pool = pools(context.config).get(entry["pool"])
            yield from pool.addresses[:_MOST_ARP] if pool else ()
        elif entry.name in {"nat static", "nat tcp", "nat udp", "nat outside static"}:
            yield from addresses_of(context, entry)
        elif entry.name == "nat destination":
            found = find(context.config, entry["list"])
            lines = found.lines if found is not None and found.standard else ()
            yield from (
                line.ace.source.value
                for line in lines
                if line.ace.source.kind == "net" and not line.ace.source.wildcard
            )


def answer_arp(context: Context, addresses: list[str]) -> None:
    """Answer ARP requests for global addresses in our own subnets, and drop packets to them that are not translated."""
    own = {address.split("/")[0] for one in context.interfaces for address in one.addresses}
    mine: list[str] = []
    for one in context.interfaces:
        networks = [IPv4Interface(address).network for address in one.addresses]
        here = [a for a in addresses if a not in own and any(IPv4Address(a) in network for network in networks)]
        if here:
            context.state.sysctls[f"net/ipv4/conf/{one.kernel}/arp_ignore"] = "0"
            answer_only(context, one, here)
            mine += [address for address in here if address not in mine]
    if mine:
        context.state.routes += [f"local {address} dev lo table local" for address in mine]
        context.state.nft.rule(CONTROL, f"ip daddr {{ {', '.join(mine)} }} drop")
