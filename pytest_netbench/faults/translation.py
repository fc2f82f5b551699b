"""Translation of addresses: an interface on the wrong side, a statement that is missing, and too few translations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final, Literal

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import config_fault
from pytest_netbench.faults.change import Change, OnDevice, OnPort, on_port, shows
from pytest_netbench.model.network import DrawnNetwork

Side = Literal["inside", "outside"]
_LIMIT: Final = "ip nat translation max-entries"
MOST_ENTRIES: Final = 1
"""Connections of one host beside each other are more."""


class WrongSide(OnPort):
    """An interface, and its right side. It is on the other one."""

    side: Side

    @property
    def wrong(self) -> Side:
        """The side that it is on."""
        return "outside" if self.side == "inside" else "inside"

    def moved(self, old: Side, new: Side) -> tuple[str, ...]:
        """Commands that move it to another side."""
        return on_port(self, *self.without(f"ip nat {old}"), f"ip nat {new}")


# in all, translations[:1]: others carry traffic only if the first one, or its provider, fails


def _sides(network: DrawnNetwork) -> Iterator[WrongSide]:
    edges = {other.node for other in network.translations}
    for one in network.translations[:1]:
        for interface in one.inside:
            if not edges & _neighbors(network, one.node, interface):
                yield WrongSide.of(network, one.node, interface=interface, side="inside")
        for interface in one.outside[:1]:
            yield WrongSide.of(network, one.node, interface=interface, side="outside")


def _neighbors(network: DrawnNetwork, node: str, interface: str) -> set[str]:
    """The routers on the link at an interface."""
    for link in network.transits:
        if any((one.node, one.interface) == (node, interface) for one in link.attachments):
            return {one.node for one in link.attachments if one.node != node}
    return set()


def _moved(p: WrongSide) -> Change:
    because = f"{p.node} translates as if {p.interface} led to the other side."
    return Change(
        inject=p.moved(p.side, p.wrong),
        repair=p.moved(p.wrong, p.side),
        symptoms=(shows(p.node, "NAT side", because, side=p.wrong.capitalize(), interface=p.interface),),
    )


_nat_fault = partial(config_fault, domain="policy", platforms=("cisco_ios",), needs_services=("nat",))

NAT_SIDE_WRONG = _nat_fault(
    "nat-side-wrong",
    about="An inside interface of address translation is an outside one, or the other way round.",
    label="NAT",
    found_at="interface",
    parameters=WrongSide,
    at=_sides,
    touches=lambda p: frozenset({f"{p.node} {p.interface} nat"}),
    change=_moved,
)


class TranslatingStatement(OnDevice):
    """A router, and the statement by which it translates."""

    line: str


NAT_MAPPING_MISSING = _nat_fault(
    "nat-mapping-missing",
    about="A router at the edge has lost the statement by which it translates the addresses of its LANs.",
    label="NAT_MAPPING",
    parameters=TranslatingStatement,
    called={"nika": "nat_mapping_removed_without_drain"},
    at=lambda network: (
        TranslatingStatement.of(network, one.node, line=line)
        for one in network.translations[:1]
        for line, *below in config_paths(network.startup_configs[one.node])
        if line.startswith("ip nat inside source ") and not below
    ),
    touches=lambda p: frozenset({f"{p.node} nat"}),
    change=lambda p: Change(
        inject=p.without(p.line),
        repair=(p.line,),
        symptoms=(shows(p.node, "no NAT mapping", f"{p.node} has nothing by which it translates."),),
    ),
)


class TranslationLimit(OnDevice):
    """A router, and how many translations it has at most."""

    most: int


def _limited(p: TranslationLimit) -> Change:
    because = f"{p.node} translates no more than {p.most} at a time."
    return Change(
        inject=(f"{_LIMIT} {p.most}",),
        repair=p.without(_LIMIT),
        symptoms=(shows(p.node, "NAT limit", because, most=p.most),),
    )


NAT_PORT_POOL_EXHAUSTED = _nat_fault(
    "nat-port-pool-exhausted",
    about="A router at the edge has so few translations that most new connections beside others fail.",
    label="NAT_POOL",
    parameters=TranslationLimit,
    shown_by="telemetry",
    called={"nika": "snat_port_pool_exhaustion"},
    requires=("nft-connlimit",),
    at=lambda network: (TranslationLimit.of(network, one.node, most=MOST_ENTRIES) for one in network.translations[:1]),
    touches=lambda p: frozenset({f"{p.node} nat"}),
    change=_limited,
)
