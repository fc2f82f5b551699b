"""Wrong addresses, masks, wildcards and prefix lengths for those in a line. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv4Network

_QUAD = r"\d+\.\d+\.\d+\.\d+"
_TOKEN = re.compile(rf"(?<![\w.])(?P<host>host )?(?P<address>{_QUAD})(?:/(?P<length>\d+)| (?P<mask>{_QUAD}))?(?![\w.])")
_ALL = 2**32 - 1


def address_variants(line: str, hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Operator and changed line, for each address in ``line`` and each way in which it can be wrong.

    Args:
        line: A command.
        hosts: Addresses that nodes have: a subnet is narrowed to one of them.
    """
    for match in _TOKEN.finditer(line):
        for operator, text in _variants(match, line, hosts):
            yield operator, line[: match.start()] + text + line[match.end() :]


def _variants(match: re.Match[str], line: str, hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    address = _address(match["address"])
    second = None if match["mask"] is None else _address(match["mask"])
    if address is None:
        return
    if match["length"] is not None and int(match["length"]) <= 32:
        yield from _prefixes(address, int(match["length"]), hosts)
    elif second is not None:
        yield from _masked(address, second, hosts)
    elif match["host"]:
        yield "address", f"host {_next(address)}"
        mask = "255.255.255.0" if line.startswith("host ") else "0.0.0.255"
        yield "subnet for host", f"{IPv4Network((address, 24), strict=False).network_address} {mask}"
    elif address != IPv4Address(0):
        yield "address", str(_next(address))


def _prefixes(address: IPv4Address, length: int, hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    network = IPv4Network((address, length), strict=False)
    for other in (length + 1, length - 1):
        if 0 <= other <= 32:
            yield "mask", str(IPv4Network((network.network_address, other), strict=False))
    if (beside := _beside(network)) is not None:
        yield "address", str(beside)
    if length < 32 and (host := _host_in(network, hosts)) is not None:
        yield "host for subnet", f"{host}/32"
    if length == 32:
        yield "subnet for host", str(IPv4Network((address, 24), strict=False))


def _masked(address: IPv4Address, second: IPv4Address, hosts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """An address and its mask or wildcard; any other pair of addresses varies address by address."""
    length, wild = _length_of(second)
    if length is None:
        yield "address", f"{_next(address)} {second}"
        yield "address", f"{address} {_next(second)}"
        return
    network = IPv4Network((address, length), strict=False)
    is_network = network.network_address == address
    for other in (length + 1, length - 1):
        if 0 <= other <= 32:
            base = IPv4Network((address, other), strict=False).network_address if is_network else address
            yield "mask", f"{base} {_mask(other, wild=wild)}"
    yield "mask for wildcard", f"{address} {_mask(length, wild=not wild)}"
    if not is_network:
        yield "address", f"{_next(address)} {second}"
        return
    if (beside := _beside(network)) is not None:
        yield "address", f"{beside.network_address} {second}"
    if (host := _host_in(network, hosts)) is not None:
        yield "host for subnet", f"{host} 0.0.0.0" if wild else f"{host} 255.255.255.255"


def _length_of(mask: IPv4Address) -> tuple[int | None, bool]:
    """Prefix length of a mask or wildcard, and whether it is a wildcard; ``None`` if it is neither."""
    is_wildcard = int(mask) < 1 << 31
    ones = int(mask) ^ _ALL if is_wildcard else int(mask)
    length = ones.bit_count()
    return (length, is_wildcard) if ones == int(_mask(length, wild=False)) else (None, False)


def _next(address: IPv4Address) -> IPv4Address:
    return address + 1 if int(address) < _ALL else address - 1


def _mask(length: int, *, wild: bool) -> IPv4Address:
    mask = _ALL << (32 - length) & _ALL
    return IPv4Address(mask ^ _ALL if wild else mask)


def _beside(network: IPv4Network) -> IPv4Network | None:
    """The next network of the same size, or the one before the last one."""
    if network.prefixlen == 0:
        return None
    step = network.num_addresses
    following = int(network.network_address) + step
    start = following if following + step - 1 <= _ALL else following - 2 * step
    return IPv4Network((start, network.prefixlen))


def _host_in(network: IPv4Network, hosts: Sequence[str]) -> IPv4Address | None:
    """The last address among ``hosts`` that lies in ``network``: rather a host's than a router's."""
    inside = [one for one in map(_address, hosts) if one is not None and one in network]
    plain = [one for one in inside if one not in {network.network_address, network.broadcast_address}]
    return plain[-1] if plain and network.prefixlen < 32 else None


def _address(text: str) -> IPv4Address | None:
    try:
        return IPv4Address(text)
    except AddressValueError:
        return None
