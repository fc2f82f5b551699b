"""Waiting until the sessions and routes of a running network no longer change.

An agent's network may never become quiet, and may not be readable at all. So each wait has an end, and is no error.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_netbench import deadline
from pytest_netbench.errors import LabError
from pytest_netbench.evaluation.holdtimes import LONGEST_LAB_S
from pytest_netbench.evaluation.slowness import slowness
from pytest_netbench.lab.attribution import agent_may_have_caused
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.readiness import Watch
from pytest_netbench.lab.stopwatch import stopwatch_of

QUIET_LAB_S = 3.0
LEAST_QUIET_S = 0.15
PATIENCE_LAB_S = 30.0
_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.1
_CHEAP_SHARE = 4
"""So many looks at least in the time that nothing may change, where waiting costs less than looking."""


@dataclass(frozen=True)
class Condition:
    """What the nodes of a lab say: the sessions that are not up, and a fingerprint of routes and gateway roles."""

    missing: frozenset[str]
    fingerprint: str

    def is_as(self, other: Condition) -> bool:
        """Whether nothing is missing here that ``other`` has, and the routes are the same."""
        return self.missing <= other.missing and self.fingerprint == other.fingerprint


class Settling:
    """Waits for one lab.

    Args:
        lab: The running network.

    Attributes:
        stopwatch: What tells the seconds of the lab.
        changed_at: When the last wait saw the network change, or began, by the stopwatch.
    """

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._watch = Watch(lab)
        self.stopwatch = stopwatch_of(lab)
        self.changed_at = self.stopwatch.now()

    def look(self) -> Condition:
        """Return the present condition.

        Raises:
            LabError: The network cannot be asked, and the agent did not cause that.
        """
        try:
            missing, fingerprint = self._watch.look()
        except LabError as error:
            if not agent_may_have_caused(error, *self._lab.nodes.values()):
                raise
            return Condition(frozenset({str(error)}), "")
        return Condition(frozenset(missing), fingerprint)

    def wait(
        self,
        *,
        hold_s: float,
        unwatched_s: float = 0.0,
        silent: bool = False,
        usual: Condition | None = None,
        like: Condition | None = None,
    ) -> bool:
        """Return once the network has stopped changing; whether it is as ``like``.

        Args:
            hold_s: How long the protocols wait for a silent neighbor, in lab seconds.
            unwatched_s: The same, of protocols that may bring routes back while nothing is missing.
            silent: Neighbors were silenced whose peers notice only by waiting: quiet means nothing before that.
            usual: A condition with as many sessions down as are not waited for. Others may still come up.
            like: A condition to return to. It is waited for beyond the quiet: while sessions are missing for as long as
                neighbors may take, else as long as ``unwatched_s`` says. Some networks never return: BGP keeps the
                oldest of equal routes.
        """
        scale = self._lab.time_scale
        least_s = LEAST_QUIET_S * slowness()
        short_s = max(least_s, QUIET_LAB_S / scale)
        given_up_s, gone_s = (max(least_s, (PATIENCE_LAB_S / 2 + one) / scale) for one in (hold_s, unwatched_s))
        usual = like or usual
        began = self.stopwatch.now()
        noticed_at = began + (short_s + hold_s / scale if silent else 0.0)
        ends_at = began + _end_s(hold_s, scale)
        seen, self.changed_at, pause_s = self.look(), self.stopwatch.now(), _FIRST_PAUSE_S
        needed_s, now = short_s, self.changed_at
        while True:
            deadline.check()
            if self.stopwatch.is_cheap:
                pause_s = max(pause_s, max(needed_s, noticed_at - now) / _CHEAP_SHARE)
            self.stopwatch.sleep(pause_s)
            now_is = self.look()
            now = self.stopwatch.now()
            if now_is != seen:
                seen, self.changed_at, pause_s = now_is, now, _FIRST_PAUSE_S
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 1.5)
            there = like is None or seen.is_as(like)
            if usual is not None and len(seen.missing) > len(usual.missing):
                needed_s = given_up_s
            else:
                needed_s = short_s if there else gone_s
            if (now - self.changed_at >= needed_s and now >= noticed_at) or now >= ends_at:
                return there


class Stillness:
    """Since when a network has not been seen to change.

    Args:
        settling: What looks at it.
    """

    def __init__(self, settling: Settling) -> None:
        self._settling = settling
        self._seen: Condition | None = None
        self._held: dict[str, bool] = {}
        self._now = settling.stopwatch.now
        self._since = self._now()

    @property
    def began(self) -> bool:
        """Whether somebody has looked."""
        return self._seen is not None

    @property
    def since(self) -> float | None:
        """When it last changed, by the stopwatch; ``None`` if what is seen does not tell."""
        return self._since if self._seen is not None and self._seen.fingerprint else None

    def look(self) -> None:
        """Look at sessions and routes."""
        seen = self._settling.look()
        if seen != self._seen:
            self._seen, self._since = seen, self._now()

    def note(self, testcase: str, *, holds: bool) -> None:
        """Note whether a testcase holds: another result than before is a change."""
        if self._held.get(testcase, holds) is not holds:
            self._since = self._now()
        self._held[testcase] = holds


def longest_s(time_scale: float, *, actions: int) -> float:
    """Return the wall seconds that the waiting of an event and its undoing takes at most, looking aside."""
    return (actions + 1) * _end_s(LONGEST_LAB_S, time_scale)


def _end_s(hold_s: float, time_scale: float) -> float:
    return max(1.0, (PATIENCE_LAB_S + 2 * hold_s) / time_scale)
