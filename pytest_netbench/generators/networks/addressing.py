"""The address plan: which block of addresses each kind of subnet is cut from, and who gets which address in it."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from random import Random

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Draft, Net

_DOCUMENTATION = ("203.0.113.0/24", "192.0.2.0/24", "198.18.0.0/24", "198.51.100.0/24")
"""Blocks for documentation and benchmarks (RFC 5737, RFC 2544)."""


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A block that subnets of one length are cut from, in order. ``skip`` of them are left out at its beginning."""

    block: IPv4Network
    length: int
    skip: int = 0

    def subnet(self, index: int) -> IPv4Network:
        """Return the subnet number ``index``.

        Raises:
            UsageError: The block has fewer.
        """
        offset = (index + self.skip) << (32 - self.length)
        if offset >= self.block.num_addresses:
            raise UsageError(
                f"the network needs more than {index} subnets /{self.length} from {self.block}: make it smaller"
            )
        return IPv4Network((int(self.block.network_address) + offset, self.length))


@dataclass(frozen=True, kw_only=True)
class AddressPlan:
    """Pools by name, and the places in a LAN.

    Attributes:
        gateway: Place of the gateway in a LAN: 1 is the first address, -2 the last.
        first_host: Place of the first host in a LAN.
    """

    pools: dict[str, Pool]
    gateway: int
    first_host: int


_MANAGEMENT = {"management": Pool(block=IPv4Network("100.64.0.0/16"), length=24)}
"""The same in all plans, so that others are drawn as before there was any."""


def plain_plan() -> AddressPlan:
    """Return the numbered plan: LANs in 10.0.1.0/24, 10.0.2.0/24, …, links between routers in 172.16.0.0/12."""
    return AddressPlan(
        pools={
            "lan": Pool(block=IPv4Network("10.0.0.0/8"), length=24, skip=1),
            "transit": Pool(block=IPv4Network("172.16.0.0/12"), length=30),
            "loopback": Pool(block=IPv4Network("192.168.0.0/16"), length=32, skip=1),
            **_MANAGEMENT,
            **_public_pools([IPv4Network(block) for block in _DOCUMENTATION]),
        },
        gateway=1,
        first_host=10,
    )


def drawn_plan(source: Random) -> AddressPlan:
    """Return a plan with the same kinds of subnets at drawn places."""
    blocks = source.sample(list(IPv4Network("10.0.0.0/8").subnets(new_prefix=12)), 3)
    pools = {
        name: Pool(block=block, length=length, skip=source.randint(1, 1000))
        for (name, length), block in zip((("lan", 24), ("transit", 30), ("loopback", 32)), blocks, strict=True)
    }
    public = _public_pools([IPv4Network(block) for block in source.sample(_DOCUMENTATION, len(_DOCUMENTATION))])
    gateway = source.choice((1, -2))
    return AddressPlan(pools=pools | _MANAGEMENT | public, gateway=gateway, first_host=source.randint(4, 17))


def _public_pools(blocks: list[IPv4Network]) -> dict[str, Pool]:
    """Pools of public addresses: for LANs of an ISP, links to its providers, links behind them, and servers."""
    lengths = {"public": 27, "provider": 30, "backbone": 30, "internet": 24}
    return {name: Pool(block=block, length=lengths[name]) for name, block in zip(lengths, blocks, strict=True)}


def assign_addresses(draft: Draft, plan: AddressPlan) -> None:
    """Give each subnet of the draft a prefix, and each interface in it an address.

    Raises:
        UsageError: The plan has too few subnets.
    """
    draft.blocks = {name: pool.block for name, pool in plan.pools.items()}
    used = dict.fromkeys(plan.pools, 0)
    for net in draft.nets:
        net.prefix = plan.pools[net.pool].subnet(used[net.pool])
        used[net.pool] += 1
        if net.kind == "lan":
            _number_lan(net, plan)
        else:
            first = 0 if net.kind == "loopback" else 1
            _number(net, list(range(first, first + len(net.ports))))


def _number_lan(net: Net, plan: AddressPlan) -> None:
    routers = len(net.routers())
    step = 1 if plan.gateway > 0 else -1
    # a gateway address that several routers share is none of theirs
    shared = int(routers > 1)
    net.gateway = _address(net, plan.gateway)
    places = [plan.gateway + step * (shared + number) for number in range(routers)]
    places += [plan.first_host + number for number in range(len(net.ports) - routers)]
    _number(net, places)


def _number(net: Net, places: list[int]) -> None:
    for port, place in zip(net.ports, places, strict=True):
        port.address = IPv4Interface((_address(net, place), net.network.prefixlen))


def _address(net: Net, place: int) -> IPv4Address:
    return net.network[place]
