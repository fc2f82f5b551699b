"""The generator ``troubleshoot``: drawn networks in which something may be wrong that commands can repair."""

from __future__ import annotations

from typing import ClassVar, Final, Literal, get_args

from pydantic import Field

from pytest_netbench.generators.diagnose import OF_RULES, DiagnoseGenerator, DiagnoseParameters, OfRules
from pytest_netbench.generators.faulty_draws import FaultName
from pytest_netbench.model.topology import Topology

Repairable = Literal[
    FaultName,
    "host-address-missing",
    "host-address-wrong",
    "host-route-blackhole",
    "host-neighbor-wrong",
    "route-blackhole",
    "bgp-prefix-hijacked",
    "bgp-blackhole-leaked",
    "bgp-prefix-limit",
    "icmp-denied",
    "ospf-denied",
    "bgp-denied",
]
REPAIRABLE: Final[tuple[Repairable, ...]] = get_args(Repairable)
"""What is drawn: what ``diagnose`` has, without cables, which no command repairs."""


class TroubleshootParameters(DiagnoseParameters):
    """What can be chosen."""

    faults: tuple[Repairable | Literal["http-denied"] | OfRules, ...] = Field(
        REPAIRABLE, description="faults that may occur; with the service web also http-denied"
    )

    # without their controller switches forward as before, and what breaks no flow cannot be troubleshot
    of_switches: ClassVar[tuple[str, ...]] = OF_RULES

    def _served(self) -> list[str]:
        """The one that flows show and a command repairs."""
        return ["http-denied"] if "web" in self.services else []


class TroubleshootGenerator(DiagnoseGenerator):
    """Networks of FRR or IOS routers and switches with one to three faults that can be repaired, or none."""

    name = "troubleshoot"
    parameters = TroubleshootParameters
    begins = "Troubleshoot"

    def controlled(self, topology: Topology) -> Topology:
        """The topology as it was drawn: what is managed can be repaired."""
        return topology
