"""Wait until a running network is ready under its task's policy.

Works for the lab of any backend. Drivers report the session ends of their nodes, which ``sessions`` matches whichever
drivers they are of, and what their nodes wait for besides (``pending``).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pytest_netbench.errors import NotReady
from pytest_netbench.lab.devices import called
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.sessions import Sessions
from pytest_netbench.lab.stopwatch import Stopwatch, WallStopwatch
from pytest_netbench.model.ready import ExpectedDown, Readiness, Ready
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.driver import Driver
from pytest_netbench.platforms.ends import ReportsEnds
from pytest_netbench.platforms.sessions import Session, SessionEnd

_LEAST_DEADLINE_S = 30.0
_QUIET_LAB_S = 3.0
_LEAST_QUIET_S = 0.04
_POLL_S = 0.01
_LONGEST_POLL_S = 0.1
_GROWTH = 1.1
# Lab seconds between two looks where waiting costs less than looking. The first ones are over when OSPF has said hello
# to a neighbor again and sent it a database, the second when it has elected designated routers and done so.
_CHEAP_FIRST_LAB_S, _CHEAP_LAB_S = 12.0, 36.0
_DEFAULT = Ready()
_UNSTABLE = "routes to become stable"


class Slowdown(NamedTuple):
    """The paces at which a network that is not ready soon converges.

    Attributes:
        steps: Wall seconds of waiting, and lab seconds per wall second from then on; slower and slower.
        set_pace: Sets it.
    """

    steps: Sequence[tuple[float, float]]
    set_pace: Callable[[float], None]


_STEADFAST = Slowdown((), lambda _: None)


def wait_until_ready(
    lab: Lab,
    *,
    pace: float,
    policy: Ready = _DEFAULT,
    slowdown: Slowdown = _STEADFAST,
    stopwatch: Stopwatch | None = None,
) -> Readiness:
    """Return once nothing is missing and the routes have stayed the same for some lab seconds, or as ``policy`` says.

    Args:
        lab: The lab, its links up and its nodes booted.
        pace: Lab seconds per second of the stopwatch at present.
        policy: What is waited for.
        slowdown: Slower paces for a network that is not ready soon. The deadline is that of the slowest.
        stopwatch: Tells and passes the seconds of waiting; by default those of the wall.

    Raises:
        NotReady: With what was still missing at the deadline, unless the policy accepts that.
    """
    if policy.until == "boot":
        return Readiness()
    watch = Watch(lab, policy)
    seconds = stopwatch or WallStopwatch(time.monotonic)
    began_s, started = time.monotonic(), seconds.now()
    wall_s = policy.deadline_s / min([pace, *(slower for _, slower in slowdown.steps)])
    least_s = 0.0 if seconds.is_cheap or policy.until != "everything" else _LEAST_DEADLINE_S
    deadline = started + max(least_s, wall_s)
    fingerprint, since = "", started
    steps = deque(slowdown.steps)
    wait = _POLL_S
    if seconds.is_cheap:
        seconds.sleep(min(_CHEAP_FIRST_LAB_S / pace, deadline - started))
    while True:
        missing, present = watch.look()
        now = seconds.now()
        if missing or present != fingerprint:
            fingerprint, since = present, now
        elif not present or now - since >= _quiet_s(pace):
            return Readiness(unexpectedly_up=watch.unexpectedly_up, waited_s=time.monotonic() - began_s)
        if now >= deadline:
            missing = missing or (_UNSTABLE,)
            if policy.until == "everything":
                raise NotReady(missing, waited_s=time.monotonic() - began_s)
            return Readiness(
                missing=missing, unexpectedly_up=watch.unexpectedly_up, waited_s=time.monotonic() - began_s
            )
        if steps and now - started >= steps[0][0]:
            _, pace = steps.popleft()
            slowdown.set_pace(pace)
        if seconds.is_cheap:
            seconds.sleep(min(_CHEAP_LAB_S / pace, deadline - now) if missing else _quiet_s(pace))
            continue
        # Daemons do not report a formed adjacency; polling them costs a fraction of a millisecond each.
        wait = min(_LONGEST_POLL_S, max(_POLL_S, (seconds.now() - now) * 2, wait * _GROWTH if missing else _POLL_S))
        seconds.sleep(wait)


def _quiet_s(pace: float) -> float:
    return max(_LEAST_QUIET_S, _QUIET_LAB_S / pace)


class Watch:
    """Looks at all nodes of a lab: at sessions whatever drivers they are between, then at the rest driver by driver.

    Args:
        lab: The lab.
        policy: What need not come up.
    """

    def __init__(self, lab: Lab, policy: Ready = _DEFAULT) -> None:
        groups: dict[int, tuple[Driver[Any], dict[str, NodeAccess]]] = {}
        for name, node in lab.nodes.items():
            driver = lab.driver(name)
            groups.setdefault(id(driver), (driver, {}))[1][name] = node
        self._groups = list(groups.values())
        reporters = [(driver, nodes) for driver, nodes in self._groups if isinstance(driver, ReportsEnds)]
        self._others = [(driver, nodes) for driver, nodes in self._groups if not isinstance(driver, ReportsEnds)]
        self._sessions = Sessions(lab, reporters)
        self._expected = [_Expectation(one, lab) for one in policy.expected_down]
        self._down: set[Session] = set()

    def look(self) -> tuple[tuple[str, ...], str]:
        """What is missing now, and a fingerprint of the routes."""
        missing, down = self._sessions.look(self._excused)
        # what a driver reports besides its ends takes long, and is of no use before its sessions are up
        groups = self._others if missing else self._groups
        states = [driver.pending(nodes, excused=self._excused) for driver, nodes in groups]
        self._down = {*down, *(session for state in states for session in state.excused)}
        # a driver without a fingerprint has no routes of its own that could still move
        fingerprint = "|".join(state.fingerprint for state in states if state.fingerprint)
        return (*missing, *(phrase for state in states for phrase in state.missing)), fingerprint

    def _excused(self, session: Session) -> bool:
        return any(expectation.covers(session) for expectation in self._expected)

    @property
    def unexpectedly_up(self) -> tuple[str, ...]:
        """Expectations that no session fulfilled at the last look."""
        return tuple(str(one.text) for one in self._expected if not any(one.covers(session) for session in self._down))


class _Expectation:
    """A session that is expected down, with the driver's name of the interface that it may be named by."""

    def __init__(self, expected: ExpectedDown, lab: Lab) -> None:
        self.text = expected
        self._names = {expected.neighbor}
        with suppress(ValueError):  # an address or a node
            self._names.add(called(lab, expected.node, expected.neighbor))

    def covers(self, session: Session) -> bool:
        """Whether it speaks of ``session``, from either end."""
        if session.protocol != self.text.protocol:
            return False
        return self._from(session.one, session.other) or self._from(session.other, session.one)

    def _from(self, here: SessionEnd, there: SessionEnd) -> bool:
        return here.node == self.text.node and bool({here.interface, there.address, there.node} & self._names)
