"""Sees whether the reference diagnosis of a task proves its faults: before they are injected, and while they are there.

The observations are made through the interface of an agent, with the methods of the family.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Final

from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.deadline import poll
from pytest_netbench.errors import AniError, MachineTooBusy
from pytest_netbench.families.diagnose.decoys import excluding
from pytest_netbench.families.diagnose.measuring import MEASURE_RATE, MeasureRateParams
from pytest_netbench.families.diagnose.scene import DiagnoseScene
from pytest_netbench.faults.evidence.network import observable_of
from pytest_netbench.faults.evidence.observation import Answer, Observation, answer_of
from pytest_netbench.faults.reasoning import reference_diagnosis
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.task import UNLIMITED
from pytest_netbench.probing.records import FlowReport

PATIENCE_S: Final = 8.0
"""Telemetry has a sample every half second, and neighbors notice some time later."""
_PAUSE_S: Final = 0.5  # between two looks: no event says that a symptom has come
_SHOWN: Final = 120


class EvidenceCheck:
    """Makes the observations of a task's reference diagnosis.

    Args:
        payload: What is injected.
        patience_s: Wall seconds in which an observation shows a fault that is in force.
    """

    def __init__(self, payload: Diagnose, *, patience_s: float = PATIENCE_S) -> None:
        self._payload = payload
        self._patience_s = patience_s
        self._reference = tuple(reference_diagnosis(payload))
        self._is_limited = bool(payload.test_hosts)
        self._before: list[list[bool]] = []
        self._after: list[list[bool]] = []
        self._unseen: list[str] = []

    def look_before(self, scene: DiagnoseScene) -> None:
        """Make each observation in the healthy network."""
        self._before = self._looked(scene, patience_s=0.0)

    def look_after(self, scene: DiagnoseScene) -> None:
        """Make each observation while the faults are in force. What does not show a fault is made again for a while.

        Raises:
            MachineTooBusy: A rate that this machine could not send does not show a fault.
        """
        self._after = self._looked(scene, patience_s=self._patience_s)

    @property
    def shown(self) -> str:
        """How many observations prove something by themselves: they hold with the fault only. For people."""
        of_faults = [
            f"{sum(after and not before for before, after in zip(*both, strict=True))} of {len(both[0])}"
            for both in zip(self._before, self._after, strict=True)
        ]
        return " + ".join(of_faults) or "none"

    def problems(self) -> Iterator[str]:
        """A phrase for each fault that the observations do not prove: one does not hold, or all did before."""
        yield from self._unseen
        for (one, found), before in zip(self._reference, self._before, strict=True):
            if found and all(before):
                yield f"evidence of {one.fault}: all holds in the healthy network"
            elif not found and self._is_limited:
                yield f"evidence of {one.fault}: nothing that an agent has access to shows it"

    def decoys(self, scene: DiagnoseScene) -> Iterator[str]:
        """A phrase for each decoy that nothing excludes: an observation of it does not hold, or there is none."""
        network = observable_of(self._payload)
        source = (*self._payload.test_hosts, *self._payload.flows[0].sources)[0]
        ani = AgentInterface(scene.lab, policy=Policy(), budget=UNLIMITED, methods=scene.methods)
        try:
            for one in self._payload.decoys:
                found = list(excluding(one, network, source))
                if not found:
                    yield f"decoy {one.kind} of {one.node}: nothing excludes it"
                for expected in found:
                    answer, holds = poll(
                        partial(_seen, ani, expected),
                        until=itemgetter(1),
                        within_s=self._patience_s,
                        pause_s=_PAUSE_S,
                    )
                    if not holds:
                        yield f"decoy {one.kind}: {expected.words} Seen: {_short(answer)}"
        finally:
            ani.close()

    def _looked(self, scene: DiagnoseScene, *, patience_s: float) -> list[list[bool]]:
        ani = AgentInterface(scene.lab, policy=Policy(), budget=UNLIMITED, methods=scene.methods)
        try:
            return [
                [self._holds(ani, one, fault.fault, patience_s=patience_s) for one in found]
                for fault, found in self._reference
            ]
        finally:
            ani.close()

    def _holds(self, ani: AgentInterface, one: Observation, fault: str, *, patience_s: float) -> bool:
        answer, holds = poll(lambda: _seen(ani, one), until=itemgetter(1), within_s=patience_s, pause_s=_PAUSE_S)
        if patience_s and not holds:
            _refuse_if_too_busy(one, answer)
            self._unseen.append(f"evidence of {fault}: {one.words} Seen: {_short(answer)}")
        return holds


def _seen(ani: AgentInterface, one: Observation) -> tuple[Answer, bool]:
    """The last answer to the request of an observation, and whether it shows what it must."""
    for _ in range(one.tries):
        try:
            answer = answer_of(ani.call(one.method, one.params))
        except AniError as error:
            answer = Answer(str(error), is_error=True)
        if one.shows.is_in(answer):
            return answer, True
    return answer, False


def _refuse_if_too_busy(one: Observation, answer: Answer) -> None:
    """A rate that this machine could not send shows nothing of the network.

    Raises:
        MachineTooBusy: It was such a rate.
    """
    if one.method == MEASURE_RATE and not answer.is_error:
        report, rate_bps = FlowReport(**json.loads(answer.text)), MeasureRateParams(**one.params).rate_bps
        if not report.is_as_asked(rate_bps):
            raise MachineTooBusy(rate_bps, report.offered_bps)


def _short(answer: Answer) -> str:
    return " / ".join(answer.text.split("\n")).strip()[:_SHOWN]
