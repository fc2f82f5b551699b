"""Runs the traffic of a network, and samples its counters, flows, neighbors and calls into a store while it runs."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

from pytest_netbench.catching import Caught
from pytest_netbench.errors import LabError, NotReady
from pytest_netbench.families.diagnose import sampling
from pytest_netbench.families.diagnose.averages import Averages
from pytest_netbench.families.diagnose.rows import flow_row, lost
from pytest_netbench.families.diagnose.store import OF_PROGRAMS, Store, tables_of
from pytest_netbench.lab.capabilities import crashed, offers
from pytest_netbench.lab.probing import FlowReport
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.lab.stopwatch import Stamp, stopwatch_of
from pytest_netbench.lab.turn_access import looking_regularly_at, turns_of
from pytest_netbench.model.demand import Demand
from pytest_netbench.model.monitoring import Monitoring
from pytest_netbench.platforms.capabilities import CALLS, COUNTERS, MadeCall
from pytest_netbench.randomness import seeded

EVERY_S: Final = 0.5
"""Wall seconds from sample to sample. All traffic is measured for as long."""
PROOF_S: Final = 0.25
"""The same until the network is known to be healthy."""
HEALTHY_SAMPLES: Final = 2
HEALTHY_S: Final = 20.0
"""Wall seconds in which so many samples in a row must meet all demands."""
MOST_CALLS: Final = 200_000
"""So many calls of pods are kept: those of two hours and more."""
GAPS: Final = 0.2
"""Share of the samples that are not kept if there are gaps."""
_LATE_PACKETS: Final = 2
"""Packets on their way at the beginning or the end of a sample are no loss."""
_NOTHING: Final = FlowReport(offered_bps=0.0, received_bps=0.0, sent_packets=0, received_packets=0)
"""What a node sends that has crashed."""
Moment = tuple[float, float]
"""Seconds since the first sample, in wall time and in lab time."""


class Telemetry:
    """The traffic of a network and what is measured of it.

    Args:
        lab: The running network.
        demands: The traffic.
        nodes: Those whose counters and neighbors are kept. Nobody has access to a foreign node.
        hosts: Those whose traffic and requests are kept; all if there are none.
        has_gaps: Whether some samples are not kept, drawn in the same way each time.
        monitoring: What is kept of interfaces instead of each sample of their counters, and of their neighbors nothing.
        platforms: Of the nodes of the network. The programs of some have counters of their own.
    """

    def __init__(
        self,
        lab: Lab,
        demands: Sequence[Demand],
        *,
        nodes: Collection[str],
        hosts: Collection[str] = (),
        has_gaps: bool = False,
        monitoring: Monitoring | None = None,
        platforms: Collection[str] = (),
    ) -> None:
        self._lab = lab
        self._nodes = nodes
        self._hosts = frozenset(hosts)
        self._gaps = seeded("gaps") if has_gaps else None
        self._demands = demands
        self._averages = None if monitoring is None else Averages(monitoring)
        tables = tables_of(platforms, is_averaged=monitoring is not None)
        self._counts_in_programs = OF_PROGRAMS in tables
        self.store = Store(tables)
        self._stopwatch = stopwatch_of(lab)
        self._started = self._now()
        self._every_s = PROOF_S
        self._ended = threading.Event()
        self._sampled = threading.Condition()
        self._breached: list[tuple[int, ...]] = []
        self._most_samples: float = math.inf
        self._turns = turns_of(lab)
        self._allowed: float = math.inf
        self._seen: dict[str, frozenset[MadeCall]] = {}
        self._kept_calls = 0
        self._failure: LabError | None = None
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="netbench-telemetry", daemon=True)

    @property
    def breached(self) -> tuple[int, ...]:
        """Numbers of the demands that lost too much in the last sample."""
        return self._breached[-1] if self._breached else ()

    def start(self) -> None:
        """Let the traffic begin."""
        self._started = self._now()
        if self._turns is not None:
            self._allowed = 0
        self._thread.start()

    def follow_requests(self) -> None:
        """In a network that stands still between requests, take one sample in each from now on."""
        if self._turns is not None:
            self._turns.looks.regularly(looks=True)
            with self._sampled:
                self._allowed = math.inf
                self._sampled.notify_all()

    @property
    def moment(self) -> Moment:
        """Now, as rows have it."""
        passed = self._now().since(self._started)
        return round(passed.wall_s, 3), round(passed.lab_s, 1)

    def _now(self) -> Stamp:
        """The present moment; while the lab stands still, no wall seconds pass either."""
        return Stamp(self._stopwatch.wall_s(), self._stopwatch.lab_s())

    def stop(self) -> None:
        """Let the traffic end, once the sample that runs is complete. Idempotent."""
        with self._sampled:
            self._ended.set()
            self._sampled.notify_all()
        if self._thread.is_alive():
            self._thread.join()

    def await_healthy(self) -> None:
        """Return once all demands have been met in some samples in a row.

        Raises:
            NotReady: They are not.
            LabError: Something could not be measured.
        """
        ends_at = time.monotonic() + HEALTHY_S
        seen = self._samples(HEALTHY_SAMPLES)
        while any(seen[-HEALTHY_SAMPLES:]):
            if time.monotonic() > ends_at:
                lost = ", ".join(str(self._demands[number]) for number in self.breached)
                raise NotReady([f"traffic of the healthy network that loses packets: {lost}"], waited_s=HEALTHY_S)
            seen = self._samples(len(seen) + 1)
        self._every_s = EVERY_S

    def await_age(self, age_s: float) -> None:
        """Return once the traffic has run for so many wall seconds."""
        self.await_samples(age_s)
        time.sleep(max(0.0, age_s - self._now().since(self._started).wall_s))

    def await_samples(self, seconds: float) -> None:
        """In a network that stands still between requests, return after as many samples as fit into wall seconds.

        An agent finds the same number of them however busy the machine was.
        """
        if self._turns is not None:
            self._samples(len(self._breached) + math.ceil(seconds / EVERY_S))

    def await_sample(self) -> tuple[int, ...]:
        """Return the demands that are not met in a sample that begins after this call.

        Raises:
            LabError: Something could not be measured.
        """
        return self._samples(len(self._breached) + 2)[-1]

    def finish(self) -> tuple[int, ...]:
        """Let the traffic end after one more sample; return the demands that are not met in it.

        Raises:
            LabError: Something could not be measured.
        """
        self._most_samples = len(self._breached) + 2
        last = self._samples(self._most_samples)[-1]
        self.stop()
        return last

    def _samples(self, count: int) -> list[tuple[int, ...]]:
        """The first samples, once there are so many."""
        with self._sampled:
            self._allowed = max(self._allowed, count)
            self._sampled.notify_all()
            self._sampled.wait_for(lambda: self._is_over or len(self._breached) >= count)
            if self._failure is not None:
                raise self._failure
            if len(self._breached) < count:
                raise LabError("telemetry: no sample is taken any more, as the traffic has ended")
            return self._breached[:count]

    def _run(self) -> None:
        try:
            with Caught(Exception) as caught:
                self._sample_while_allowed()
            if caught.error is not None:
                self._failure = LabError(f"telemetry: {caught.error}")
        finally:
            with self._sampled:
                self._is_over = True
                self._sampled.notify_all()
            if self._turns is not None:
                self._turns.looks.regularly(looks=False)

    def _sample_while_allowed(self) -> None:
        while not self._ended.is_set() and len(self._breached) < self._most_samples and self._may_sample():
            with looking_regularly_at(self._lab):
                breached = self._sample()
            with self._sampled:
                self._breached.append(breached)
                self._sampled.notify_all()

    def _may_sample(self) -> bool:
        """Wait until one more sample may be taken; whether the traffic goes on."""
        with self._sampled:
            self._sampled.wait_for(lambda: self._ended.is_set() or len(self._breached) < self._allowed)
        return not self._ended.is_set()

    def _sample(self) -> tuple[int, ...]:
        reports = self._traffic()
        now = self.moment
        if self._gaps is None or self._gaps.random() >= GAPS:
            self._keep(now, reports)
        if self._averages is not None and self._averages.is_due(now[1]):
            self._poll(now, self._averages)
        return tuple(
            number
            for number, (demand, report) in enumerate(zip(self._demands, reports, strict=True))
            if lost(report, excused=_LATE_PACKETS) > demand.most_loss
        )

    def _keep(self, now: Moment, reports: Sequence[FlowReport]) -> None:
        flows = zip(self._demands, reports, strict=True)
        self.store.add(
            "flows", ((*now, *flow_row(*one)) for one in flows if self._is_kept(one[0].source, one[0].target))
        )
        if self._averages is None:
            self.store.add("interfaces", self._of_nodes(now, sampling.interfaces))
            self.store.add("neighbors", self._of_nodes(now, sampling.neighbors))
        if self._counts_in_programs:
            self.store.add(OF_PROGRAMS, self._of_nodes(now, sampling.program_counters))
        self.store.add("requests", self._calls())

    def _poll(self, now: Moment, averages: Averages) -> None:
        counted = {
            (name, interface): one
            for name, node in self._answering()
            if name in averages.nodes
            for interface, one in node.capability(COUNTERS).counters().items()
        }
        self.store.add("averages", ((*now, *row) for row in averages.rows(now, counted)))

    def add_request(self, client: str, moment: Moment, row: Sequence[Any]) -> None:
        """Note what came of a request of a host.

        Args:
            client: The host.
            moment: When it began.
            row: The columns from ``url`` on.
        """
        if self._is_kept(client):
            self.store.add("requests", [(*moment, client, *row)])

    def _is_kept(self, *hosts: str) -> bool:
        return not self._hosts or self._hosts.issuperset(hosts)

    def _traffic(self) -> Sequence[FlowReport]:
        every_s = self._every_s
        if not self._demands:
            self._ended.wait(every_s)
            return ()
        flows = [demand.flow for demand in self._demands]
        reports = self._lab.prober.traffic(flows, [demand.address for demand in self._demands], duration_s=every_s)
        silent = crashed(self._lab)
        return [_NOTHING if flow.source in silent else one for flow, one in zip(flows, reports, strict=True)]

    def _answering(self) -> Iterator[tuple[str, LabNode]]:
        """The nodes that answer: nothing is measured at one that has crashed."""
        silent = crashed(self._lab)
        return ((name, self._lab.nodes[name]) for name in self._nodes if name not in silent)

    def _of_nodes(self, now: Moment, rows: sampling.Rows) -> Iterator[tuple[Any, ...]]:
        """Rows of each node, with their moment and the node."""
        for name, node in self._answering():
            yield from ((*now, name, *row) for row in rows(self._lab.driver(name), node))

    def _calls(self) -> Iterator[tuple[Any, ...]]:
        """The calls that have ended since the last sample, but for those that began before the traffic."""
        for name, node in self._answering():
            if not offers(node, CALLS):
                continue
            found = node.capability(CALLS).calls()
            seen, self._seen[name] = self._seen.get(name, frozenset()), frozenset(found)
            for one in found:
                # pods are on clusters, which never stand still
                since_s = one.began - self._started.wall_s
                if one not in seen and since_s >= 0 and self._kept_calls < MOST_CALLS:
                    self._kept_calls += 1
                    moment = round(since_s, 3), round(since_s * self._lab.time_scale, 1)
                    yield *moment, name, one.url, one.status, one.total_ms, one.error
