"""An ordered access list at the gateway of one LAN, for what the LAN's hosts send. Its order matters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Draft, Net
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.services import AccessList, AccessRule

_HTTP: Final = 80
_PORTS: Final = (22, 25, 443)
_LAST_WELL_KNOWN: Final = 1023
_REST: Final = AccessRule(permit=True)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """A LAN whose hosts are filtered. ``hosts`` and ``others`` are addresses in it and in other LANs, ``/32``."""

    net: Net
    hosts: list[str]
    others: list[str]

    @property
    def prefix(self) -> str:
        return str(self.net.network)


Policy = Callable[[_Place, int, Random], tuple[AccessRule, ...]]


def add_filter(draft: Draft, source: Random) -> None:
    """Add an access list to the routers of a LAN.

    Raises:
        UsageError: The network has no LAN with a managed gateway beside another LAN.
    """
    places = list(_places(draft))
    if not places:
        raise UsageError("service 'filter' needs hosts in two LANs, one of them with managed gateways")
    place = source.choice(places)
    policy = source.choice(list(_policies(place)))
    port = source.choice(_PORTS)
    rules = policy(place, port, source)
    ports = (_HTTP, port) if policy is _only_http else (port,)
    for router in place.net.routers():
        router.device.access_lists.append(
            AccessList(
                node=router.device.name,
                interface=router.interface,
                name=f"FROM-{place.net.name.upper()}",
                rules=rules,
                ports=ports,
            )
        )


def _places(draft: Draft) -> Iterator[_Place]:
    hosts = {net: _hosts(net) for net in draft.nets if net.kind == "lan"}
    for net, own in hosts.items():
        others = [address for other in hosts if other is not net for address in hosts[other]]
        if own and others and all(port.device.control == "managed" for port in net.routers()):
            yield _Place(net=net, hosts=own, others=others)


def _hosts(net: Net) -> list[str]:
    return [f"{port.routed.ip}/32" for port in net.ports if port.device.kind == "host"]


def _policies(place: _Place) -> Iterator[Policy]:
    """What can be asked of the hosts of a LAN, so that some of their flows pass and others do not."""
    yield _only_http
    if len(place.hosts) > 1:
        yield _only_one_host
        yield _not_one_host
    if len(place.others) > 1:
        yield _only_one_server


def _only_http(place: _Place, _port: int, _source: Random) -> tuple[AccessRule, ...]:
    """Of the well-known ports only that of HTTP can be reached."""
    return (
        AccessRule(permit=True, protocol="tcp", source=place.prefix, ports=(_HTTP, _HTTP)),
        AccessRule(permit=False, protocol="tcp", source=place.prefix, ports=(1, _LAST_WELL_KNOWN)),
        _REST,
    )


def _only_one_host(place: _Place, port: int, source: Random) -> tuple[AccessRule, ...]:
    """One host can reach the port, its neighbors cannot."""
    return (
        AccessRule(permit=True, protocol="tcp", source=source.choice(place.hosts), ports=(port, port)),
        AccessRule(permit=False, protocol="tcp", source=place.prefix, ports=(port, port)),
        _REST,
    )


def _not_one_host(place: _Place, port: int, source: Random) -> tuple[AccessRule, ...]:
    """One host cannot reach the port, its neighbors can."""
    return (
        AccessRule(permit=False, protocol="tcp", source=source.choice(place.hosts), ports=(port, port)),
        AccessRule(permit=True, protocol="tcp", source=place.prefix),
        _REST,
    )


def _only_one_server(place: _Place, port: int, source: Random) -> tuple[AccessRule, ...]:
    """The port can be reached at one host, not at others."""
    server = source.choice(place.others)
    return (
        AccessRule(permit=True, protocol="tcp", source=place.prefix, target=server, ports=(port, port)),
        AccessRule(permit=False, protocol="tcp", source=place.prefix, ports=(port, port)),
        _REST,
    )


FILTER = Service(
    name="filter",
    what="the gateway of one LAN filters what its hosts send, by an ordered access list",
    platforms=("cisco_ios", "linux"),
    configure=add_filter,
)
