"""Real packets in a netns lab."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.backends.netns.node import NetnsNode
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.model.testcase import Flow
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
