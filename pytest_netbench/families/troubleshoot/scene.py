"""The scene of troubleshooting: a network that is diagnosed first and may be changed then."""

from __future__ import annotations

import time
from collections.abc import Container, Sequence
from functools import partial
from typing import Any, Final

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.families.diagnose.scene import DiagnoseScene
from pytest_netbench.families.faulty.tickets import Tickets
from pytest_netbench.families.faulty.watched import WatchedScene
from pytest_netbench.families.troubleshoot.methods import FixedAnswer
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.cables import DOWN_S, UP_S, Cable
from pytest_netbench.faults.injecting import Injected
from pytest_netbench.lab.capabilities import crashed
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stamp_of
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.watch import Watch
from pytest_netbench.platforms.driver import ListsRoutes

_PAUSE_S: Final = 0.3
_OF_THE_CABLE: Final = frozenset({"connected", "local", "kernel"})
"""Routes to the subnet of the cable itself."""


class Mitigations:
    """What became of the traffic over the cables with faults.

    Args:
        lab: The network.
        faults: As they were injected.
        lasting: The numbers of those that are there all the time. One that comes later takes traffic off by itself.
    """

    def __init__(self, lab: Lab, faults: Sequence[Injected], lasting: Container[int]) -> None:
        self._lab = lab
        self._cables: dict[int, Cable] = {
            number: place
            for number, (fault, place) in enumerate(faults)
            if number in lasting and isinstance(fault, FromOutside) and isinstance(place, Cable)
        }
        self._used: frozenset[int] = frozenset()

    def look(self) -> None:
        """Note which cables are used now, before the agent can change anything."""
        self._used = self._in_use()

    def found(self) -> frozenset[int]:
        """The numbers of the faults whose cable was used and is not used any more, for as long as a cable flaps."""
        ends_at = time.monotonic() + (DOWN_S + UP_S) / self._lab.time_scale
        relieved = self._used - self._in_use()
        while relieved and time.monotonic() < ends_at:
            time.sleep(_PAUSE_S)  # samples of a state, for the whole of the period
            relieved -= self._in_use()
        return relieved

    def _in_use(self) -> frozenset[int]:
        tables = {node: self._table(node) for cable in self._cables.values() for node, _ in cable.ends}
        return frozenset(
            number
            for number, cable in self._cables.items()
            if any(interface in tables[node] for node, interface in cable.ends)
        )

    def _table(self, node: str) -> frozenset[str]:
        """The interfaces that a node has routes out of to other subnets; none of a node that lists no routes."""
        driver: Any = self._lab.driver(node)
        if node in crashed(self._lab) or not isinstance(driver, ListsRoutes):
            return frozenset()
        routes = driver.table(self._lab.nodes[node])
        return frozenset(
            interface for route in routes if route.protocol not in _OF_THE_CABLE for interface in route.interfaces
        )


class TroubleshootScene(WatchedScene, DiagnoseScene):
    """A network in which something may be wrong, which an agent repairs once it has said what.

    Args:
        lab: The network.
        payload: What is wrong, if anything, and which flows must work.
    """

    def __init__(self, lab: Lab, payload: Diagnose) -> None:
        super().__init__(lab, payload)
        managed = [name for name, control in lab.topology.controls.items() if control == "managed"]
        begins = payload.order == "answer-first"
        self._answer = FixedAnswer(
            self._diagnosis, managed, begins=begins, now=partial(stamp_of, lab), fixed=self._wind_up
        )
        self._tickets = (
            Tickets(lab, payload, self._faults, mend=self._timetable.mend, over=self._timetable.over)
            if payload.tickets
            else None
        )
        lasting = {number for number, one in enumerate(payload.faults) if one.when is None}
        self._mitigations = Mitigations(lab, self._faults, lasting)

    @property
    def may_be_latent(self) -> bool:
        # what is handed over is judged by the ticket
        return self._payload.tickets and all(isinstance(fault, FromOutside) for fault, _ in self._faults)

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        tickets = () if self._tickets is None else (self._tickets.method,)
        return (*super().methods, self._answer.method, *tickets)

    def observe(self) -> None:
        super().observe()
        if self._tickets is not None:
            self._mitigations.look()
        self._looked_at = stamp_of(self._lab)

    def _final_watch(self) -> Watch:
        return self._end_of_watch()

    def _others(self) -> dict[str, Any]:
        answer = self._answer.answer
        return {
            **super()._others(),
            **({} if self._tickets is None else self._ended(self._tickets)),
            "answer": None if answer is None else answer.model_dump(mode="json"),
            "answered_after": self._after(self._answer.fixed_at),
        }

    def _ended(self, tickets: Tickets) -> dict[str, Any]:
        """How faults have ended that no command repairs: mended after a ticket, or with no traffic at the place."""
        found = self._mitigations.found()
        left = tickets.open_faults
        return {
            "tickets": tuple(tickets.opened),
            "open_faults": tuple(name for number, name in left.items() if number not in found),
            "mitigated": tuple(name for number, name in left.items() if number in found),
        }
