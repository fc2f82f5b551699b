"""Lets faults come and go while an agent works, by the lab's clock."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench.catching import Caught
from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import FromOutside
from pytest_netbench.faults.injecting import Injected
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.lab.turn_access import looking_at
from pytest_netbench.model.schedule import Schedule

_SHORTEST_S: Final = 0.02
_LONGEST_S: Final = 0.5
_ALWAYS: Final = Schedule()


class Timetable:
    """The faults of one trial that are there at times.

    Args:
        lab: Where.
        faults: All faults of the task, in the order of injection.
        schedules: Of each; ``None`` of one that is always there. The others are such as the lab makes and takes away.
    """

    def __init__(self, lab: Lab, faults: Sequence[Injected], schedules: Sequence[Schedule | None]) -> None:
        self._lab = lab
        self._faults = tuple(faults)
        self._schedules = tuple(one or _ALWAYS for one in schedules)
        self._stopwatch = stopwatch_of(lab)
        self._there = {number for number, one in enumerate(self._schedules) if one.is_there(0.0)}
        self._mended: set[int] = set()
        self._began_at = 0.0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="netbench-timetable", daemon=True)
        self.happened: list[dict[str, Any]] = []
        """What began and was over, with its lab seconds."""

    @property
    def there(self) -> tuple[Injected, ...]:
        """The faults that are there now, or will be once they are injected."""
        with self._lock:
            return tuple(self._faults[number] for number in sorted(self._there))

    def start(self) -> None:
        """Let time count from now on."""
        self._began_at = self._stopwatch.lab_s()
        if any(one is not _ALWAYS for one in self._schedules):
            self._thread.start()

    def mend(self, number: int) -> None:
        """Take a fault away for good, also one that is not there at the moment.

        Raises:
            LabError: It cannot be taken away.
        """
        with self._lock:
            self._mended.add(number)
            self._there.discard(number)
            self._undo(number)

    def stop(self) -> None:
        """Let nothing come or go any more. Idempotent.

        Raises:
            LabError: Something could not be injected or taken away in time.
        """
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._failure is not None:
            raise LabError(f"a fault could not come or go in time: {self._failure}") from self._failure

    def wind_up(self) -> None:
        """Leave what is to be judged: all that nobody mended is there, but for what heals by itself.

        So the verdict does not depend on the moment at which an agent ends.

        Raises:
            LabError: Something could not be injected or taken away.
        """
        self.stop()
        self._set({number for number, one in enumerate(self._schedules) if not one.heals} - self._mended)

    def bring_all(self) -> None:
        """Let all faults be there, for a proof.

        Raises:
            LabError: Something could not be injected.
        """
        self.stop()
        self._set(set(range(len(self._faults))))

    @property
    def over(self) -> frozenset[int]:
        """Numbers of the faults that end by themselves, so that nobody has to."""
        return frozenset(number for number, one in enumerate(self._schedules) if one.heals)

    def _run(self) -> None:
        with Caught(Exception) as caught:
            while not self._ended.wait(self._wait_s()):
                if self._wanted() != self._there:
                    with looking_at(self._lab):
                        self._set(self._wanted())
        self._failure = caught.error  # stop() tells it

    def _passed(self) -> float:
        return self._stopwatch.lab_s() - self._began_at

    def _wait_s(self) -> float:
        """Wall seconds in which nothing is due, however fast lab time passes."""
        now = self._passed()
        due = min((one.next_change(now) for one in self._schedules), default=math.inf)
        return min(_LONGEST_S, max(_SHORTEST_S, (due - now) / self._lab.time_scale))

    def _wanted(self) -> set[int]:
        now = self._passed()
        return {number for number, one in enumerate(self._schedules) if one.is_there(now)} - self._mended

    def _set(self, wanted: set[int]) -> None:
        with self._lock:
            wanted -= self._mended
            for number in self._changes(wanted):
                if number in wanted:
                    fault, parameters = self._faults[number]
                    fault.inject(parameters, self._lab)
                    self._there.add(number)
                else:
                    self._undo(number)
                    self._there.discard(number)
                what = "begins" if number in wanted else "is over"
                self.happened.append({"fault": number, "what": what, "lab_s": round(self._passed(), 1)})

    def _changes(self, wanted: set[int]) -> Iterator[int]:
        return iter(sorted(wanted ^ self._there))

    def _undo(self, number: int) -> None:
        fault, parameters = self._faults[number]
        assert isinstance(fault, FromOutside), fault.name
        fault.undo(parameters, self._lab)
