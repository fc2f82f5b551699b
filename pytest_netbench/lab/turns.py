"""Turns of a lab that stands still between the requests of an agent.

While a request is answered, lab time passes like the wall, or stands if the answer is there soon. Then it passes until
the request has taken what it is charged with, and the lab stands still again. So what an agent sees does not depend on
how long it thinks.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from pytest_netbench.lab.approach import STANDS, Approach, Exactly, Neighbors
from pytest_netbench.lab.looks import Looks
from pytest_netbench.lab.patience import Patience
from pytest_netbench.lab.turn import Aside, Turn
from pytest_netbench.platforms.capabilities import LabTime, Passed

READ_LAB_S: Final = 5.0
"""Lab seconds that a request takes at least."""
CHANGE_LAB_S: Final = 20.0
"""The same if it changes something."""
LONGEST_FORWARD_S: Final = 60.0
"""Wall seconds that a lab is run forward at once: an agent must not keep a machine busy by waiting."""
SHORT_S: Final = 5.0
"""Wall seconds of a request in which no lab time passes, where it passes by events; more on a crowded machine."""
_SLICE_S: Final = 0.25
_NOTHING_S: Final = 1e-3


def _nobody(_lab_s: float) -> None:
    """Nobody is told."""


class Turns:
    """Lets a lab move in turns, one at a time. Used from several threads.

    Until ``begin`` and after ``end`` the lab moves at its usual pace.

    Args:
        clock: The lab's.
        pace: Lab seconds per wall second while nobody waits for a particular moment.
        neighbors: What nodes know of their neighbors, which would age by the wall.
        exactly: Lets lab seconds pass by events, always in the same way. Without it they pass at the pace.
    """

    def __init__(
        self,
        clock: LabTime,
        *,
        pace: float,
        neighbors: Neighbors | None = None,
        exactly: Callable[[float], Passed] | None = None,
    ) -> None:
        self._clock = clock
        self._exactly = Exactly(exactly)
        self.before = Approach(clock, pace=pace, exactly=self._exactly, neighbors=neighbors)
        """How lab time passes before ``begin``."""
        self._short = Patience(SHORT_S, self._follow_the_wall)
        self._pace = pace
        self._one_at_a_time = threading.Lock()
        self._state = threading.Condition()
        self._stands = False  # between turns
        self._moves = True
        self.looks = Looks(self._state, stands=self._is_standing)
        """Those at the lab beside the requests."""
        self._hurrying = 0
        self._halted_at = self._stood_s = 0.0

    def begin(self) -> None:
        """Stand still from now on, but for turns.

        Raises:
            LabError: The lab broke.
        """
        self.before.stop()
        with self._one_at_a_time, self._state:
            self._stands = True
            self._close()

    def end(self) -> None:
        """Move at the usual pace from now on. Idempotent; a turn that is under way ends as soon as it can."""
        self.before.stop()
        with self._state:
            self.looks.regularly(looks=False)
            was_standing, self._stands = self._stands or self.before.is_on, False
            self.before.is_on = False
            if was_standing:
                try:
                    self._clock.change(self._pace)
                    self.before.let_neighbors_age()
                finally:  # also if the lab has died: who waits for a turn must not wait for ever
                    self._admit()

    def await_turn(self, within_s: float) -> None:
        """Wait for the end of a turn that is under way, for so many wall seconds at most."""
        if self._one_at_a_time.acquire(timeout=within_s):
            self._one_at_a_time.release()

    @contextlib.contextmanager
    def turn(
        self,
        charge_s: float,
        *,
        may_change: bool = False,
        measures: bool = True,
        aside: Aside = contextlib.nullcontext,
        taken: Callable[[float], object] = _nobody,
    ) -> Iterator[Turn]:
        """Around the work for one request; on leaving, the lab is run forward, and stands still again.

        Another thread may leave it than the one that entered.

        Args:
            charge_s: Lab seconds that it takes at least.
            may_change: Whether the network may be another one afterwards: each neighbor is then asked for anew.
            measures: Whether the traffic passes meanwhile; otherwise once the answer is there, if that is soon.
            aside: Entered while the lab is run forward.
            taken: Is told of the lab seconds that it took before another turn begins; once for each part of it.

        Raises:
            LabError: The lab broke.
        """
        turn = Turn(self, aside, taken)
        turn.enter(charge_s)
        self.looks.begin(freely=measures)
        try:
            yield turn
            if may_change and self._is_standing():
                self.before.forget_neighbors()
        finally:
            turn.leave()

    def take(self) -> bool:
        """Wait for a turn, and let the lab move; whether it stood still. ``give_back`` must follow."""
        self._one_at_a_time.acquire()
        try:
            with self._state:
                if self._stands:
                    self._open()
                return self._stands
        except BaseException:
            self._one_at_a_time.release()
            raise

    def give_back(self) -> None:
        """Let the next turn begin."""
        with self._state:
            self._short.end()
        self._one_at_a_time.release()

    def close(self, date: float) -> None:
        """Stand still within a turn, once nobody looks any more, at a date if it has not passed yet."""
        with self._state:
            self._short.end()
            if self._is_standing():
                self.looks.close()
        self.run_forward(date - self.lab_s())
        with self._state:
            self._close()

    @contextlib.contextmanager
    def at_usual_pace(self) -> Iterator[None]:
        """Let lab time pass at its usual pace meanwhile, within a turn too: something of ours waits for the lab."""
        self._hurry(1)
        try:
            yield
        finally:
            self._hurry(-1)

    def run_forward(self, lab_s: float) -> None:
        """Let lab seconds pass, within a turn; fewer if that takes too long, or the agent has ended.

        The clock stops by itself when they have passed, however busy the machine is.

        Raises:
            LabError: The lab broke.
        """
        if lab_s <= _NOTHING_S:
            return
        with self._state:
            self._short.end()
        ends_at, until = self.lab_s() + lab_s, time.monotonic() + LONGEST_FORWARD_S
        while self._exactly.is_possible and self._is_standing() and time.monotonic() < until:
            if (left_s := ends_at - self.lab_s()) <= _NOTHING_S:
                return
            self._exactly.or_give_up(min(left_s, LONGEST_FORWARD_S))
        with self._until(ends_at):
            while self._is_standing() and (left_s := ends_at - self.lab_s()) > _NOTHING_S:
                if time.monotonic() > until:
                    return
                time.sleep(min(_SLICE_S, left_s / self._pace))  # lab time passes with the wall, and announces nothing

    @contextlib.contextmanager
    def _until(self, date: float) -> Iterator[None]:
        """Let lab time pass at its usual pace up to a date. Who waits for the lab meanwhile takes the end away."""
        with self.at_usual_pace():
            with self._state:
                if self._stands and self._moves:
                    self._clock.change(self._pace, until=date)
            yield

    def lab_s(self) -> float:
        """Lab seconds. Only differences mean something."""
        return self._clock.at(time.time())

    def wall_s(self) -> float:
        """Wall seconds without those in which the lab stood still. Only differences mean something."""
        with self._state:
            return (time.monotonic() if self._moves else self._halted_at) - self._stood_s

    def _is_standing(self) -> bool:
        return self._stands

    def _hurry(self, more: int) -> None:
        with self._state:
            self._hurrying += more
            if self._stands and self._moves and self._hurrying == max(more, 0):
                self._clock.change(self._pace if more > 0 else 1.0)

    def _open(self) -> None:
        """Let the processes go on. Where no lab time passes in a short request, the wall takes over in a long one."""
        if self._exactly.is_possible:
            self._clock.change(STANDS)
            self._short.begin()
        else:
            self._clock.change(1.0)
        self._admit()

    def _follow_the_wall(self) -> None:
        with self._state:
            if self._short.lasts and self._stands and self._moves and not self._hurrying:
                self._clock.change(1.0)

    def _admit(self) -> None:
        if not self._moves:
            self._stood_s += time.monotonic() - self._halted_at
        self._moves = True
        self.looks.open()

    def _close(self) -> None:
        """Halt once nobody looks any more."""
        if self._is_standing():
            self.looks.close()
        if self._is_standing():  # it may have ended meanwhile
            self._clock.halt()
            self._moves, self._halted_at = False, time.monotonic()
