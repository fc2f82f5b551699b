"""Turns of a lab that stands still between the requests of an agent.

While a request is answered, lab time passes like the wall. Then it passes fast until the request has taken what it is
charged with, and the lab stands still again. So what an agent sees does not depend on how long it thinks.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Final, Protocol, runtime_checkable

from pytest_netbench.errors import LabError
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turn import Aside, Turn
from pytest_netbench.platforms.capabilities import LabTime

READ_LAB_S: Final = 5.0
"""Lab seconds that a request takes at least."""
CHANGE_LAB_S: Final = 20.0
"""The same if it changes something."""
LONGEST_FORWARD_S: Final = 60.0
"""Wall seconds that a lab is run forward at once: an agent must not keep a machine busy by waiting."""
_SLICE_S: Final = 0.25
_NOTHING_S: Final = 1e-3
_LONGEST_LOOK_S: Final = 60.0


def _nobody(_lab_s: float) -> None:
    """Nobody is told."""


class Turns:
    """Lets a lab move in turns, one at a time. Used from several threads.

    Until ``begin`` and after ``end`` the lab moves at its usual pace.

    Args:
        clock: The lab's.
        pace: Lab seconds per wall second while nobody waits for a particular moment.
    """

    def __init__(self, clock: LabTime, *, pace: float) -> None:
        self._clock = clock
        self._pace = pace
        self._one_at_a_time = threading.Lock()
        self._state = threading.Condition()
        self._stands = False  # between turns
        self._moves = self._admits = True
        self._looking = 0
        self._hurrying = 0
        self._halted_at = self._stood_s = 0.0

    def begin(self) -> None:
        """Stand still from now on, but for turns.

        Raises:
            LabError: The lab broke.
        """
        with self._one_at_a_time, self._state:
            self._stands = True
            self._close()

    def end(self) -> None:
        """Move at the usual pace from now on. Idempotent; a turn that is under way ends as soon as it can."""
        with self._state:
            was_standing, self._stands = self._stands, False
            if was_standing:
                try:
                    self._clock.change(self._pace)
                finally:  # also if the lab has died: who waits for a turn must not wait for ever
                    self._admit()

    def await_turn(self, within_s: float) -> None:
        """Wait for the end of a turn that is under way, for so many wall seconds at most."""
        if self._one_at_a_time.acquire(timeout=within_s):
            self._one_at_a_time.release()

    @contextlib.contextmanager
    def turn(
        self, charge_s: float, *, aside: Aside = contextlib.nullcontext, taken: Callable[[float], object] = _nobody
    ) -> Iterator[Turn]:
        """Around the work for one request; on leaving, the lab is run forward, and stands still again.

        Another thread may leave it than the one that entered.

        Args:
            charge_s: Lab seconds that it takes at least.
            aside: Entered while the lab is run forward.
            taken: Is told of the lab seconds that it took before another turn begins; once for each part of it.

        Raises:
            LabError: The lab broke.
        """
        turn = Turn(self, aside, taken)
        turn.enter(charge_s)
        try:
            yield turn
        finally:
            turn.leave()

    def take(self) -> bool:
        """Wait for a turn, and let the lab move; whether it stood still. ``give_back`` must follow."""
        self._one_at_a_time.acquire()
        try:
            with self._state:
                if self._stands:
                    self._open(1.0)
                return self._stands
        except BaseException:
            self._one_at_a_time.release()
            raise

    def give_back(self) -> None:
        """Let the next turn begin."""
        self._one_at_a_time.release()

    def close(self, date: float) -> None:
        """Stand still within a turn, once nobody looks any more, at a date if it has not passed yet."""
        with self._state:
            if self._is_standing():
                self._admits = False
                self._await_looks()
        self.run_forward(date - self.lab_s())
        with self._state:
            self._close()

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """Around what looks at the lab beside the requests. It begins in a turn, which ends only after it."""
        with self._state:
            self._state.wait_for(lambda: self._admits)
            self._looking += 1
        try:
            yield
        finally:
            with self._state:
                self._looking -= 1
                self._state.notify_all()

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
        ends_at, until = self.lab_s() + lab_s, time.monotonic() + LONGEST_FORWARD_S
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

    def _open(self, pace: float) -> None:
        self._clock.change(pace)
        self._admit()

    def _admit(self) -> None:
        if not self._moves:
            self._stood_s += time.monotonic() - self._halted_at
        self._moves = self._admits = True
        self._state.notify_all()

    def _close(self) -> None:
        """Halt once nobody looks any more."""
        if not self._is_standing():
            return
        self._admits = False
        self._await_looks()
        if not self._is_standing():  # it has ended meanwhile
            return
        self._clock.halt()
        self._moves, self._halted_at = False, time.monotonic()

    def _await_looks(self) -> None:
        if not self._state.wait_for(lambda: not self._looking, timeout=_LONGEST_LOOK_S):
            raise LabError(f"the lab cannot stand still: something has looked at it for {_LONGEST_LOOK_S:g} s")


@runtime_checkable
class HasTurns(Protocol):
    """A lab that moves in turns."""

    @property
    def turns(self) -> Turns | None: ...


def turns_of(lab: Lab | None) -> Turns | None:
    """Return the turns of a lab; ``None`` if it moves by itself."""
    found: object = lab
    return found.turns if isinstance(found, HasTurns) else None


def at_usual_pace(lab: Lab) -> AbstractContextManager[None]:
    """Let lab time pass at its usual pace meanwhile: something of ours waits for the lab."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.at_usual_pace()


def looking_at(lab: Lab) -> AbstractContextManager[None]:
    """Around a look at a lab beside the requests of an agent; waits while the lab stands still."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.looking()
