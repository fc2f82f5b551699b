"""A campus: cores, and blocks of distribution and access switches with VLANs."""

from __future__ import annotations

from typing import Final

from pydantic import Field, model_validator

from pytest_netbench.generators.networks.draft import Device, Draft, Port
from pytest_netbench.generators.networks.processes import Standby
from pytest_netbench.generators.networks.routings import OSPF
from pytest_netbench.generators.networks.shapes.base import Shape, Sizes

_VLAN_NAMES: Final = ("STAFF", "STUDENTS", "GUESTS", "PRINTERS")
_ROOT_PRIORITIES: Final = (4096, 8192)
_ACTIVE_PRIORITY: Final = 110


class CampusSizes(Sizes):
    """Sizes of a campus."""

    cores: int = Field(2, ge=1, le=2, description="core routers, 1 or 2")
    blocks: int = Field(1, ge=1, le=20, description="blocks, such as buildings, 1 to 20")
    distributions: int = Field(
        1, ge=1, le=2, description="distribution switches in each block, 1 or 2; two share their addresses by HSRP"
    )
    accesses: int = Field(2, ge=1, le=4, description="access switches in each block, 1 to 4")
    vlans: int = Field(2, ge=1, le=4, description="VLANs in each block, 1 to 4")
    hosts: int = Field(2, ge=1, le=8, description="hosts in each VLAN, spread over the access switches, 1 to 8")

    @model_validator(mode="after")
    def _each_switch_has_a_host(self) -> CampusSizes:
        if self.vlans * self.hosts < self.accesses:
            raise ValueError(
                f"{self.accesses} access switches have only {self.vlans * self.hosts} hosts in a block:"
                " use fewer access switches or more hosts"
            )
        return self


def build(draft: Draft, sizes: CampusSizes) -> None:
    """Add ``core1`` and so on, and in block B ``distBx1``, ``accessBx1`` and so on with VLANs of their own."""
    cores = [draft.router(f"core{number}", role="core") for number in range(1, sizes.cores + 1)]
    if len(cores) > 1:
        draft.transit(*cores)
    for block in range(1, sizes.blocks + 1):
        _add_block(draft, cores, block, sizes)


def _add_block(draft: Draft, cores: list[Device], block: int, sizes: CampusSizes) -> None:
    distributions = [draft.switch(f"dist{block}x{number}") for number in range(1, sizes.distributions + 1)]
    accesses = [draft.switch(f"access{block}x{number}") for number in range(1, sizes.accesses + 1)]
    for switch in distributions:
        for core in cores:
            draft.transit(switch, core)
    first = 10 * (1 + (block - 1) * len(_VLAN_NAMES))
    vlans = {first + 10 * place: name for place, name in enumerate(_VLAN_NAMES[: sizes.vlans])}
    for switch in (*distributions, *accesses):
        switch.vlans = dict(vlans)
    if len(distributions) > 1:
        draft.trunk(*distributions, vlans=tuple(vlans))
    for access in accesses:
        for switch in distributions:
            draft.trunk(access, switch, vlans=tuple(vlans))
    for place, number in enumerate(vlans):
        ports = [
            _add_host(draft, accesses[(place * sizes.hosts + host) % len(accesses)], f"h{number}x{host + 1}", number)
            for host in range(sizes.hosts)
        ]
        # VLANs take turns, so that both distribution switches carry traffic
        turn = place % len(distributions)
        _add_gateways(draft, number, [*distributions[turn:], *distributions[:turn]], ports, area=block)


def _add_host(draft: Draft, access: Device, name: str, vlan: int) -> Port:
    port, end = draft.cable([access, draft.host(name)])
    port.access = vlan
    return end


def _add_gateways(draft: Draft, vlan: int, switches: list[Device], ports: list[Port], *, area: int) -> None:
    """Add a VLAN's subnet. The first of ``switches`` is its active gateway and the root of its spanning tree."""
    net = draft.vlan(vlan, gateways=switches, ports=ports, area=area)
    for switch, priority in zip(switches, _ROOT_PRIORITIES, strict=False):
        switch.tree_priorities[vlan] = priority
    if len(switches) > 1:
        for port in net.routers():
            port.standby = Standby(group=vlan, priority=_ACTIVE_PRIORITY if port.device is switches[0] else None)


CAMPUS = Shape(
    name="campus",
    what="a campus of core, distribution and access layer: VLANs, trunks, routed VLAN interfaces, OSPF between layers",
    sizes=CampusSizes,
    build=build,
    steps=(
        {"cores": 1, "accesses": 1},
        {"cores": 1, "blocks": 2, "accesses": 2},
        {"cores": 2, "blocks": 2, "distributions": 2, "accesses": 2},
        {"cores": 2, "blocks": 10, "distributions": 2, "accesses": 4, "hosts": 2},
        {"cores": 2, "blocks": 20, "distributions": 2, "accesses": 4, "hosts": 2},
    ),
    routings={"ospf": OSPF},
    platforms=("cisco_ios",),
)
