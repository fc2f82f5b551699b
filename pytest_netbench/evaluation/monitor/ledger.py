"""Keeps what a monitor saw: the state of each flow after each change, and outages. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pytest_netbench.model.watch import Outage, Watch, WatchedFlow, WatchedStep

MOST_NUMBERS = 100_000
"""Flow numbers in all steps together. Longer than any record in which each step only mends flows."""


class Ledger:
    """What was seen of some flows. All times are wall seconds of one monotonic clock.

    Args:
        flows: The flows.
        time_scale: Lab seconds per wall second.
        most_numbers: How many numbers of flows the steps may have together; later steps are only counted.
    """

    def __init__(self, flows: Sequence[WatchedFlow], *, time_scale: float, most_numbers: int = MOST_NUMBERS) -> None:
        self._flows = tuple(flows)
        self._time_scale = time_scale
        self._room = max(most_numbers, len(self._flows))
        self._before: frozenset[int] = frozenset()
        self._wrong: set[int] = set()
        self._steps: list[WatchedStep] = []
        self._left_out = 0
        self._worked: set[int] = set()
        self._out_since: dict[int, float] = {}
        self._longest: dict[int, float] = {}
        self._between = 0.0

    @property
    def wrong(self) -> frozenset[int]:
        """The flows that were wrong after the last change."""
        return frozenset(self._wrong)

    @property
    def out(self) -> frozenset[int]:
        """The flows that had worked and did not when they were last looked at."""
        return frozenset(self._out_since)

    def begin(self, wrong: Collection[int], *, at: float) -> None:
        """Note which flows are wrong before the agent does anything."""
        self._before = frozenset(wrong)
        self._wrong = set(wrong)
        self.look(dict.fromkeys(range(len(self._flows)), False) | dict.fromkeys(wrong, True), at=at)

    def look(self, seen: Mapping[int, bool], *, at: float) -> None:
        """Note a look at some flows, whether it is after a change or not. Only outages follow from it.

        Args:
            seen: Flow to whether it is wrong.
            at: When the probes were sent.
        """
        for flow, is_wrong in seen.items():
            if not self._flows[flow].allowed:
                continue  # that it gets through is no outage
            if not is_wrong:
                self._worked.add(flow)
                self._end_outage(flow, at)
            elif flow in self._worked:
                self._out_since.setdefault(flow, at)

    def looked_again_after(self, wall_s: float) -> None:
        """Note the time between two looks during one change: outages that are shorter may not be seen."""
        self._between = max(self._between, wall_s)

    def step(
        self, wrong: Collection[int], *, number: int, at_s: float, device: str = "", what: str = "", late: bool = False
    ) -> None:
        """Note which flows are wrong after a change; the other arguments are those of ``WatchedStep``."""
        broke, mended = set(wrong) - self._wrong, self._wrong - set(wrong)
        self._wrong = set(wrong)
        if not broke and not mended:
            return
        self._room -= len(broke) + len(mended)
        if self._room < 0:
            self._left_out += 1
            return
        self._steps.append(
            WatchedStep(
                number=number,
                at_s=round(at_s, 6),
                device=device,
                what=what,
                late=late,
                broke=tuple(sorted(broke)),
                mended=tuple(sorted(mended)),
            )
        )

    def watch(self, *, changes: int, at: float, measured_s: float = 0.0) -> Watch:
        """Return all that was noted. Outages that have not ended last until ``at``."""
        lasting = set(self._out_since)
        longest = dict(self._longest)
        for flow, since in self._out_since.items():
            longest[flow] = max(longest.get(flow, 0.0), at - since)
        return Watch(
            flows=self._flows,
            wrong_before=tuple(sorted(self._before)),
            changes=changes,
            steps=tuple(self._steps),
            steps_left_out=self._left_out,
            wrong_after=tuple(sorted(self._wrong)),
            outages=tuple(
                Outage(flow=flow, lab_s=round(wall_s * self._time_scale, 6), lasts=flow in lasting)
                for flow, wall_s in sorted(longest.items())
            ),
            precision_s=round(self._between * self._time_scale, 6),
            measured_s=round(measured_s, 6),
        )

    def _end_outage(self, flow: int, at: float) -> None:
        since = self._out_since.pop(flow, None)
        if since is not None:
            self._longest[flow] = max(self._longest.get(flow, 0.0), at - since)
