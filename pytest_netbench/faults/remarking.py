"""A router that changes the DSCP of packets that other routers send it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.dialects.cisco_ios.markings import name_of
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.passing import Crossing, crossings
from pytest_netbench.faults.syntax import below
from pytest_netbench.lab.marks import arrivals
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.watch import WatchedFlow

POLICY: Final = "FROM-CORE"
INSTEAD: Final = (0, 8, 10)
"""No class of traffic, less than that (CS1), or the lowest one (AF11)."""


class Remarked(OnDevice):
    """An interface toward another router, flows that come in there, and the DSCP that all packets get there.

    Attributes:
        peer: The router at the other end.
        right: DSCP with which packets to the UDP port ``port`` come in.
        instead: DSCP that they get.
    """

    interface: str
    peer: str
    port: int
    right: int
    instead: int
    flows: tuple[Crossing, ...]


class DscpRemarked(DeviceFault[Remarked]):
    """A router gives packets that come in from another router a different DSCP, so that they have another class."""

    needs_services: tuple[str, ...] = ("qos",)
    shown_by = "telemetry"
    domain = "policy"
    name = "dscp-remarked"
    label = "DSCP"
    found_at = "interface"
    parameters = Remarked
    called = {"nika": "vrf_dscp_remarking"}
    platforms = ("cisco_ios",)
    requires = ("nft-dscp",)

    def _places(self, network: DrawnNetwork) -> Iterator[Remarked]:
        for marking in network.markings[:1]:  # all mark alike
            for place in crossings(network, {one.node for one in network.markings}):
                for instead in INSTEAD:
                    yield Remarked(
                        node=place.node,
                        platform=network.platform_of(place.node),
                        interface=place.interface,
                        peer=place.peer,
                        port=marking.port,
                        right=marking.dscp,
                        instead=instead,
                        flows=place.flows,
                    )

    def touches(self, parameters: Remarked) -> frozenset[str]:
        # another path, or another mark before or behind, would hide it
        return frozenset({"ospf costs", f"{parameters.node} {parameters.interface}"})

    def injection(self, parameters: Remarked) -> tuple[str, ...]:
        return (
            *below(f"policy-map {POLICY}", "class class-default", f" set dscp {name_of(parameters.instead)}"),
            *below(f"interface {parameters.interface}", f"service-policy input {POLICY}"),
        )

    def repair(self, parameters: Remarked) -> tuple[str, ...]:
        detached = below(f"interface {parameters.interface}", f"no service-policy input {POLICY}")
        return (*detached, f"no policy-map {POLICY}")

    def remains(self, parameters: Remarked, lab: Lab) -> Iterator[str]:
        p = parameters
        flows = [WatchedFlow(**dict(one), protocol="udp", port=p.port) for one in p.flows]
        for flow, got in zip(flows, arrivals(lab, flows, follow=(p.peer, p.node)), strict=True):
            # another fault may have stopped it, or sent it elsewhere
            came = got.received_dscp is not None and got.came_by[:2] == (p.peer, p.node)
            if came and got.received_dscp != p.instead:
                yield f"{flow.source} to {flow.target} arrives with DSCP {got.received_dscp}"

    def symptoms(self, parameters: Remarked, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.node} gives all that comes in at {p.interface} the DSCP {name_of(p.instead)}."
        words = {"interface": p.interface, "policy": POLICY, "dscp": name_of(p.instead)}
        yield from asking.state(network, p.node, "remarks", because, **words)
