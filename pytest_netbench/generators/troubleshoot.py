"""The generator ``troubleshoot``: drawn networks in which something may be wrong that commands can repair."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from pytest_netbench.generators.default_faults import TROUBLESHOT
from pytest_netbench.generators.diagnose import DiagnoseGenerator, DiagnoseParameters
from pytest_netbench.generators.eligible import REPAIRABLE, Eligible
from pytest_netbench.model.topology import Topology


class TroubleshootParameters(DiagnoseParameters):
    """What can be chosen."""

    faults: tuple[Annotated[str, REPAIRABLE], ...] = Field(
        TROUBLESHOT, description="faults that may occur; with the service web also http-denied"
    )

    # without their controller switches forward as before, and what breaks no flow cannot be troubleshot
    eligible: ClassVar[Eligible] = REPAIRABLE


class TroubleshootGenerator(DiagnoseGenerator):
    """Networks of FRR or IOS routers and switches with one to three faults that can be repaired, or none."""

    name = "troubleshoot"
    parameters = TroubleshootParameters
    begins = "Troubleshoot"

    def controlled(self, topology: Topology) -> Topology:
        """The topology as it was drawn: what is managed can be repaired."""
        return topology
