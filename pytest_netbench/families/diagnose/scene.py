"""The scene of a diagnosis: a network in which faults were injected, or none, and which nobody changes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.errors import LabError
from pytest_netbench.families.diagnose.browsing import Browsing
from pytest_netbench.families.diagnose.decoys import make
from pytest_netbench.families.diagnose.methods import FixedDiagnosis
from pytest_netbench.families.diagnose.requests import Requests
from pytest_netbench.families.diagnose.serving import Serving
from pytest_netbench.families.diagnose.telemetry import Telemetry
from pytest_netbench.families.diagnose.timetable import Timetable
from pytest_netbench.families.diagnose.tools import Tools
from pytest_netbench.families.faulty.clusters import is_cluster
from pytest_netbench.families.faulty.scene import BASELINE_S, PAUSE_S, FaultyScene
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.injecting import Injected, await_effects
from pytest_netbench.faults.reasoning import in_words, repairs
from pytest_netbench.lab.capabilities import offers
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import Stamp, stamp_of
from pytest_netbench.lab.turn_access import at_usual_pace, go_by_the_wall
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.trial import Findings, Submission
from pytest_netbench.model.watch import Watch
from pytest_netbench.platforms.capabilities import COUNTERS

HISTORY_S = 2.5
"""Wall seconds of traffic before anything is injected: an agent can see what is usual."""
ONSET_S = 3.0
"""Wall seconds from the injection, if there is any, to the agent's first look: most faults are in force by then.

