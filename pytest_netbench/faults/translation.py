"""Translation of addresses: an interface on the wrong side, a statement that is missing, and too few translations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.model.network import DrawnNetwork

Side = Literal["inside", "outside"]
_LIMIT: Final = "ip nat translation max-entries"
MOST_ENTRIES: Final = 1
"""Connections of one host beside each other are more."""


class WrongSide(OnDevice):
    """An interface, and its right side. It is on the other one."""

    interface: str
    side: Side

    @property
    def wrong(self) -> Side:
        """The side that it is on."""
        return "outside" if self.side == "inside" else "inside"


class NatSideWrong(DeviceFault[WrongSide]):
    """An inside interface of address translation is an outside one, or the other way round."""

    needs_services: tuple[str, ...] = ("nat",)
    domain = "policy"
    name = "nat-side-wrong"
    label = "NAT"
    found_at = "interface"
    parameters = WrongSide
    platforms = ("cisco_ios",)

    def _places(self, network: DrawnNetwork) -> Iterator[WrongSide]:
        # others carry traffic only if the first one, or its provider, fails
        for one in network.translations[:1]:
            edges = {other.node for other in network.translations}
            sides: dict[Side, list[str]] = {
                "inside": [
                    interface for interface in one.inside if not edges & _neighbors(network, one.node, interface)
                ],
                "outside": list(one.outside[:1]),
            }
            for side, interfaces in sides.items():
                for interface in interfaces:
                    yield WrongSide(
                        node=one.node, platform=network.platform_of(one.node), interface=interface, side=side
                    )

    def touches(self, parameters: WrongSide) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface} nat"})

    def injection(self, parameters: WrongSide) -> tuple[str, ...]:
        return _moved(parameters.interface, parameters.side, parameters.wrong)

    def repair(self, parameters: WrongSide) -> tuple[str, ...]:
        return _moved(parameters.interface, parameters.wrong, parameters.side)

    def symptoms(self, parameters: WrongSide, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} translates as if {p.interface} led to the other side."
        words = {"side": p.wrong.capitalize(), "interface": p.interface}
        yield from asking.state(network, p.node, "NAT side", because, **words)


class TranslatingStatement(OnDevice):
    """A router, and the statement by which it translates."""

    line: str


class NatMappingMissing(DeviceFault[TranslatingStatement]):
    """A router at the edge has lost the statement by which it translates the addresses of its LANs."""

    needs_services: tuple[str, ...] = ("nat",)
    domain = "policy"
    name = "nat-mapping-missing"
    label = "NAT_MAPPING"
    parameters = TranslatingStatement
    called = {"nika": "nat_mapping_removed_without_drain"}
    platforms = ("cisco_ios",)

    def _places(self, network: DrawnNetwork) -> Iterator[TranslatingStatement]:
        # others carry traffic only if the first one, or its provider, fails
        for one in network.translations[:1]:
            for (line,) in (path for path in config_paths(network.startup_configs[one.node]) if len(path) == 1):
                if line.startswith("ip nat inside source "):
                    yield TranslatingStatement(node=one.node, platform=network.platform_of(one.node), line=line)

    def touches(self, parameters: TranslatingStatement) -> frozenset[str]:
        return frozenset({f"{parameters.node} nat"})

    def injection(self, parameters: TranslatingStatement) -> tuple[str, ...]:
        return (f"no {parameters.line}",)

    def repair(self, parameters: TranslatingStatement) -> tuple[str, ...]:
        return (parameters.line,)

    def symptoms(self, parameters: TranslatingStatement, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.node} has nothing by which it translates."
        yield from asking.state(network, parameters.node, "no NAT mapping", because)


class TranslationLimit(OnDevice):
    """A router, and how many translations it has at most."""

    most: int


class NatPortPoolExhausted(DeviceFault[TranslationLimit]):
    """A router at the edge has so few translations that most new connections beside others fail."""

    needs_services: tuple[str, ...] = ("nat",)
    shown_by = "telemetry"
    domain = "policy"
    name = "nat-port-pool-exhausted"
    label = "NAT_POOL"
    parameters = TranslationLimit
    called = {"nika": "snat_port_pool_exhaustion"}
    platforms = ("cisco_ios",)
    requires = ("nft-connlimit",)

    def _places(self, network: DrawnNetwork) -> Iterator[TranslationLimit]:
        # others carry traffic only if the first one, or its provider, fails
        for one in network.translations[:1]:
            yield TranslationLimit(node=one.node, platform=network.platform_of(one.node), most=MOST_ENTRIES)

    def touches(self, parameters: TranslationLimit) -> frozenset[str]:
        return frozenset({f"{parameters.node} nat"})

    def injection(self, parameters: TranslationLimit) -> tuple[str, ...]:
        return (f"{_LIMIT} {parameters.most}",)

    def repair(self, parameters: TranslationLimit) -> tuple[str, ...]:  # noqa: ARG002  (there was none before)
        return (f"no {_LIMIT}",)

    def symptoms(self, parameters: TranslationLimit, network: Observable) -> Iterator[Observation]:
        because = f"{parameters.node} translates no more than {parameters.most} at a time."
        yield from asking.state(network, parameters.node, "NAT limit", because, most=parameters.most)


def _neighbors(network: DrawnNetwork, node: str, interface: str) -> set[str]:
    """The routers on the link at an interface."""
    for link in network.transits:
        if any((one.node, one.interface) == (node, interface) for one in link.attachments):
            return {one.node for one in link.attachments if one.node != node}
    return set()


def _moved(interface: str, old: Side, new: Side) -> tuple[str, ...]:
    return (f"interface {interface}", f" no ip nat {old}", f" ip nat {new}")
