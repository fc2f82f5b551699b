"""Routers that discard what they should forward: routes to nowhere, for themselves or announced to others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.paths import announced
from pytest_netbench.faults.syntax import in_family, opening, with_mask
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork, Subnet


class Discarded(OnDevice):
    """A router, and the prefix that it discards packets to."""

    prefix: str

    @property
    def route(self) -> str:
        """The static route that does it."""
        return f"ip route {with_mask(self.platform, self.prefix)} Null0"


class RouteBlackhole(DeviceFault[Discarded]):
    """A static route of a router discards packets to a LAN that is behind other routers."""

    domain = "forwarding"
    name = "route-blackhole"
    label = "BLACKHOLE"
    parameters = Discarded

    def _places(self, network: DrawnNetwork) -> Iterator[Discarded]:
        for node, lan in _far(network):
            platform = network.platform_of(node)
            one = Discarded(node=node, platform=platform, prefix=lan.prefix)
            beginning = one.route.removesuffix("Null0")
            # beside another static route it would take only a part of the packets
            if not any(path[-1].startswith(beginning) for path in config_paths(network.startup_configs[node])):
                yield one

    def touches(self, parameters: Discarded) -> frozenset[str]:
        return frozenset({f"route {parameters.node}", f"discards {parameters.prefix}"})

    def injection(self, parameters: Discarded) -> tuple[str, ...]:
        return (parameters.route,)

    def repair(self, parameters: Discarded) -> tuple[str, ...]:
        return (f"no {parameters.route}",)

    def symptoms(self, parameters: Discarded, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"The route of {p.node} to {p.prefix} discards packets."
        yield from asking.state(network, p.node, "discards", because, **asking.routed(p.prefix))


class Announced(Discarded):
    """What is discarded, the LAN that it is in, and the line that opens the process which announces it."""

    process: str
    lan: str

    @property
    def statement(self) -> str:
        """The line that announces it."""
        return f"network {with_mask(self.platform, self.prefix, word='mask ')}"


class _Announced(DeviceFault[Announced]):
    """What faults share by which a router announces by BGP what it cannot deliver."""

    parameters = Announced
    of_hosts: ClassVar[bool]
    """Whether the announced prefixes are of single hosts, or of LANs."""

    def _places(self, network: DrawnNetwork) -> Iterator[Announced]:
        for node, lan in _far(network):
            process = opening(network, node, "router bgp")
            if process is None or node not in network.autonomous_systems or not _is_announced(network, lan):
                continue
            hosts = (f"{one.address}/32" for one in lan.attachments if one.node in network.hosts)
            for prefix in hosts if self.of_hosts else (lan.prefix,):
                yield Announced(
                    node=node, platform=network.platform_of(node), prefix=prefix, process=process, lan=lan.prefix
                )

    def touches(self, parameters: Announced) -> frozenset[str]:
        return frozenset(
            {
                f"route {parameters.node}",
                f"discards {parameters.lan}",
                f"bgp {parameters.node} {parameters.prefix}",
                f"{parameters.node} order of {parameters.process}",
            }
        )

    def injection(self, parameters: Announced) -> tuple[str, ...]:
        family = in_family(parameters.platform, parameters.process, parameters.statement)
        return (parameters.route, *family)

    def repair(self, parameters: Announced) -> tuple[str, ...]:
        family = in_family(parameters.platform, parameters.process, f"no {parameters.statement}")
        return (*family, f"no {parameters.route}")

    def shown(self, parameters: Announced) -> tuple[str, ...]:
        return (parameters.route,)

    def remains(self, parameters: Announced, lab: Lab) -> Iterator[str]:
        # IOS shows no mask that is that of the network's class
        beginning = "network " + parameters.prefix.partition("/")[0]
        config = lab.driver(parameters.node).running_config(lab.nodes[parameters.node])
        if not any(path[-1].startswith(beginning) for path in config_paths(config)):
            yield f"{parameters.prefix} is not announced"

    def symptoms(self, parameters: Announced, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"The route of {p.node} to {p.prefix} discards packets."
        yield from asking.state(network, p.node, "discards", because, **asking.routed(p.prefix))


class BgpPrefixHijacked(_Announced):
    """A router announces the LAN of another one as its own by BGP, and discards what it gets for it."""

    name = "bgp-prefix-hijacked"
    label = "HIJACK"
    called = {"nika": "bgp_hijacking"}
    of_hosts = False


class BgpBlackholeLeaked(_Announced):
    """A router discards packets to a host of another LAN, and announces that route by BGP."""

    name = "bgp-blackhole-leaked"
    label = "LEAK"
    called = {"nika": "bgp_blackhole_route_leak"}
    of_hosts = True


def _far(network: DrawnNetwork) -> Iterator[tuple[str, Subnet]]:
    """Each router with each LAN that it is not in."""
    for node in network.routers:
        for lan in network.lans:
            if not any(one.node == node for one in lan.attachments):
                yield node, lan


def _is_announced(network: DrawnNetwork, lan: Subnet) -> bool:
    """Whether a router of a LAN announces it by BGP; others do not know a hidden one."""
    routers = [one.node for one in lan.attachments if one.node in network.routers]
    return any(lan.prefix in announced(network, node) for node in routers)
