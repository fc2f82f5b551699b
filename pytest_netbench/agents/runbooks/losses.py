"""Runbook: what arrives of what is sent over each cable."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding, output_of
from pytest_netbench.agents.runbooks.reading import Device
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError

_RATE_BPS: Final = 2_000_000
_DURATION_S: Final = 0.5
_AT_ONCE: Final = 16
_MOST_SENDERS: Final = 8
_MOST: Final = 0.5
"""Less than a slow cable loses of the rate that is sent."""
_FEW: Final = 0.15
"""Share of packets sent one by one that meet bursts of others in a short queue, at most."""
_SAMPLE_S: Final = 1.2
"""More than two samples are apart."""
_LEAST_PACKETS: Final = 60
_ENOUGH: Final = 0.9
"""Share of the packets that arrive at least: the samples of both ends are some milliseconds apart."""
_SLOW_BPS: Final = 700_000
_LONG: Final = 620
"""Bytes of a frame: those of traffic are longer, those of routing protocols and pings are not."""
_WHOLE: Final = 0.03
"""A flow is lost wholly, or not at all, up to such a share of its packets."""
_ECHOES: Final = 40
_PING_SENT: Final = re.compile(r"(?:(\d+) received|\((\d+)/\d+\))")
_CORRUPT: Final = 3


def check_losses(facts: Facts, ani: Ani, cables: Sequence[tuple[End, End]]) -> Iterator[Finding]:
    """Send between hosts, and compare the counters at both ends of each cable."""
    before = _counters(ani)
    paced = _send(facts, ani)
    time.sleep(_SAMPLE_S)  # the counters of this sample have to come, and nothing tells an agent that they have
    after = _counters(ani)
    losses = [*paced.values(), *_flow_losses(ani, since_s=before.time_s)]
    span_s = max(1.0, after.time_s - before.time_s)
    if max(losses, default=0.0) > 1 - _ENOUGH and _checksum_errors(facts, ani) >= _CORRUPT:
        yield from check_corruption(facts, ani, cables, is_one_way=loses_one_way(ani, paced))
    for cable in cables:
        used = []
        for end, far in (cable, cable[::-1]):
            sent, arrived = (_change(before, after, one, way) for one, way in ((end, "sent"), (far, "received")))
            if far in after.rows and sent.packets >= _LEAST_PACKETS:
                used.append((far, sent, arrived))
        lossy = [(far, sent, arrived) for far, sent, arrived in used if arrived.packets < _ENOUGH * sent.packets]
        for far, sent, arrived in lossy[:1]:
            words = f"{arrived.packets} of {sent.packets} packets arrive at {far.node} {far.interface}."
            kind, is_one_way = kind_of(sent, arrived, span_s, losses), len(lossy) < len(used)
            if kind == "link-mtu-low":
                # long packets pass the other way, so it is no limit of the cable but the loss of whole flows
                kind = "link-flows-lost" if is_one_way else kind
            else:
                kind = tried(ani, kind, list(paced.values()), since_s=before.time_s)
            yield Finding("link-lossy-one-way" if kind == "link-lossy" and is_one_way else kind, cable[0], words)


def tried(ani: Ani, kind: str, paced: Sequence[float], *, since_s: float) -> str:
    """What is wrong with a cable: the hosts of the flow that loses most send at a steady rate, and in bursts.

    ``paced`` are the losses of what was sent before at a steady rate.
    """
    found = ani.call("query-telemetry", {"sql": "SELECT source, target, loss, time_s FROM flows ORDER BY loss DESC"})
    pair = next(((one, other) for one, other, loss, at in found["rows"] if at > since_s and loss > 1 - _ENOUGH), None)
    steady = _lost(ani, *pair) if pair else max(paced, default=None)
    if steady is None:
        return kind
    if pair and steady < _FEW < (_lost(ani, *pair, at_once=_AT_ONCE) or 0.0):
        return "link-queue-short"
    if kind == "link-flows-lost":
        return kind
    return "link-slow" if steady > _MOST else "link-lossy"


def kind_of(sent: Count, arrived: Count, span_s: float, losses: Sequence[float]) -> str:
    """What is wrong with a cable over which less arrives than is sent."""
    if arrived.octets <= _LONG * arrived.packets and sent.octets > _LONG * sent.packets:
        return "link-mtu-low"
    if 8 * arrived.octets / span_s < _SLOW_BPS < 8 * sent.octets / span_s:
        return "link-slow"
    is_whole = all(loss <= _WHOLE or loss >= 1 - _WHOLE for loss in losses)
    return "link-flows-lost" if is_whole else "link-lossy"


def loses_one_way(ani: Ani, paced: Mapping[tuple[str, str], float]) -> bool:
    """Whether packets are lost in one direction only, between the hosts that lose most."""
    source, target = max(paced, key=lambda pair: paced[pair], default=("", ""))
    lost = [_lost(ani, *pair) for pair in ((source, target), (target, source))] if source else []
    known = sorted(one for one in lost if one is not None)
    return len(known) == 2 and known[0] <= _WHOLE < _FEW / 2 < known[1]


def check_corruption(
    facts: Facts, ani: Ani, cables: Sequence[tuple[End, End]], *, is_one_way: bool = False
) -> Iterator[Finding]:
    """Ping over each cable whose ends have addresses: some packets have wrong checksums somewhere."""
    for cable in cables:
        one, other = (facts.port(end) for end in cable)
        near = facts.devices.get(cable[0].node)
        if not (near and one and other and one.address and other.address):
            continue
        if other.address.ip not in one.address.network:
            continue
        address = other.address.ip
        answered = _answered(near, ani, str(address))
        if 0 < answered < _ECHOES:
            words = f"{answered} of {_ECHOES} pings of {near.name} to {address} are answered, and no packet is missing."
            yield Finding(f"link-corrupting{'-one-way' * is_one_way}", cable[0], words)


def _answered(device: Device, ani: Ani, address: str) -> int:
    """How many of some pings are answered."""
    once = {"linux": f"ping -n -q -i 0.02 -W 1 -c {_ECHOES} {address}", "frr": f"ping {address} count 10"}
    command = once.get(device.platform, f"ping {address} repeat {_ECHOES}")
    times = _ECHOES // 10 if device.platform == "frr" else 1
    said = " ".join(output_of(ani, device.name, command) for _ in range(times))
    return sum(int(one or other) for one, other in _PING_SENT.findall(said))


def _checksum_errors(facts: Facts, ani: Ani) -> int:
    """How many packets hosts have dropped because of wrong checksums."""
    total = 0
    for host in facts.hosts:
        lines = [line.split() for line in output_of(ani, host.name, "cat /proc/net/snmp").splitlines()]
        for names, values in zip(lines[::2], lines[1::2], strict=False):
            total += sum(
                int(value)
                for name, value in zip(names, values, strict=False)
                if name in {"InCsumErrors", "InHdrErrors"} and value.isdigit()
            )
    return total


def _flow_losses(ani: Ani, *, since_s: float) -> list[float]:
    """The loss of each flow of the network in each sample."""
    rows = ani.call("query-telemetry", {"sql": "SELECT time_s, loss FROM flows ORDER BY time_s DESC"})["rows"]
    return [float(loss) for time_s, loss in rows if time_s > since_s + _SAMPLE_S]


class _Sample(NamedTuple):
    time_s: float
    rows: Mapping[End, Mapping[str, Any]]


def _counters(ani: Ani) -> _Sample:
    """The last sample; an empty one where telemetry has no counters."""
    sql = "SELECT * FROM interfaces WHERE time_s = (SELECT max(time_s) FROM interfaces)"
    try:
        found = ani.call("query-telemetry", {"sql": sql})
    except AniError:
        return _Sample(time_s=0.0, rows={})
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    return _Sample(
        time_s=max((row["time_s"] for row in rows), default=0.0),
        rows={End(row["node"], row["interface"]): row for row in rows},
    )


class Count(NamedTuple):
    """What a host has sent, or what has arrived."""

    packets: int
    octets: int


def _change(before: _Sample, after: _Sample, end: End, way: str) -> Count:
    """What passed between two samples; nothing of an interface that is not counted."""
    now, then = after.rows.get(end, {}), before.rows.get(end, {})
    names = (f"{way}_packets", f"{way}_bytes")
    return Count(*(int(now.get(name, 0)) - int(then.get(name, 0)) for name in names))


def _send(facts: Facts, ani: Ani) -> dict[tuple[str, str], float]:
    """Hosts send for a moment, each to another LAN, so that more cables are used than the traffic uses.

    Of many hosts one of each LAN sends. Returns the share that was lost between two of them.
    """
    known = [name for name in facts.addresses if name in facts.devices]
    by_lan = {next((lan for lan in facts.lans if facts.addresses[one] in lan), one): one for one in known}
    names = known if len(known) <= _MOST_SENDERS else list(by_lan.values())
    half = max(1, len(names) // 2)
    pairs = ((name, names[(number + half) % len(names)]) for number, name in enumerate(names))
    found = {pair: _lost(ani, *pair) for pair in pairs if pair[0] != pair[1]}
    return {pair: loss for pair, loss in found.items() if loss is not None}


def _lost(ani: Ani, source: str, target: str, *, at_once: int = 1) -> float | None:
    """The share that is lost from one host to another one; ``None`` if nothing could be sent."""
    pace = {"rate_bps": _RATE_BPS, "duration_s": _DURATION_S}
    if at_once > 1:
        pace["burst_packets"] = at_once
    try:
        found = ani.call("measure-rate", {"source": source, "target": target, **pace})
    except AniError:
        return None  # a host without an address cannot send
    return 1 - found["received_packets"] / found["sent_packets"] if found["sent_packets"] else None
