"""Faults of OSPF on links between routers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.faults.device import DeviceFault, OnDevice, opening
from pytest_netbench.faults.state import neighbor_up
from pytest_netbench.faults.syntax import wildcard
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork

OTHER_AREAS = (0, 1, 2, 10, 100)


class OspfLink(OnDevice):
    """One end of a link between two routers that run OSPF.

    Attributes:
        process: The line that opens the process, e.g. ``router ospf 1``.
        interface: Of the node, to the link.
        prefix: Of the link.
        area: That the link is in.
        neighbor: Address of the other router.
    """

    process: str
    interface: str
    prefix: str
    area: int
    neighbor: str


def ospf_links(network: DrawnNetwork) -> Iterator[OspfLink]:
    """Both ends of each link between routers on which OSPF runs."""
    for link in network.transits:
        for one in link.attachments if link.area is not None else ():
            process = opening(network, one.node, "router ospf")
            for other in link.attachments:
                if process is not None and other.node != one.node:
                    yield OspfLink.model_validate(
                        {
                            "node": one.node,
                            "platform": network.platform_of(one.node),
                            "process": process,
                            "interface": one.interface,
                            "prefix": link.prefix,
                            "area": link.area,
                            "neighbor": other.address,
                        }
                    )


class WrongArea(OspfLink):
    """A link, and the area that one end has it in instead."""

    instead: int


class OspfAreaWrong(DeviceFault[WrongArea]):
    """A router has a link in another OSPF area than its neighbor."""

    name = "ospf-area-wrong"
    label = "OSPF-AREA"
    parameters = WrongArea

    def _places(self, network: DrawnNetwork) -> Iterator[WrongArea]:
        for link in ospf_links(network):
            for area in OTHER_AREAS:
                if area != link.area:
                    yield WrongArea(**link.model_dump(), instead=area)

    def touches(self, parameters: WrongArea) -> frozenset[str]:
        return frozenset({f"ospf {parameters.prefix}"})

    def injection(self, parameters: WrongArea) -> tuple[str, ...]:
        return _moved(parameters, parameters.area, parameters.instead)

    def repair(self, parameters: WrongArea) -> tuple[str, ...]:
        return _moved(parameters, parameters.instead, parameters.area)

    def remains(self, parameters: WrongArea, lab: Lab) -> Iterator[str]:
        return neighbor_up(lab, parameters.node, "ospf", parameters.neighbor)


def _moved(link: WrongArea, area: int, instead: int) -> tuple[str, ...]:
    statement = f" network {wildcard(link.platform, link.prefix)} area"
    return (link.process, f" no{statement} {area}", f"{statement} {instead}")
