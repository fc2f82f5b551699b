"""Many flows, of which the network may lose some: tried again, so few at a time that what stays silent is denied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_netbench.evaluation.behaviour.compare import spread
from pytest_netbench.evaluation.behaviour.observing import BATCH, FEW, Observer
from pytest_netbench.families.configure.proof.differences import Difference, Sight, agreed
from pytest_netbench.model.behaviour import Outcome, is_spoofed
from pytest_netbench.model.reference import ReferenceFlow

LOOKED_AT_AGAIN = 300
"""Differing flows that are tried again: what was lost once is no difference."""
LOOKED_AT_CLOSELY = 20
"""Of those that differ again: how many are tried once more, so few at a time that no policer drops any."""
CLOSELY = 5
MOST_LOST = 1_000
"""With more silent flows, most of them are denied and not lost: they are tried again in larger batches."""
AT_ONCE = 1_000
"""The kernel's table of neighbors, which all labs share, has room for no more addresses."""


class ManyFlows:
    """Flows that are observed in several networks, and compared.

    Args:
        flows: What is sent.
        spoofed: Whether the task holds flows to their outcome whose source is no address of their network.
    """

    def __init__(self, flows: Sequence[ReferenceFlow], *, spoofed: bool) -> None:
        self._flows = flows
        self._spoofed = spoofed

    def outcomes(self, observer: Observer, earlier: Sequence[Outcome] | None) -> Sequence[Outcome]:
        """All flows, many at once. Those that do not get through may have been lost: they are tried again.

        What was found on an earlier lab at the same moment, and is found again, is taken not to be lost. A line that is
        full loses the same packets again, so where there is doubt nothing is taken from earlier labs.
        """
        found = observer.in_batches(self._flows, size=AT_ONCE, expected=earlier)
        lost = _lost(found, earlier)
        if len(lost) > MOST_LOST:
            self._try_again(observer, found, lost, size=BATCH)
            lost = _lost(found, earlier)
        if len(lost) <= MOST_LOST:
            self._try_again(observer, found, lost, size=FEW)
        return found

    def _try_again(self, observer: Observer, found: list[Outcome], indices: Sequence[int], *, size: int) -> None:
        again = observer.in_batches([self._flows[index] for index in indices], size=size)
        for index, outcome in zip(indices, again, strict=True):
            found[index] = outcome

    def differences(self, observer: Callable[[], Observer], truths: Sequence[Sight]) -> Iterator[Difference]:
        """Yield the flows that end otherwise than on all labs of the ground truth.

        Args:
            observer: Gives one that has not looked yet.
            truths: What was seen on labs of the ground truth.
        """
        seen = observer().in_batches(self._flows, size=AT_ONCE, expected=truths[0].outcomes)
        held = [agreed(outcomes) for outcomes in zip(*(truth.outcomes for truth in truths), strict=True)]
        for index, flow in enumerate(self._flows):
            # what the task does not hold to its reference is no behaviour that it asks for
            if not self._spoofed and any(is_spoofed(flow, truth.routes.get(flow.source)) for truth in truths):
                held[index] = None
        other = [index for index, outcome in enumerate(seen) if held[index] not in (None, outcome)]
        for most, size in ((LOOKED_AT_AGAIN, BATCH), (LOOKED_AT_CLOSELY, CLOSELY)):
            other = spread(other, most)
            self._try_again(observer(), seen, other, size=size)
            other = [index for index in other if seen[index] != held[index]]
        for index in other:
            about = str(self._flows[index])
            yield Difference(about, f"{about}: {seen[index]} instead of {held[index]}")


def _lost(found: Sequence[Outcome], earlier: Sequence[Outcome] | None) -> list[int]:
    """Indices of the flows that did not get through, and did on the earlier lab if there was one."""
    silent = [index for index, outcome in enumerate(found) if outcome.reach != "allowed"]
    return silent if earlier is None else [index for index in silent if found[index] != earlier[index]]
