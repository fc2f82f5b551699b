"""Access lists of IOS routers that deny what links between routers must carry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.bgp import bgp_sessions
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.ospf_links import ospf_links
from pytest_netbench.faults.router_links import RouterLink, router_links
from pytest_netbench.faults.state import neighbor_up
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

NAMES: Final = ("CORE-IN", "INFRA", "LINK-IN", "PROTECT")


class Blocked(RouterLink):
    """A link to another router, and the name of the access list that denies something of what comes in there."""

    list_name: str

    @property
    def head(self) -> str:
        """The line that opens the list."""
        return f"ip access-list extended {self.list_name}"

    @property
    def use(self) -> str:
        """The line of the interface."""
        return f"ip access-group {self.list_name} in"


class Blocking(DeviceFault[Blocked]):
    """What these faults share: a list for what comes in from a link. A subclass says what it denies."""

    domain = "policy"
    parameters = Blocked
    platforms = ("cisco_ios",)
    found_at = "interface"
    denied: ClassVar[tuple[str, ...]]
    cleared: ClassVar[str | None] = None
    """What ends a session that would live until its hold time ends, with the neighbor's address behind it."""

    def touches(self, parameters: Blocked) -> frozenset[str]:
        link = f"{min(parameters.neighbor, parameters.address)} {max(parameters.neighbor, parameters.address)}"
        return frozenset(
            {
                f"{parameters.node} {parameters.interface}",
                f"ospf {parameters.prefix}",
                f"bgp {parameters.prefix}",
                f"bgp {link}",
                f"list {parameters.node} {parameters.list_name}",
            }
        )

    def injection(self, parameters: Blocked) -> tuple[str, ...]:
        rules = (*(f"deny {words}" for words in self.denied), "permit ip any any")
        use = below(f"interface {parameters.interface}", parameters.use)
        return (*below(parameters.head, *rules), *use, *self._clear(parameters))

    def repair(self, parameters: Blocked) -> tuple[str, ...]:
        use = below(f"interface {parameters.interface}", f"no {parameters.use}")
        return (*use, f"no {parameters.head}", *self._clear(parameters))

    def _clear(self, parameters: Blocked) -> tuple[str, ...]:
        return () if self.cleared is None else (f"do {self.cleared} {parameters.neighbor}",)


class IcmpDenied(Blocking):
    """An access list of a router denies all ICMP that comes in over a link to another router; all else passes."""

    name = "icmp-denied"
    label = "ACL_ICMP"
    called = {"nika": "icmp_acl_block"}
    denied = ("icmp any any",)

    def _places(self, network: DrawnNetwork) -> Iterator[Blocked]:
        return lists_of_links(network)

    def symptoms(self, parameters: Blocked, network: Observable) -> Iterator[Observation]:
        because = f"No ping of {parameters.node} to {parameters.peer} is answered, although routing goes on."
        yield from asking.state(network, parameters.node, "no pings", because, address=parameters.neighbor)


class OspfDenied(Blocking):
    """An access list of a router denies the OSPF packets of its neighbor."""

    name = "ospf-denied"
    label = "ACL_OSPF"
    called = {"nika": "ospf_acl_block"}
    denied = ("ospf any any",)

    def _places(self, network: DrawnNetwork) -> Iterator[Blocked]:
        for link in ospf_links(network):
            if not _is_filtered(network, link.node, link.interface):
                for name in NAMES:
                    yield Blocked(**dict(link), list_name=name)

    def cuts(self, parameters: Blocked) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def remains(self, parameters: Blocked, lab: Lab) -> Iterator[str]:
        yield from neighbor_up(lab, parameters.node, "ospf", parameters.neighbor)
        yield from neighbor_up(lab, parameters.peer, "ospf", parameters.address)

    def symptoms(self, parameters: Blocked, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} and {p.peer} are not adjacent."
        yield from asking.state(network, p.node, "no OSPF neighbor", because, address=p.neighbor)
        yield from asking.neighbor_lost(network, p.peer, "ospf", p.address)


class BgpDenied(Blocking):
    """An access list of a router denies the BGP packets of its neighbor."""

    name = "bgp-denied"
    label = "ACL_BGP"
    called = {"nika": "bgp_acl_block"}
    denied = ("tcp any any eq bgp", "tcp any eq bgp any")
    cleared = "clear ip bgp"

    def _places(self, network: DrawnNetwork) -> Iterator[Blocked]:
        for session, prefix, interface in bgp_sessions(network):
            if not _is_filtered(network, session.node, interface):
                for name in NAMES:
                    yield Blocked(
                        node=session.node,
                        platform=session.platform,
                        interface=interface,
                        address=session.address,
                        peer=session.peer,
                        neighbor=session.neighbor,
                        prefix=prefix,
                        list_name=name,
                    )

    def cuts(self, parameters: Blocked) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def remains(self, parameters: Blocked, lab: Lab) -> Iterator[str]:
        yield from neighbor_up(lab, parameters.node, "bgp", parameters.neighbor)
        yield from neighbor_up(lab, parameters.peer, "bgp", parameters.address)

    def symptoms(self, parameters: Blocked, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"The BGP session of {p.node} with {p.peer} is down."
        yield from asking.state(network, p.node, "BGP neighbor down", because, address=p.neighbor)
        yield from asking.neighbor_lost(network, p.peer, "bgp", p.address)


def lists_of_links(network: DrawnNetwork) -> Iterator[Blocked]:
    """Each access list for what comes in from another router, where there is none yet."""
    for link in router_links(network):
        if not _is_filtered(network, link.node, link.interface):
            for name in NAMES:
                yield Blocked(**dict(link), list_name=name)


def _is_filtered(network: DrawnNetwork, node: str, interface: str) -> bool:
    """Whether an access list is applied on an interface."""
    paths = config_paths(network.startup_configs.get(node, ""))
    section = f"interface {interface}"
    return any(path[0] == section and path[-1].startswith("ip access-group ") for path in paths)
