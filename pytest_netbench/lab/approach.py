"""The lab time before an agent begins, where it passes by events: in steps, with stated moments.

A step is the same work in each lab of a task, however busy the machine is: what a daemon does follows from lab time
alone. Between steps the clock stands while the processes run. What is done to the network is done at a lab moment that
nothing measured decides.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from pytest_netbench.errors import LabError
from pytest_netbench.lab.crowding import crowded
from pytest_netbench.platforms.capabilities import LabTime, Passed

MOMENTS_S: Final = 150.0
"""Lab seconds from one stated moment to the next, counted from when the lab began."""
STEP_LAB_S: Final = 5.0
LONGEST_HOLD_S: Final = 30.0
"""Wall seconds at a stated moment at most: what is done or awaited meanwhile may need lab time after all."""
STANDS: Final = 1e-9
"""The pace of a clock that stands while the processes run. At 0 frames on shaped links would stand, too."""
_SLICE_LAB_S: Final = 60.0
_MOST_HELD_S: Final = 3.0
_NOTHING_S: Final = 1e-3


class Neighbors(Protocol):
    """The neighbor entries of all nodes."""

    def last(self, *, lasting: bool) -> None:
        """Let entries last, or age by the wall."""
        ...

    def forget(self) -> None:
        """Let each neighbor be asked for anew."""
        ...


class Exactly:
    """Lets lab time pass by events, always in the same way, as long as that is possible.

    Args:
        forward: Lets so many lab seconds pass.
    """

    def __init__(self, forward: Callable[[float], Passed] | None) -> None:
        self._forward = forward

    @property
    def is_possible(self) -> bool:
        return self._forward is not None

    def give_up(self) -> None:
        """Pass nothing any more: something in the lab goes by the wall."""
        self._forward = None

    def __call__(self, lab_s: float) -> Passed | None:
        """Let lab seconds pass, if that is possible.

        Raises:
            LabError: The lab broke.
        """
        return None if self._forward is None else self._forward(lab_s)

    def or_give_up(self, lab_s: float) -> None:
        """Let lab seconds pass; if something has held them for long, it would do so each time."""
        passed = self(lab_s)
        if passed is not None and passed.held_s > _MOST_HELD_S * crowded():
            self.give_up()


class Approach:
    """Moves a lab from a thread of its own until the agent begins.

    Args:
        clock: The lab's.
        pace: Lab seconds in a wall second, if the machine can do as much.
        exactly: Lets lab time pass.
        neighbors: What nodes know of their neighbors, which would age by the wall.
    """

    def __init__(self, clock: LabTime, *, pace: float, exactly: Exactly, neighbors: Neighbors | None) -> None:
        self._clock, self._pace, self._exactly, self._neighbors = clock, pace, exactly, neighbors
        self._moment_s = self._lab_s() + MOMENTS_S
        self._moving = threading.RLock()
        self._held_until = 0.0
        self._keeps_neighbors = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="netbench-approach", daemon=True)
        self.is_on = False
        """Whether lab time passes by events only, as the agent has not begun yet."""

    def start(self) -> None:
        """Let lab time pass by events from now on, if that is possible. Call it once."""
        if self._exactly.is_possible:
            self.is_on = True
            while self._left_s <= _NOTHING_S:  # what came before took long
                self._moment_s += MOMENTS_S
            self._clock.change(STANDS)
            self._thread.start()

    def stop(self) -> None:
        """Move no more, once the step under way has ended. Idempotent."""
        self._ended.set()
        with self._moving:
            return

    def go_by_the_wall(self) -> None:
        """Pass at the pace, now and in turns: something in the lab goes by the wall. Call it before the agent begins.

        Raises:
            LabError: The lab broke.
        """
        self._exactly.give_up()
        self.stop()
        if self.is_on:
            self.is_on = False
            self._clock.change(self._pace)

    @contextlib.contextmanager
    def at_a_moment(self) -> Iterator[None]:
        """Around what is done to the lab before the agent begins: at a stated moment if lab time passes by events.

        It is then done at the same lab time in each lab of a task, unless one needs longer than from one moment to the
        next. No lab time passes meanwhile, for so many wall seconds at most, and nodes know no neighbors at first.

        Raises:
            LabError: The lab broke.
        """
        if not self.is_on:
            yield
            return
        with self._moving:
            while self._exactly.is_possible and self._left_s > _NOTHING_S:
                self._pass(min(self._left_s, _SLICE_LAB_S))
            self._moment_s += MOMENTS_S
            self._held_until = time.monotonic() + LONGEST_HOLD_S
        if self._neighbors is not None:
            self._neighbors.last(lasting=True)
            self._keeps_neighbors = True
            self.forget_neighbors()
        try:
            yield
        finally:
            self._held_until = 0.0

    def forget_neighbors(self) -> None:
        """Let each neighbor be asked for anew, if neighbor entries do not age."""
        if self._neighbors is not None and self._keeps_neighbors:
            self._neighbors.forget()

    def let_neighbors_age(self) -> None:
        """Let neighbor entries age by the wall again."""
        if self._neighbors is not None and self._keeps_neighbors:
            self._neighbors.last(lasting=False)

    def _lab_s(self) -> float:
        return self._clock.at(time.time())

    @property
    def _left_s(self) -> float:
        return self._moment_s - self._lab_s()

    def _run(self) -> None:
        began, every_s = time.monotonic(), STEP_LAB_S / self._pace
        while not self._ended.wait(max(0.0, began + every_s - time.monotonic())):
            began = time.monotonic()
            try:
                with self._moving:
                    if not self._ended.is_set() and time.monotonic() >= self._held_until:
                        self._step()
            except LabError:  # whoever uses the lab is told
                with contextlib.suppress(LabError):
                    self.go_by_the_wall()  # else who waits for lab time would wait for ever
                return

    def _step(self) -> None:
        """Go on, but not beyond the next stated moment unless nobody comes to it for long."""
        if self._left_s <= _NOTHING_S:
            self._moment_s += MOMENTS_S
        self._pass(min(self._left_s, STEP_LAB_S))
        if self._left_s <= _NOTHING_S:
            self._held_until = time.monotonic() + LONGEST_HOLD_S

    def _pass(self, lab_s: float) -> None:
        self._exactly.or_give_up(lab_s)
        if not self._exactly.is_possible:
            self.go_by_the_wall()
