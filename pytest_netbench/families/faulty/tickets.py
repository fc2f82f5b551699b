"""Takes tickets and carries them out: what no command repairs is mended if a ticket names it."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from pydantic import Field

from pytest_netbench.ani.family_methods import Change, FamilyMethod
from pytest_netbench.ani.methods import spec_of
from pytest_netbench.ani.wire import Wire
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.injecting import Injected
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turn_access import turns_of
from pytest_netbench.lab.turns import CHANGE_LAB_S
from pytest_netbench.model.diagnosis import Diagnosis, RootCause
from pytest_netbench.scorers.causes import HasCauses, compared, fits

OPEN_TICKET: Final = "open-ticket"
FIELD: Final = "field"
"""What a change is said to be at, for whoever watches the work: no device."""


class OpenTicketParams(Wire):
    """Parameters of ``open-ticket``."""

    resource_id: str = Field(max_length=300, description="one of the resources, e.g. link/R1:eth0--R2:eth0")
    fault_type: str = Field(max_length=100, description="one of the fault types")
    evidence: str = Field(min_length=1, max_length=5_000, description="what shows it, for those who look")


class OpenTicketResult(Wire):
    """Result of ``open-ticket``."""

    ticket: int = Field(description="its number")


TICKET_SPEC: Final = spec_of(
    OPEN_TICKET,
    "Hand something over to those who look after cables, providers and machines, once devices may be changed. They"
    f" look at the resource within {CHANGE_LAB_S:g} seconds of the network's time, and mend what is named if it is so"
    " and no command of a device could repair it. Whether they found it, the network shows. A ticket for nothing counts"
    " as a needless change.",
    OpenTicketParams,
    OpenTicketResult,
)


class Tickets:
    """Takes the tickets of one trial.

    Args:
        lab: The network.
        payload: Says what is wrong.
        faults: The same, as it was injected.
        mend: Takes the fault of a number away for good.
        over: Numbers of the faults that end by themselves.
    """

    def __init__(
        self,
        lab: Lab,
        payload: HasCauses,
        faults: Sequence[Injected],
        *,
        mend: Callable[[int], object],
        over: Collection[int] = (),
    ) -> None:
        self._lab = lab
        self._payload = payload
        self._faults = tuple(faults)
        self._mend = mend
        self._over = frozenset(over)
        self._mended: set[int] = set()
        self.opened: list[dict[str, Any]] = []
        """What was named in each, and what came of it: ``mended``, ``not-theirs`` or ``nothing-found``."""

    @property
    def method(self) -> FamilyMethod:
        """What is offered to the agent."""
        return FamilyMethod(spec=TICKET_SPEC, params=OpenTicketParams, answer=self._open, change=_what)

    @property
    def open_faults(self) -> dict[int, str]:
        """By number: the fault types that nobody has mended, of those that no command repairs."""
        return {
            number: fault.name
            for number, (fault, _) in enumerate(self._faults)
            if isinstance(fault, FromOutside) and number not in self._mended | self._over
        }

    def _open(self, params: OpenTicketParams) -> OpenTicketResult:
        outcome = self._carried_out(params)
        if turns_of(self._lab) is None:  # a network that stands still is run forward as after each change
            time.sleep(CHANGE_LAB_S / self._lab.time_scale)  # so long somebody is on the way, whatever comes of it
        self.opened.append({**params.plain(), "outcome": outcome})
        return OpenTicketResult(ticket=len(self.opened))

    def _carried_out(self, params: OpenTicketParams) -> str:
        named = RootCause(resource_id=params.resource_id, fault_type=params.fault_type)
        causes, (one,) = compared(self._payload, Diagnosis(is_anomaly=True, root_causes=(named,)))
        found = [number for number, cause in enumerate(causes) if fits(cause, one)]
        theirs = [number for number in found if isinstance(self._faults[number][0], FromOutside)]
        for number in theirs:
            if number not in self._mended:
                self._mend(number)
                self._mended.add(number)
        return "mended" if theirs else "not-theirs" if found else "nothing-found"


def _what(params: OpenTicketParams) -> Change:
    return Change(FIELD, (f"{params.fault_type} at {params.resource_id}",))
