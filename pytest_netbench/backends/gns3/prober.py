"""Probes from the consoles of hosts: what a VPCS can send, it sends."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address
from typing import Final

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import FlowReport, Hop, Probe, ProbeResult
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.model.testcase import Flow
from pytest_netbench.platforms.vpcs.session import session_of
from pytest_netbench.platforms.vpcs.settings import Settings
from pytest_netbench.randomness import seeded

_KINDS: Final = {"icmp": "", "udp": " -2", "tcp": " -3"}
_ANSWER = re.compile(r"(?:icmp_seq|udp_seq|^Connect\b.*\bseq)=\d+ ttl=\d+ time=([\d.]+) ms *$", re.MULTILINE)
_NOTICE = re.compile(r"^\*?([\d.]+).*\(ICMP type:(\d+), code:(\d+), ([^)]*)\)", re.MULTILINE)
_HOP = re.compile(r"^ *\d+ +(?:\*?((?:\d+\.){3}\d+)|\*)", re.MULTILINE)
_PORTS = (20_000, 60_000)
_SLACK_S = 15.0
"""A VPCS asks three seconds for a neighbor, and checks an address for as long."""
_UNREACHABLE, _PORT = "3", "3"
_REFUSED = "refused"
_FAILURES: Final = (
    ("RST returned", _REFUSED, True),
    ("gateway", "no route", False),
    ("not reachable", "host unreachable", False),
)
"""What a VPCS prints, what it means, and whether the packet was sent."""


class VpcsProber:
    """Implements ``lab.probing.Prober`` and ``lab.probing.Samples``.

    Only the source says what came of a probe: nothing is known of its arrival, and a VPCS answers on every port.

    Args:
        hosts: The nodes that are a VPCS.
        others: The other nodes of the lab.
    """

    probes_per_s = 2.0

    def __init__(self, hosts: Mapping[str, LabNode], others: Mapping[str, LabNode]) -> None:
        self._hosts = hosts
        self._others = others

    def beyond(self, probe: Probe) -> str | None:
        if probe.source not in self._hosts:
            return f"{probe.source} sends no probes: only hosts that are a VPCS do"
        if probe.protocol not in _KINDS:
            return f"a VPCS sends no packets of {probe.protocol}"
        if ":" in probe.target:
            return "a VPCS is asked for IPv4 only"
        if probe.dscp or probe.source_address or probe.stand_in or probe.follow:
            return "a VPCS marks no packets and sends from its own address, and nobody sees where they come by"
        for node in (probe.listen_on, *probe.arrives_at):
            if node in self._others:
                return f"nobody listens on {node} for probes of a VPCS"
        return None

    def probe(self, probes: Sequence[Probe], *, repetitions: int = 1, seed: int | None = None) -> list[ProbeResult]:
        for one in probes:
            if (why := self.beyond(one)) is not None:
                raise RequirementMissing(f"a probe from {one.source} to {one.target} cannot be measured: {why}")
        draw = seeded(seed)
        by_source: dict[str, list[tuple[int, Probe, str]]] = {}
        for number, one in enumerate(probes):
            by_source.setdefault(one.source, []).append((number, one, _ports(one, draw)))
        found: dict[int, ProbeResult] = {}

        def ask(source: str) -> None:
            for number, one, ports in by_source[source]:
                tries = 1 + (repetitions if one.repetitions is None else one.repetitions)
                found[number] = self._asked(one, ports, tries)

        with ThreadPoolExecutor(max_workers=max(1, len(by_source))) as pool:
            list(pool.map(ask, by_source))
        return [found[number] for number in range(len(probes))]

    def _asked(self, probe: Probe, ports: str, tries: int) -> ProbeResult:
        result = ProbeResult(delivered=False, detail="not sent", sent=False)
        wait_ms = max(1, round(probe.timeout_s * 1000))
        for _ in range(tries):
            line = f"ping {IPv4Address(probe.target)}{_KINDS[probe.protocol]}{ports} -c 1 -w {wait_ms}"
            result = result_of(
                session_of(self._hosts[probe.source]).send(line, timeout_s=probe.timeout_s + _SLACK_S), probe
            )
            if result.answered:
                break
        return result

    def path(self, source: str, target: str, *, max_hops: int = 16, timeout_s: float = 0.3) -> list[Hop]:
        if source not in self._hosts:
            raise RequirementMissing(f"{source} traces no paths: only hosts that are a VPCS do")
        line = f"trace {IPv4Address(target)} -m {max_hops}"
        text = session_of(self._hosts[source]).send(line, timeout_s=max_hops * (3 * timeout_s + 3) + _SLACK_S)
        return [Hop(address=address or None) for address in _HOP.findall(text)]

    def traffic(
        self,
        flows: Sequence[Flow],
        targets: Sequence[str],
        *,
        duration_s: float,
        warmup_s: float | None = None,
    ) -> list[FlowReport]:
        raise RequirementMissing("backend gns3 cannot measure traffic: a VPCS sends none")

    def addresses(self, node: str) -> tuple[str, ...]:
        if node not in self._hosts:
            raise RequirementMissing(f"the addresses of {node} are not known: it is no VPCS")
        address = Settings.shown(session_of(self._hosts[node]).send("show ip")).address
        return () if address is None else (str(address.ip),)

    def close(self) -> None:
        """Nothing is open."""


def result_of(text: str, probe: Probe) -> ProbeResult:
    """What a VPCS printed for one packet."""
    if (answer := _ANSWER.search(text)) is not None:
        milliseconds = float(answer[1])
        said = {"icmp": "echo reply", "tcp": "connected", "udp": "answered"}[probe.protocol]
        return ProbeResult(
            delivered=True, detail=f"{said} after {milliseconds:.1f} ms", answered=True, round_trip_ms=milliseconds
        )
    if (notice := _NOTICE.search(text)) is not None:
        sender, kind, code, words = notice.groups()
        if (kind, code) == (_UNREACHABLE, _PORT):
            return ProbeResult(delivered=False, detail=_REFUSED, answered=True)
        return ProbeResult(delivered=False, detail=f"{words.lower()} (from {sender})", answered=True)
    for words, detail, sent in _FAILURES:
        if words in text:
            return ProbeResult(delivered=False, detail=detail, sent=sent, answered=detail == _REFUSED)
    return ProbeResult(delivered=False, detail=f"no answer in {probe.timeout_s:g} s")


def _ports(probe: Probe, draw: random.Random) -> str:
    if probe.protocol == "icmp":
        return ""
    port = draw.randint(*_PORTS) if probe.port is None else probe.port
    return f" -p {port}" + (f" -s {probe.source_port}" if probe.source_port is not None else "")