A healthy network waits as long, so that its age does not tell that nothing was injected.
"""


class DiagnoseScene(FaultyScene):
    """A network in which something may be wrong.

    Args:
        lab: The network.
        payload: What is wrong, if anything, and which flows must work.
    """

    def __init__(self, lab: Lab, payload: Diagnose) -> None:
        super().__init__(lab, payload, recorded=list(lab.nodes))
        self._diagnosis = FixedDiagnosis(payload, now=partial(stamp_of, lab))
        self._payload: Diagnose = payload
        controls = payload.topology.controls
        accessible = [name for name in lab.nodes if controls[name] != "foreign" or name in payload.monitored]
        if is_cluster(payload):  # its workstation is no part of its network
            accessible = [name for name in accessible if offers(lab.nodes[name], COUNTERS)]
        self._telemetry = Telemetry(
            lab,
            payload.demands,
            nodes=accessible,
            hosts=payload.test_hosts,
            has_gaps=payload.history != "full",
            monitoring=payload.monitoring,
            platforms=payload.platforms,
        )
        self._browsing = Browsing(lab, payload, self._telemetry)
        self._serving = Serving(lab, payload)
        if payload.period_s is not None:
            go_by_the_wall(lab)
        self._timetable = Timetable(lab, self._faults, [one.when for one in payload.faults])
        self._failed: tuple[str, ...] = ()
        self._breached_before: tuple[int, ...] = ()
        self._breached_after: tuple[int, ...] = ()
        self._before: tuple[int, ...] = ()
        self._onset_at = 0.0
        self._away: frozenset[int] = frozenset()
        """Numbers of the faults that a proof has taken away."""
        self._looked_at = stamp_of(lab)
        """When the agent could begin."""

    @property
    def may_be_latent(self) -> bool:
        return True

    @property
    def _present(self) -> Sequence[Injected]:
        return self._timetable.there

    @property
    def methods(self) -> Sequence[FamilyMethod]:
        tools = Tools(self._lab, self._payload, self._telemetry.store)
        requests = Requests(self._lab, self._payload.test_hosts).methods if self._serving.has_servers else ()
        return (*tools.methods, *requests, *self._diagnosis.methods)

    def health(self) -> None:
        make(self._lab, self._payload, self._payload.decoys)
        super().health()
        self._serving.await_healthy()
        self._telemetry.await_healthy()
        self._browsing.start()

    def _flows_are_right(self) -> None:
        self._telemetry.start()

    def inject(self) -> None:
        self._telemetry.await_age(HISTORY_S)
        self._onset_at = time.monotonic()
        super().inject()

    def settle(self) -> None:
        super().settle()
        if self._payload.history == "short":
            self._telemetry.store.forget()
        self._telemetry.await_samples(ONSET_S)
        time.sleep(max(0.0, self._onset_at + ONSET_S - time.monotonic()))

    def observe(self) -> None:
        super().observe()
        self._before = tuple(sorted(self._wrong))
        self._breached_before = self._telemetry.await_sample()
        if self._payload.history == "none":
            self._telemetry.store.forget()
        self._begin()

    def _begin(self) -> None:
        """Let the agent begin."""
        self._telemetry.follow_requests()
        self._looked_at = stamp_of(self._lab)
        self._timetable.start()

    def bring_all(self) -> None:
        """Let all faults be there that come and go, for a proof.

        Raises:
            FaultHasNoEffect: One has none.
        """
        self._timetable.bring_all()
        await_effects(self._present, self._lab)

    def _wind_up(self) -> None:
        """Let nothing come or go any more: what heals is over, and all else is in force."""
        if self._payload.period_s is not None:
            self._timetable.wind_up()
            with at_usual_pace(self._lab):
                await_effects(self._present, self._lab)

    def destroy(self) -> None:
        with contextlib.suppress(LabError):  # the lab ends; a trial that was evaluated has told it
            self._timetable.stop()
        self._browsing.stop()
        self._telemetry.stop()
        super().destroy()

    def evaluate(self, submission: Submission) -> Findings:
        self._wind_up()
        watch = self._final_watch()
        self._browsing.stop()
        self._failed = self._serving.failures()
        self._breached_after = self._telemetry.finish()
        return self._network.evaluate(submission).model_copy(
            update={
                "watch": watch,
                "healthy_configs": self._healthy,
                "routes": dict(self._tables.found),
                "other": self._others(),
            }
        )

    def _final_watch(self) -> Watch:
        """The flows before and after. Whatever an agent answers is judged against what is still wrong."""
        await_effects(self._present, self._lab)
        watch = Watch(flows=self._flows, wrong_before=self._before, wrong_after=tuple(sorted(self._look())))
        self._tables.read("final")
        return watch

    def _others(self) -> dict[str, Any]:
        return {
            "diagnosis": self._diagnosis.text,
            "diagnosed_after": self._after(self._diagnosis.fixed_at),
            "reference_diagnosis": tuple(in_words(self._payload)),
            "breached_demands": {"before": self._breached_before, "after": self._breached_after},
            **({"happened": tuple(self._timetable.happened)} if self._payload.period_s is not None else {}),
            **({"failed_requests": self._failed} if self._serving.count else {}),
        }

    def _after(self, moment: Stamp | None) -> dict[str, float] | None:
        """Seconds from when the agent could begin to a moment; ``None`` if it never came."""
        if moment is None:
            return None
        passed = moment.since(self._looked_at)
        return {"wall_s": round(passed.wall_s, 3), "lab_s": round(passed.lab_s, 1)}

    def recover(self) -> Iterator[str]:
        """Take all faults away; say in what the network differs from the healthy one afterwards.

        Raises:
            LabError: A node refused a repair.
        """
        yield from self._take_away()
        self._tables.wait(healed=True)
        ends_at = time.monotonic() + BASELINE_S
        while (wrong := self._look()) and time.monotonic() < ends_at:
            time.sleep(PAUSE_S)
        if wrong:
            yield f"after the repair flows are wrong: {self._named(wrong)}"
        while (breached := self._telemetry.await_sample()) and time.monotonic() < ends_at:
            pass
        if breached:
            lost = ", ".join(str(self._payload.demands[number]) for number in breached)
            yield f"after the repair traffic loses packets: {lost}"
        if failed := self._serving.lasting_failures():
            yield f"after the repair services fail: {'; '.join(failed)}"
        self._tables.read("final")
        healthy, final = (self._tables.found.get(moment, {}) for moment in ("healthy", "final"))
        for node, table in healthy.items():
            for prefix in sorted(table.keys() | final[node].keys()):
                if table.get(prefix) != final[node].get(prefix):
                    yield (
                        f"after the repair {node} has another route to {prefix}: {final[node].get(prefix)} instead of"
                        f" {table.get(prefix)}"
                    )

    def hidden_problems(self) -> Iterator[str]:
        """Repair a fault that another one hides; say if that changes which flows are wrong. Nothing of other tasks.

        Raises:
            LabError: A node refused the repair.
        """
        if not self._payload.masked:
            return
        before = set(self._look())
        yield from self._take_away(frozenset({0}))
        self._tables.wait()
        if changed := before ^ set(self._look()):
            one, other = (fault.fault for fault in self._payload.faults)
            yield f"fault {other!r} does not hide {one!r}: a repair of that changes {self._named(changed)}"

    def _take_away(self, chosen: frozenset[int] | None = None) -> Iterator[str]:
        """Take faults away, all but those that are away; or those of some numbers."""
        numbers = (frozenset(range(len(self._faults))) if chosen is None else chosen) - self._away
        self._away |= numbers
        for number in sorted(numbers, reverse=True):
            fault, parameters = self._faults[number]
            if isinstance(fault, FromOutside):
                fault.undo(parameters, self._lab)
        for number, node, commands in repairs(self._payload.faults):
            if number not in numbers:
                continue
            for status in self._lab.driver(node).apply(self._lab.nodes[node], commands):
                if status.status == "error":
                    yield f"{node} refused {status.command.strip()!r} of the repair: {status.message.strip()}"

    @property
    def breached(self) -> str:
        """How many demands were not met when the agent could begin, for people."""
        return f"{len(self._breached_before)} of {len(self._payload.demands)}"

    def failed_requests(self) -> str | None:
        """Make each request to servers; say how many fail, for people. ``None`` without servers."""
        return f"{len(self._serving.failures())} of {self._serving.count}" if self._serving.count else None

    @property
    def wrong_flows(self) -> str:
        """How many flows are wrong at present, for people."""
        return f"{len(self._wrong)} of {len(self._flows)}"
