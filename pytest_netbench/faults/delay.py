"""A delay on an interface of a Linux router: method 4 of NetArena's ``drop_traffic_to_from_subnet`` (DT)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.interfaces import OnInterface
from pytest_netbench.faults.linux import LinuxFault
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.faults.wording import cut_off

LONG_MS = 5000


class Delay(OnInterface):
    """An interface, and the delay in milliseconds of what it sends."""

    delay_ms: int = Field(gt=0)


class TrafficDelayed(LinuxFault[Delay]):
    """What an interface sends is delayed for longer than anybody waits. Needs the kernel's netem."""

    name = "traffic-delayed"
    label = "DT"
    parameters = Delay
    requires = ("netem",)
    called = {"netarena": "drop_traffic_to_from_subnet, method 4"}

    def _targets(self, site: Site) -> Iterator[Delay]:
        for lan in site.lans:
            yield Delay(node=site.router, interface=lan.interface, delay_ms=LONG_MS)

    def breaks(self, parameters: Delay, site: Site) -> Affected:
        return site.beyond(site.lan_on(parameters.interface).hosts)

    def touches(self, parameters: Delay) -> frozenset[str]:
        return frozenset({f"{parameters.node} {parameters.interface} qdisc"})

    def wrong(self, parameters: Delay) -> str:
        return (
            f"Interface {parameters.interface} of {parameters.node} delays what it sends by {parameters.delay_ms} ms,"
            f" which is longer than anybody waits for an answer. {cut_off(parameters.node)}"
        )

    def injection(self, parameters: Delay) -> Commands:
        return {parameters.node: (f"tc qdisc add dev {parameters.interface} root netem delay {parameters.delay_ms}ms",)}

    def signs(self, parameters: Delay) -> Iterator[Sign]:
        yield Sign(f"tc qdisc show dev {parameters.interface}", r"netem .*delay")

    def repair(self, parameters: Delay) -> tuple[str, ...]:
        return (f"tc qdisc del dev {parameters.interface} root",)
