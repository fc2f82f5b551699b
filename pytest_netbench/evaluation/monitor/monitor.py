"""Watches flows of a running lab while an agent works, change by change.

After each change all flows are looked at once. Those that were right and are wrong now are looked at again for some lab
seconds: what recovers by then was an outage, the rest was broken by the change. A lab at rest is not waited for. Ports
are tried while the agent waits; at other times, during a change and for some time afterwards, only echo requests are
sent.

With many flows the agent waits only briefly: the look after a change goes on while it works. A change that comes before
that look is complete is looked at together with the one before.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from pytest_netbench.evaluation.monitor.background import Background
from pytest_netbench.evaluation.monitor.later import Later
from pytest_netbench.evaluation.monitor.ledger import Ledger
from pytest_netbench.evaluation.monitor.matrix import reachability
from pytest_netbench.evaluation.monitor.sweeps import Sweeper
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.rest import is_at_rest
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.lab.turn_access import at_usual_pace, looking_at
from pytest_netbench.model.watch import Watch, WatchedFlow

PATIENCE_LAB_S = 10.0
"""Lab seconds after a change in which a flow may recover by itself."""
LEAST_PATIENCE_S = 0.2
LEAST_PATIENCE_AT_THE_END_S = 1.5
"""Longer than a kernel waits before it asks for a neighbor again."""
MOST_PATIENCE_S = 5.0
"""Wall seconds; a lab may run as slowly as the wall clock."""
AFTERMATH_LAB_S = 200.0
"""Lab seconds after a change in which outages are looked for: BGP waits 180 s for a silent neighbor."""
MOST_AFTERMATH_S = 10.0
PATIENT_LOOKS = 2
"""Before a flow counts as broken: the looks before wait too briefly for the answers of a busy machine."""
FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 0.1
LONGEST_LINE = 200
MOST_AT_ONCE = 2_000
"""Flows up to which the agent waits for the whole look after a change, and all are looked at before one."""
SAMPLE = 250
"""Of more flows, so many are looked at in one go, and before a change."""
LONGEST_WAIT_S = 0.1
"""Wall seconds of the agent for a look at more flows, after a change and before the next."""


@dataclass(frozen=True, kw_only=True)
class _Change:
    """Fields of a ``WatchedStep``."""

    number: int = 0
    at_s: float = 0.0
    device: str = ""
    what: str = ""


class Monitor:
    """Watches flows. ``begin`` before the agent works, ``changing`` around each change, ``end`` afterwards.

    Args:
        lab: The running network.
        flows: What must get through, and what must not. The numbers of a ``Watch`` are indices into it.
        patience_lab_s: Lab seconds in which a flow may recover after a change, and become right at the end. At least
            as long as the network's protocols take to converge.
    """

    def __init__(
        self,
        lab: Lab,
        flows: Sequence[WatchedFlow],
        *,
        patience_lab_s: float = PATIENCE_LAB_S,
    ) -> None:
        self._flows = tuple(flows)
        self._all = frozenset(range(len(self._flows)))
        self._echoes = frozenset(number for number, flow in enumerate(self._flows) if flow.protocol == "icmp")
        self._lab = lab
        self._now = stopwatch_of(lab).now
        self._sweeper = Sweeper(lab, self._flows)
        self._ledger = Ledger(self._flows, time_scale=lab.time_scale)
        self._patience_s = min(MOST_PATIENCE_S, max(LEAST_PATIENCE_S, patience_lab_s / lab.time_scale))
        self._lock = threading.RLock()
        self._has_many = len(self._flows) > MOST_AT_ONCE
        self._later = Later()
        self._background = Background(
            self._look_in_the_background,
            self._ledger.looked_again_after,
            linger_s=min(MOST_AFTERMATH_S, AFTERMATH_LAB_S / lab.time_scale),
            now=self._now,
        )
        self._changes = 0
        self._measured_s = 0.0
        self._last = _Change()
        self._over = False

    def begin(self, known: Collection[int] = ()) -> frozenset[int]:
        """Look at all flows before the agent works; return those that are wrong.

        A lost packet must not excuse the agent later, so a flow is wrong only if two looks find it wrong.

        Args:
            known: Flows that a look a moment ago found wrong.

        Raises:
            LabError: The lab broke.
        """
        with self._lock:
            at = self._now()
            wrong = self._wrong_now(self._all, silent=known or self._all)
            doubtful = wrong - frozenset(known)
            if doubtful:
                wrong = (wrong - doubtful) | self._wrong_now(doubtful, silent=doubtful)
            self._ledger.begin(wrong, at=at)
        return wrong

    def _wrong_now(self, flows: frozenset[int], *, silent: Collection[int]) -> frozenset[int]:
        return frozenset(number for number, is_wrong in self._sweeper.look(flows, silent=silent).items() if is_wrong)

    @contextmanager
    def changing(self, device: str, lines: Sequence[str], *, at_s: float) -> Iterator[None]:
        """Around the work for one change; implements ``ani.protocol.WorkWatcher``."""
        if self._over:
            yield
            return
        what = next((line.strip() for line in lines if line.strip()), "")[:LONGEST_LINE]
        with self._measuring():
            self._later.finish(wait_s=LONGEST_WAIT_S)
            self._look_for_late_changes()
            self._changes += 1
            change = self._last = _Change(number=self._changes, at_s=at_s, device=device, what=what)
        self._background.enter()
        try:
            yield
        finally:
            self._background.leave()
            with self._measuring():
                if self._has_many:
                    self._later.start(lambda: self._look_later(change), wait_s=LONGEST_WAIT_S)
                else:
                    self._look_after(change)

    def end(self) -> Watch:
        """Look at all flows for the last time, once they are right or have had time to become so; return all.

        Further changes are not watched any more.

        Raises:
            LabError: The lab broke, and the agent did not cause that.
        """
        self._later.finish(wait_s=0.0)
        self.stop()
        with self._lock:
            # without a change there is nothing to wait for: the network was quiet before the agent began
            hoped_for = self._all if self._changes else ()
            wrong = self._settled(self._all, hoped_for=hoped_for, least_s=LEAST_PATIENCE_AT_THE_END_S)
            self._ledger.step(wrong, **vars(self._last), late=True)
            return self._ledger.watch(changes=self._changes, at=self._now(), measured_s=self._measured_s)

    def stop(self) -> None:
        """Look at nothing any more. Idempotent."""
        self._over = True
        self._later.abandon()
        self._background.stop()

    @property
    def wrong(self) -> frozenset[int]:
        """Indices of the flows that are wrong, as of the last look after a change."""
        self._later.finish()
        return self._ledger.wrong

    def report(self) -> str:
        """Return who reaches whom, as of the last look after a change."""
        return reachability(self._flows, self.wrong)

    @contextmanager
    def _measuring(self) -> Iterator[None]:
        """The time is the agent's wait."""
        began = time.monotonic()
        with self._alone():
            yield
            self._measured_s += time.monotonic() - began

    def _alone(self) -> AbstractContextManager[object]:
        """One thread at a time. With many flows the threads take turns within a look."""
        return nullcontext() if self._has_many else self._lock

    def _look_later(self, change: _Change) -> None:
        with looking_at(self._lab), at_usual_pace(self._lab):
            self._look_after(change)

    def _look_after(self, change: _Change) -> None:
        if not self._over:
            wrong = self._settled(self._all)
            if not self._later.hurries:
                self._ledger.step(wrong, **vars(change))

    def _look_for_late_changes(self) -> None:
        """Note what has broken since the last look. Flows that never worked are left to the look after the change."""
        before = self._ledger.wrong
        looked_at = self._sample((self._all - before) | self._ledger.out)
        wrong = self._settled(looked_at)
        self._ledger.step(wrong | (before - looked_at), **vars(self._last), late=True)

    def _sample(self, flows: Collection[int]) -> frozenset[int]:
        """All of a few flows; of many another part each time."""
        step = -(-len(flows) // SAMPLE) if self._has_many else 1
        return frozenset(sorted(flows)[self._changes % step :: step]) if step > 1 else frozenset(flows)

    def _settled(
        self, flows: Collection[int], *, hoped_for: Collection[int] = (), least_s: float = LEAST_PATIENCE_S
    ) -> frozenset[int]:
        """Return which flows are wrong, once none is that was right before, or the patience is over.

        Args:
            flows: Flows to look at.
            hoped_for: Of flows that are waited for although they were wrong before.
            least_s: Wall seconds that the patience lasts at least where the lab is not at rest.
        """
        began = self._now()
        pause_s = FIRST_PAUSE_S
        awaited = (set(flows) - self._ledger.wrong) | set(hoped_for)
        seen = self._look(flows)
        pending = {flow for flow in awaited if seen[flow]}
        if pending:
            while pending and self._may_recover(began, least_s) and not self._later.hurries:
                self._later.pause(pause_s)
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
                again = self._look(pending)
                pending = {flow for flow in pending if again[flow]}
            for _ in range(PATIENT_LOOKS if pending else 0):
                again = self._look(pending, patiently=True)
                pending = {flow for flow in pending if again[flow]}
            # the others may have changed meanwhile
            seen = self._look(flows)
        return frozenset(flow for flow, is_wrong in seen.items() if is_wrong)

    def _may_recover(self, began: float, least_s: float) -> bool:
        """Whether something may still recover by itself that was waited for since a moment."""
        waited_s = self._now() - began
        return waited_s < LEAST_PATIENCE_S or (waited_s < max(least_s, self._patience_s) and not is_at_rest(self._lab))

    def _look(self, flows: Collection[int], *, patiently: bool = False) -> dict[int, bool]:
        seen: dict[int, bool] = {}
        numbers = sorted(flows)
        size = SAMPLE if self._has_many else max(1, len(numbers))
        for start in range(0, len(numbers), size):
            with self._lock:
                at = self._now()
                part = numbers[start : start + size]
                if self._later.hurries:
                    found = {flow: flow in self._ledger.wrong for flow in part}
                else:
                    # what is out is looked at again and again
                    silent = () if patiently else self._ledger.wrong | self._ledger.out
                    found = dict(self._sweeper.look(part, silent=silent))
                    self._ledger.look(found, at=at)
            seen |= found
        return seen

    def _look_in_the_background(self) -> None:
        with looking_at(self._lab), self._alone():
            self._look(self._echoes - self._ledger.wrong)
