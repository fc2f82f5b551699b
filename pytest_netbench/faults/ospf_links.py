"""Faults of OSPF on links between routers: what one end has otherwise than the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from pytest_netbench.dialects.forms import forms_of
from pytest_netbench.dialects.syntax import syntax_of
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.router_links import RouterLink, router_links
from pytest_netbench.faults.state import neighbor_up
from pytest_netbench.faults.syntax import behind, below, opening, order_of, retyped, with_wildcard
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

OTHER_AREAS = (0, 1, 2, 10, 100)


class OspfLink(RouterLink):
    """One end of a link between two routers that run OSPF."""


L = TypeVar("L", bound=OspfLink)


def ospf_links(network: DrawnNetwork) -> Iterator[OspfLink]:
    """Both ends of each link between routers on which OSPF runs."""
    running = {link.prefix for link in network.transits if link.area is not None}
    return (OspfLink(**dict(one)) for one in router_links(network) if one.prefix in running)


class OspfLinkFault(DeviceFault[L]):
    """What faults of a link with OSPF share: the routers at its ends are not adjacent."""

    found_at = "interface"

    def is_mutual(self, parameters: L) -> bool:  # noqa: ARG002  (the ends must agree, whatever on)
        return True

    def touches(self, parameters: L) -> frozenset[str]:
        return frozenset({f"ospf {parameters.prefix}"})

    def cuts(self, parameters: L) -> frozenset[str]:
        return frozenset({parameters.prefix})

    def remains(self, parameters: L, lab: Lab) -> Iterator[str]:
        yield from neighbor_up(lab, parameters.node, "ospf", parameters.neighbor)
        yield from neighbor_up(lab, parameters.peer, "ospf", parameters.address)

    def symptoms(self, parameters: L, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} and {p.peer} are not adjacent."
        yield from asking.state(network, p.node, "no OSPF neighbor", because, address=p.neighbor)
        yield from asking.neighbor_lost(network, p.peer, "ospf", p.address)


class WrongArea(OspfLink):
    """A link, its area, and the area that one end has it in instead.

    Attributes:
        process: The line that opens the process, e.g. ``router ospf 1``.
        behind: Statements behind that of the link, where the order of typing is kept.
    """

    process: str
    area: int
    instead: int
    behind: tuple[str, ...] = ()

    def moved(self, area: int, instead: int) -> tuple[str, ...]:
        """Commands that move the link to another area."""
        statement = f"network {with_wildcard(self.platform, self.prefix)} area"
        old = (f"{statement} {area}",)
        remove = () if forms_of(self.platform).replaces_areas else syntax_of(self.platform).negate(old)
        return below(self.process, *remove, f"{statement} {instead}", *retyped(self.platform, self.behind))


class OspfAreaWrong(OspfLinkFault[WrongArea]):
    """A router has a link in another OSPF area than its neighbor."""

    name = "ospf-area-wrong"
    label = "OSPF_AREA"
    parameters = WrongArea
    called = {"nika": "ospf_area_misconfiguration"}

    def _places(self, network: DrawnNetwork) -> Iterator[WrongArea]:
        areas = {link.prefix: link.area for link in network.transits}
        for link in ospf_links(network):
            process, area = opening(network, link.node, "router ospf"), areas[link.prefix]
            if process is None or area is None:
                continue
            statement = f"network {with_wildcard(link.platform, link.prefix)} area {area}"
            others = behind(network, link.node, statement, like="network", section=(process,))
            for instead in OTHER_AREAS:
                if instead != area:
                    yield WrongArea(**dict(link), process=process, area=area, instead=instead, behind=others)

    def touches(self, parameters: WrongArea) -> frozenset[str]:
        return super().touches(parameters) | order_of(parameters.platform, parameters.node, parameters.process)

    def injection(self, parameters: WrongArea) -> tuple[str, ...]:
        return parameters.moved(parameters.area, parameters.instead)

    def repair(self, parameters: WrongArea) -> tuple[str, ...]:
        return parameters.moved(parameters.instead, parameters.area)


class Passive(OspfLink):
    """A link that one end has passive.

    Attributes:
        process: The line that opens the process.
        behind: Statements about other passive interfaces, where the order of typing is kept.
    """

    process: str
    behind: tuple[str, ...] = ()


class OspfInterfacePassive(OspfLinkFault[Passive]):
    """A router has its interface to a neighbor passive."""

    name = "ospf-interface-passive"
    label = "OSPF_PASSIVE"
    parameters = Passive
    called = {"nika": "ospf_neighbor_missing"}

    def is_mutual(self, parameters: Passive) -> bool:  # noqa: ARG002  (the other end is as it should be)
        return False

    def _places(self, network: DrawnNetwork) -> Iterator[Passive]:
        for link in ospf_links(network):
            process = opening(network, link.node, "router ospf")
            if process is not None:
                others = behind(network, link.node, None, like="passive-interface", section=(process,))
                yield Passive(**dict(link), process=process, behind=others)

    def injection(self, parameters: Passive) -> tuple[str, ...]:
        if parameters.platform == "frr":
            return below(f"interface {parameters.interface}", "ip ospf passive")
        passive = f"passive-interface {parameters.interface}"
        return below(parameters.process, passive, *retyped(parameters.platform, parameters.behind))

    def repair(self, parameters: Passive) -> tuple[str, ...]:
        if parameters.platform == "frr":
            return below(f"interface {parameters.interface}", "no ip ospf passive")
        return below(parameters.process, f"no passive-interface {parameters.interface}")
