"""A running netns lab, and the real packets that are sent in it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import TypeVar

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.clock.labtime import PacedClock
from pytest_netbench.backends.netns.nodes.node import NetnsNode
from pytest_netbench.lab.capabilities import PROBES
from pytest_netbench.lab.cleanup import Cleanup
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.lab.stopwatch import Stopwatch, WallStopwatch
from pytest_netbench.lab.turns import Turns
from pytest_netbench.model.ready import Readiness
from pytest_netbench.model.testcase import Flow
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import Isolation, RefusedLine
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.platforms.driver import HostedDriver
from pytest_netbench.platforms.linux.listing import entries
from pytest_netbench.probing import limits


class NetnsProber:
    """Implements ``lab.probing.Prober``: one process of the supervisor sends and receives for all nodes."""

    def __init__(self, *, channel: Channel, nodes: Mapping[str, NetnsNode]) -> None:
        self._channel = channel
        self._nodes = nodes

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        if not probes:
            return []
        limit_s, timeout_s = limits.of_probes(probes, repetitions)
        answer = self._channel.call(
            "probe",
            probes=[vars(probe) for probe in probes],
            repetitions=repetitions,
            seed=seed,
            limit_s=limit_s,
            timeout_s=timeout_s,
        )
        return [
            ProbeResult(**result | {"came_by": tuple(result["came_by"])}) for result in json.loads(answer["result"])
        ]

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        answer = self._channel.call(
            "path",
            source=source,
            target=target,
            max_hops=max_hops,
            patience_s=timeout_s,
            timeout_s=timeout_s + limits.SLACK_S,
        )
        return [Hop(address=address) for address in json.loads(answer["result"])]

    def traffic(
        self, flows: Sequence[Flow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        answer = self._channel.call(
            "traffic",
            flows=[flow.model_dump() for flow in flows],
            targets=list(targets),
            duration_s=duration_s,
            warmup_s=warmup_s,
            timeout_s=limits.of_traffic(duration_s, warmup_s),
        )
        return [FlowReport(**report) for report in json.loads(answer["result"])]

    def addresses(self, node: str) -> tuple[str, ...]:
        listing = entries(self._nodes[node].run(["ip", "-j", "address", "show"]).stdout)
        order = {name: number for number, name in enumerate(self._nodes[node].interfaces)}
        listing.sort(key=lambda link: order.get(link["ifname"], len(order)))
        return tuple(
            address["local"]
            for family in ("inet", "inet6")
            for link in listing
            for address in link["addr_info"]
            if address["family"] == family
            and address.get("scope") == "global"
            and not address["local"].startswith("127.")
        )


T = TypeVar("T")


class NetnsLab:
    """Implements ``lab.protocols.Lab``."""

    isolation = Isolation(
        read_only="a sandbox without capabilities, with read-only files; the view node of vtysh; IOS's own commands",
        runs_as="user 1000 of a namespace of its own; to change a node, with its network capabilities only",
    )

    def __init__(
        self,
        *,
        channel: Channel,
        topology: Topology,
        nodes: Mapping[str, NetnsNode],
        drivers: Mapping[str, HostedDriver],
        time_scale: float,
        at_first: float | None = None,
        date: float | None = None,
        features: tuple[str, ...],
        substitutes: Mapping[str, str],
    ) -> None:
        self.topology = topology
        self.nodes = nodes
        self.time_scale = time_scale
        self.clock = PacedClock(time_scale if at_first is None else at_first, channel, date=date)
        self.stopwatch: Stopwatch = WallStopwatch(lambda: self.clock.at(time.time()))
        self.turns: Turns | None = None
        """Only if it stands still between the requests of an agent."""
        self.prober = NetnsProber(channel=channel, nodes=nodes)
        self.features = features
        self.substitutes = dict(substitutes)
        self.refused_startup_lines: tuple[RefusedLine, ...] = ()
        self.deploy_s = 0.0
        self.readiness = Readiness()
        self.destroy_s = 0.0
        self.offered: dict[str, object] = {PROBES.name: self.prober}
        self._drivers = drivers
        self._channel = channel
        self._cleanup = Cleanup(self._clean_up, wrong="the lab could not be cleaned up: ")

    @property
    def cleanup_s(self) -> float:
        """Wall seconds from the call of ``destroy`` until nothing of the lab was left."""
        return self._cleanup.took_s

    def driver(self, node: str) -> HostedDriver:
        return self._drivers[node]

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(self.offered, owner="this netns lab")

    @property
    def supervisor_pid(self) -> int:
        """The process whose end is the end of the lab."""
        return self._channel.pid

    def set_pace(self, factor: float) -> None:
        """Let lab time pass at another speed."""
        self.clock.change(factor)

    def destroy(self) -> None:
        if self._cleanup.has_begun:
            return
        started = time.monotonic()
        self._channel.close()
        self._cleanup.start(since=started)
        self.destroy_s = time.monotonic() - started

    def _clean_up(self) -> None:
        for node in self.nodes.values():
            node.close()
        self._channel.await_end()

    def await_cleanup(self) -> None:
        """Wait until the kernel has ended every process of a destroyed lab; ``cleanup_s`` then says how long that took.

        Raises:
            LabError: The lab was not destroyed, or cannot be ended.
        """
        self._cleanup.wait()
