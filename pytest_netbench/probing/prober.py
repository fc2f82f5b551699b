"""Real packets between network namespaces, whoever made them. The public front of this package."""

from __future__ import annotations

import base64
import contextlib
import itertools
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Self

from pytest_netbench.errors import UsageError
from pytest_netbench.probing import checks, limits
from pytest_netbench.probing.children import Child, Start, start
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.records import FlowReport, Hop, OfferedFlow, Probe, ProbeResult

_WHOLE: Final = 65_535
_EVERYTHING: Final = struct.pack("=HBBI", 0x06, 0, 0, 0x40000)
"""Classic BPF: keep up to 256 KiB of each frame."""


class Capture:
    """What passed an interface.

    Attributes:
        pcap: A pcap file of frames (link type Ethernet), the oldest first; empty while the capture goes on.
    """

    def __init__(self) -> None:
        self.pcap = b""


class NamespaceProber:
    """Sends real packets between network namespaces, and says what became of them.

    It implements ``lab.probing.Prober``. Each call runs in a child process: this process stays in its own namespaces,
    and several threads may call at once. The namespaces stay in being until the prober is closed.

    Args:
        namespaces: The namespaces, by the names that probes and flows use for them.
        started_by: Starts the processes that measure.

    Raises:
        UsageError: There is no such namespace or interface.
        RequirementMissing: This user may not enter a namespace.
    """

    def __init__(self, namespaces: Mapping[str, Namespace], *, started_by: Start = start) -> None:
        if not namespaces:
            raise UsageError("there are no namespaces to probe in, expected at least one")
        self._interfaces = {node: space.interfaces for node, space in namespaces.items()}
        self._descriptors: dict[str, int] = {}
        self._started_by = started_by
        try:
            for node, space in namespaces.items():
                self._descriptors[node] = space.open(node)
            self._call("check", {}, limits.SLACK_S)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the namespaces go. Idempotent."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        """Try all probes side by side, and those without an answer again; results in order.

        Args:
            probes: Any number of them.
            repetitions: How often an unanswered probe is sent again, if it does not say so itself.
            seed: Draws the same ports, sizes and contents again; ``None`` draws other ones each time.

        Raises:
            UsageError: A probe names a node that is not there, or a value that cannot be.
            LabError: The process that measures failed.
        """
        if not probes:
            return []
        for number, probe in enumerate(probes, start=1):
            checks.check_probe(f"probe {number}", probe, self._descriptors)
        limit_s, timeout_s = limits.of_probes(probes, repetitions)
        given = {"probes": [vars(probe) for probe in probes], "repetitions": repetitions, "seed": seed}
        return [
            ProbeResult(**report | {"came_by": tuple(report["came_by"])})
            for report in self._call("probe", given | {"limit_s": limit_s}, timeout_s)
        ]

    def matrix(
        self,
        addresses: Mapping[str, str] | None = None,
        *,
        protocol: Literal["icmp", "tcp", "udp", "gre", "esp", "segment", "unreachable"] = "icmp",
        port: int | None = None,
        timeout_s: float = 0.5,
        repetitions: int = 1,
        seed: int | None = None,
    ) -> dict[tuple[str, str], ProbeResult]:
        """Try a probe from each node to each other; results by source and target.

        ``delivered`` needs the way back too. ``arrived`` is the verdict on the way from the source to the target alone.

        Args:
            addresses: The nodes, and the address at which the others reach each; ``None`` for all nodes, each at the
                first of its ``addresses``.
            protocol: Of the probes, see ``Probe``. For ``tcp`` and ``udp`` each target listens.
            port: Port to send to; ``None`` draws one for each probe.
            timeout_s: Wall seconds to wait for an answer to each packet.
            repetitions: How often an unanswered probe is sent again.
            seed: As of ``probe``.

        Raises:
            UsageError: As of ``probe``; or a node has no address to use.
            LabError: The process that measures failed.
        """
        known = self._first_addresses() if addresses is None else addresses
        pairs = list(itertools.permutations(known, 2))
        listens = protocol in ("tcp", "udp")
        probes = [
            Probe(
                source=source,
                target=known[target],
                protocol=protocol,
                port=port,
                listen_on=target if listens else None,
                arrives_at=() if listens else (target,),
                timeout_s=timeout_s,
            )
            for source, target in pairs
        ]
        return dict(zip(pairs, self.probe(probes, repetitions=repetitions, seed=seed), strict=True))

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        """Hops from ``source`` to the address ``target``, the target last if it answered.

        Raises:
            UsageError: There is no such node, or ``target`` is no address.
            LabError: The process that measures failed.
        """
        checks.check_node("path", source, self._descriptors)
        checks.check_address("path", target)
        given = {"source": source, "target": target, "max_hops": max_hops, "patience_s": timeout_s}
        return [Hop(address=address) for address in self._call("path", given, timeout_s + limits.SLACK_S)]

    def traffic(
        self, flows: Sequence[OfferedFlow], targets: Sequence[str], *, duration_s: float, warmup_s: float | None = None
    ) -> list[FlowReport]:
        """Run all flows at once; reports in order. It is designed for rates of up to some ten Mbit/s.

        Args:
            flows: The flows. The receiving node of each is its ``target``.
            targets: Addresses, one per flow.
            duration_s: Wall seconds that are measured.
            warmup_s: Wall seconds of traffic before. ``None``: the first quarter of ``duration_s`` is not measured.

        Raises:
            UsageError: A flow names a node that is not there, or a value that cannot be.
            LabError: The process that measures failed.
        """
        if len(flows) != len(targets):
            raise UsageError(f"traffic: {len(flows)} flows and {len(targets)} targets, expected one for each flow")
        if not flows:
            return []
        for number, (flow, target) in enumerate(zip(flows, targets, strict=True), start=1):
            checks.check_flow(f"flow {number}", flow, target, self._descriptors)
        given = {
            "flows": [{field: getattr(flow, field) for field in _FLOW_FIELDS} for flow in flows],
            "targets": list(targets),
            "duration_s": duration_s,
            "warmup_s": warmup_s,
        }
        return [
            FlowReport(**report) for report in self._call("traffic", given, limits.of_traffic(duration_s, warmup_s))
        ]

    def addresses(self, node: str) -> tuple[str, ...]:
        """Addresses of ``node`` that others can use (global scope, no loopback): IPv4 first, in order of interfaces.

        Raises:
            UsageError: There is no such node.
        """
        checks.check_node("addresses", node, self._descriptors)
        return tuple(self._call("addresses", {"node": node}, limits.SLACK_S))

    @contextlib.contextmanager
    def capturing(
        self,
        node: str,
        interface: str,
        *,
        program: bytes = _EVERYTHING,
        packets: int = 10_000,
        duration_s: float = 60.0,
        snapped: int = _WHOLE,
    ) -> Iterator[Capture]:
        """Capture what passes an interface while the block runs, both ways. Afterwards the packets are in the result.

        Args:
            node: Node that has the interface.
            interface: Its name there.
            program: Classic BPF, eight bytes an instruction as in ``struct sock_filter``: which frames are captured.
            packets: No more than so many.
            duration_s: Not longer than so many wall seconds.
            snapped: Bytes that are kept of each frame.

        Raises:
            UsageError: There is no such node or interface.
            LabError: The kernel refuses the program.
        """
        checks.check_node("capture", node, self._descriptors)
        given = {
            "node": node,
            "interface": interface,
            "program": program.hex(),
            "packets": packets,
            "duration_s": duration_s,
            "snapped": snapped,
        }
        child = Child(self._descriptors, self._interfaces, "capture", given, started_by=self._started_by)
        found = Capture()
        try:
            if not child.await_ready():
                child.finish(limits.SLACK_S)
            yield found
        except BaseException:
            child.kill()
            raise
        found.pcap = base64.b64decode(child.finish(limits.SLACK_S))

    def _first_addresses(self) -> dict[str, str]:
        found = {node: self.addresses(node) for node in self._descriptors}
        for node, known in found.items():
            if not known:
                raise UsageError(f"{node} has no address that others can use; give the matrix its addresses")
        return {node: known[0] for node, known in found.items()}

    def _call(self, call: str, given: Mapping[str, Any], timeout_s: float) -> Any:
        if not self._descriptors:
            raise UsageError(f"{call}: the prober is closed")
        return Child(self._descriptors, self._interfaces, call, given, started_by=self._started_by).finish(timeout_s)


_FLOW_FIELDS = ("source", "target", "protocol", "port", "source_address", "dscp", "rate_bps", "packet_bytes")
