"""A stream of probes along one path, and the longest time in which none of them got through."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from pytest_netbench import deadline
from pytest_netbench.errors import LabError
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab

INTERVAL_LAB_S = 0.1
LEAST_INTERVAL_S = 0.015
"""Wall seconds between two probes at least: more of them would slow down the network that they observe."""
_TIMEOUT_S = 0.25
_ENDS_WELL = 5
"""So many probes in a row must get through at the end."""


@dataclass(frozen=True, kw_only=True)
class StreamReport:
    """What a stream showed. Times in lab seconds.

    Attributes:
        longest_s: Longest time without delivery: from the first probe that was lost to the next that was not.
        interval_s: Longest time between two probes that were sent one after the other: the precision.
        sent: Probes.
        lost: Those that did not get through.
        works: The last ones got through.
    """

    longest_s: float
    interval_s: float
    sent: int
    lost: int
    works: bool


class Stream:
    """Sends probes until it is told to end.

    Args:
        lab: The running network.
        probe: What is sent.
        side_by_side: Streams that run at the same time and share the rate.
    """

    def __init__(self, lab: Lab, probe: Probe, *, side_by_side: int = 1) -> None:
        self._lab = lab
        self._probe = replace(probe, timeout_s=max(_TIMEOUT_S, min(probe.timeout_s, 2 * _TIMEOUT_S)))
        self._every_s = max(LEAST_INTERVAL_S * side_by_side, INTERVAL_LAB_S / lab.time_scale)
        self._samples: dict[float, bool] = {}
        self._over = threading.Event()
        self._error: LabError | None = None
        self._thread = threading.Thread(target=self._send, name="netbench-stream", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def end(self, *, after_gap_s: float) -> StreamReport:
        """Wait until the path works or has not worked for ``after_gap_s`` lab seconds, stop, and report.

        Raises:
            LabError: A probe could not be sent.
        """
        try:
            while self._error is None and not self._decided(after_gap_s):
                deadline.check()
                self._over.wait(self._every_s)
        finally:
            self.stop()
        if self._error is not None:
            raise self._error
        return report(sorted(self._samples.items()), self._lab.time_scale)

    def stop(self) -> None:
        """Send no more. Idempotent."""
        self._over.set()
        self._thread.join()

    def _decided(self, after_gap_s: float) -> bool:
        samples = sorted(self._samples.items())
        found = report(samples, self._lab.time_scale)
        if found.works:
            return True
        first_lost = next((at for at, delivered in reversed(samples) if delivered), samples[0][0] if samples else 0.0)
        return bool(samples) and (samples[-1][0] - first_lost) * self._lab.time_scale > after_gap_s

    def _send(self) -> None:
        places = int(self._probe.timeout_s / self._every_s) + 2
        with ThreadPoolExecutor(max_workers=places, thread_name_prefix="netbench-stream") as pool:
            due = time.monotonic()
            while not self._over.is_set():
                pool.submit(self._try)
                due = max(due + self._every_s, time.monotonic())
                self._over.wait(max(0.0, due - time.monotonic()))

    def _try(self) -> None:
        at = time.monotonic()
        try:
            (result,) = self._lab.prober.probe([self._probe], repetitions=0)
        except LabError as error:
            self._error = error
            self._over.set()
            return
        self._samples[at] = result.delivered


def report(samples: Sequence[tuple[float, bool]], time_scale: float) -> StreamReport:
    """Return the report of probes: (when sent in wall seconds, whether delivered), in order."""
    longest = between = 0.0
    lost_since: float | None = None
    before: float | None = None
    for at, delivered in samples:
        between = max(between, 0.0 if before is None else at - before)
        before = at
        lost_since = at if lost_since is None and not delivered else lost_since
        if lost_since is not None:
            longest = max(longest, at - lost_since)
        lost_since = None if delivered else lost_since
    last = [delivered for _, delivered in samples[-_ENDS_WELL:]]
    return StreamReport(
        longest_s=longest * time_scale,
        interval_s=between * time_scale,
        sent=len(samples),
        lost=sum(not delivered for _, delivered in samples),
        works=len(last) == _ENDS_WELL and all(last),
    )
