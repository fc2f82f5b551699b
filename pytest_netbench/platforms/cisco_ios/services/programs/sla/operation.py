"""IP SLA operations of type icmp-echo: periodic requests and their results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.links import Links
from pytest_netbench.platforms.cisco_ios.services.programs.common.loop import Loop, Timer
from pytest_netbench.platforms.cisco_ios.services.programs.common.pinger import Pinger

OK, OVER_THRESHOLD, TIMEOUT, UNKNOWN = "OK", "Over threshold", "Timeout", "Unknown"


class Operation:
    """One IP SLA operation.

    Args:
        loop: The loop, for times in lab time; round trips are measured in wall time, as packets travel in it.
        links: The links, for the address of a source interface.
        pinger: Sends the requests.
        config: ``number target source interface frequency_s timeout_ms threshold_ms size tos scheduled start_s
            life_s``.
        changed: Called after each result.
    """

    def __init__(
        self, loop: Loop, links: Links, pinger: Pinger, config: Mapping[str, Any], changed: Callable[[], None]
    ) -> None:
        self._loop, self._links, self._pinger, self._changed = loop, links, pinger, changed
        self.config = config
        self.code = UNKNOWN
        self.rtt_ms: float | None = None
        self._started_at = 0.0
        self._successes = self._failures = 0
        self._timer = Timer(0, 0, None)
        self._end = Timer(0, 0, None)
        self._running = False
        self._closed = False

    def start(self) -> None:
        """Start, if it is scheduled."""
        if not self.config.get("scheduled"):
            return
        self._timer = self._loop.after(self.config.get("start_s", 0), self._begin)

    def _begin(self) -> None:
        self._running = True
        life_s = self.config.get("life_s")
        if life_s is not None:
            self._end = self._loop.after(life_s, self._stop)
        self._probe()

    def _stop(self) -> None:
        self._running = False
        self._timer.cancel()

    def close(self) -> None:
        """Stop; a later reply is ignored."""
        self._closed = True
        self._end.cancel()
        self._stop()

    def _probe(self) -> None:
        config = self.config
        self._timer = self._loop.after(config.get("frequency_s", 60), self._probe)
        self._started_at = time.time()
        source, interface = config.get("source", ""), config.get("interface", "")
        if interface:
            link = self._links.get(interface)
            source = link.address if link is not None else ""
        sent = bool(source or not interface) and self._pinger.ping(
            config["target"],
            self._answered,
            timeout_s=config.get("timeout_ms", 5000) / 1000,
            source=source,
            size=config.get("size", 28),
            tos=config.get("tos", 0),
        )
        if not sent:
            self._answered(None)

    def _answered(self, milliseconds: float | None) -> None:
        if self._closed:
            return
        self.rtt_ms = milliseconds
        if milliseconds is None:
            self.code = TIMEOUT
        else:
            self.code = OK if milliseconds <= self.config.get("threshold_ms", 5000) else OVER_THRESHOLD
        self._successes += self.code == OK
        self._failures += self.code != OK
        self._changed()

    @property
    def waiting(self) -> bool:
        """Whether its first result is missing."""
        return self._running and self.code == UNKNOWN

    def report(self) -> dict[str, Any]:
        """Return the state for ``show ip sla statistics``. ``started_at``: seconds since 1970; 0 is never."""
        return {
            "number": self.config["number"],
            "target": self.config["target"],
            "active": self._running,
            "code": self.code,
            "rtt_ms": self.rtt_ms,
            "started_at": self._started_at,
            "successes": self._successes,
            "failures": self._failures,
            "life_left_s": self._end.left(self._loop.now()) if self.config.get("life_s") is not None else None,
        }
