"""The generator ``troubleshoot``: drawn networks in which something may be wrong that commands can repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from pytest_netbench.generators.default_faults import HANDED_OVER, P4_HANDED_OVER, TROUBLESHOT
from pytest_netbench.generators.diagnose import DiagnoseGenerator
from pytest_netbench.generators.diagnose_parameters import DiagnoseParameters
from pytest_netbench.generators.eligible import ENDING, REPAIRABLE, Eligible
from pytest_netbench.generators.levels import CONFIGURED_IN_FLOWS, HIDDEN_IN_FLOWS
from pytest_netbench.model.diagnosis import Order
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.topology import Topology


class TroubleshootParameters(DiagnoseParameters):
    """What can be chosen."""

    faults: tuple[Annotated[str, ENDING], ...] = Field(
        TROUBLESHOT,
        description="faults that may occur; with the service web also http-denied, with handover also those of cables",
    )
    handover: bool = Field(
        False,
        description="whether faults may occur that no command repairs, such as those of cables: an agent hands them"
        " over by a ticket",
    )
    order: Order = Field(
        "answer-first",
        description="answer-first: devices can be changed once the answer is fixed; mixed: from the beginning",
    )

    of_rows: ClassVar[Mapping[str, Any]] = {"faults": (*HIDDEN_IN_FLOWS, *CONFIGURED_IN_FLOWS), "handover": True}

    # without their controller switches forward as before, and what breaks no flow cannot be troubleshot
    eligible: ClassVar[Eligible] = REPAIRABLE

    @model_validator(mode="after")
    def _each_fault_can_end(self) -> Self:
        left = [name for name in self.faults if not fault_of(name).repairable]
        if self.access == "reports":
            self._check_hands_over(left)
        if self.handover:
            if not left and "faults" not in self.model_fields_set:
                # the model is frozen, and not in use yet
                object.__setattr__(self, "faults", (*self.faults, *HANDED_OVER, *self.of_p4(P4_HANDED_OVER)))
        elif left:
            raise ValueError(f"faults={left[0]}: no command repairs it; give handover=true, so that it is handed over")
        return self

    def _check_hands_over(self, left: Sequence[str]) -> None:
        """Nothing can be changed without a login.

        Raises:
            ValueError: There are no tickets, or a fault that a command repairs.
        """
        if not self.handover:
            raise ValueError("access=reports: nothing can be changed; give handover=true")
        if more := [name for name in self.faults if name not in left]:
            raise ValueError(f"access=reports: {more[0]} is repaired by commands, and nothing can be changed")


class TroubleshootGenerator(DiagnoseGenerator):
    """Networks of FRR or IOS routers and switches with one to three faults that can be repaired, or none."""

    name = "troubleshoot"
    parameters = TroubleshootParameters
    begins = "Troubleshoot"

    def further(self, parameters: TroubleshootParameters) -> dict[str, Any]:
        """Whether there are tickets, and when devices can be changed."""
        return {**({"tickets": True} if parameters.handover else {}), "order": parameters.order}

    def controlled(self, topology: Topology) -> Topology:
        """The topology as it was drawn: what is managed can be repaired."""
        return topology
