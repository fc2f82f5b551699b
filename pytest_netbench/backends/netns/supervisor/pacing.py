"""How the clock of a lab passes: at a speed, not at all, or moved by events for a while. Standard library only."""

from __future__ import annotations

from typing import Any

from pytest_netbench.backends.netns.supervisor import roots, spawn
from pytest_netbench.backends.netns.supervisor.halting import Halting
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.spawn import Stdio

_SLOTS = 3


class Pacing:
    """Operations on the clock.

    Args:
        owner: Who asks.
        network: What has the clock.
        jobs: Follows the pacer.
    """

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs) -> None:
        self._owner, self._network, self._jobs = owner, network, jobs
        self.halting = Halting()
        """Stops all processes of the lab."""
        self._is_moving = self._was_moving = False

    def has_moved(self) -> bool:
        """Whether the clock was moved by events at any time since the last call."""
        moved, self._was_moving = self._was_moving, self._is_moving
        return moved

    def scale(self, request: Message) -> Message:
        """Let lab time pass at another speed; answers with ``LabClock.moment``.

        A lab that was halted goes on.
        """
        if self._network.clock is not None:
            self._network.clock.set_factor(request["factor"], until=request["until"])
        self.halting.go_on()
        return self._moment

    def halt(self, _request: Message) -> Message:
        """Let lab time and all processes stand still until another speed is set; answers as ``scale``.

        Raises:
            ValueError: The pacer moves the clock.
        """
        self.halting.halt()
        if self._network.clock is not None:
            self._network.clock.halt()
        return self._moment

    def attend(self, request: Message) -> Message:
        """Let a program go on while the others stand still, or no longer: see ``Halting.attend``."""
        self.halting.attend(request["pid"], attended=request["attended"])
        return {}

    @property
    def _moment(self) -> Message:
        clock = self._network.clock
        return {"moment": None if clock is None else clock.moment()}

    def forward(self, request: Message) -> None:
        """Move the clock by ``lab_s`` seconds, from one event of the daemons to the next; answered when it has passed.

        Raises:
            ValueError: The lab has no clock that can be moved, or somebody moves it.
            OSError: The pacer could not be started.
        """
        clock, pacer = self._network.clock, self._network.pacer
        if clock is None or pacer is None:
            raise ValueError("the clock of this lab cannot be moved")
        spaces = dict(enumerate((one.network for one in self._network.spaces.values()), start=_SLOTS + 1))
        times = [repr(request[name]) for name in ("lab_s", "grain_s", "share")]
        argv = [pacer, roots.CLOCK, roots.PROC, str(_SLOTS), *times, *map(str, spaces)]

        def start(stdio: Stdio) -> int:
            return spawn.trusted(None, argv, stdio, keep={_SLOTS: clock.slots, **spaces})

        def done(result: dict[str, Any]) -> None:
            clock.take_back()
            self._is_moving = False
            self._answer(request, result)

        clock.hand_over()
        try:
            self._jobs.start(start, done, timeout_s=request["timeout_s"])
        except OSError:
            clock.take_back()
            raise
        self._is_moving = self._was_moving = True

    def _answer(self, request: Message, result: dict[str, Any]) -> None:
        words = result["stdout"].split()
        if result["returncode"] or len(words) != 5:
            why = "it took too long" if result["timed_out"] else result["stderr"].strip() or result["returncode"]
            self._owner.refuse(request, f"the clock could not be moved: {why}")
            return
        names = ("lab_ns", "moves", "looks", "held_ns", "holder")
        self._owner.answer(request, {**dict(zip(names, map(int, words), strict=True)), **self._moment})
