"""Runbook: cables. Carrier as routers tell it, and what arrives of what was sent over each."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_netbench.agents.runbooks.facts import End, Facts, Finding
from pytest_netbench.agents.runbooks.reading import Device
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError

_FRR_STATE: Final = re.compile(
    r"Interface (\S+) is \w+, line protocol is (\w+)\s+Link ups:\s+(\d+).*\s+Link downs:\s+(\d+)"
)
_IOS_STATE: Final = re.compile(r"^(\S+) +\S+ +YES +\S+ +(.+?) +(up|down) *$", re.MULTILINE)
_IOS_LOG: Final = re.compile(r"%LINK-3-UPDOWN: Interface (\S+?), changed state to (\w+)")
_RATE_BPS: Final = 2_000_000
_DURATION_S: Final = 0.5
_AT_ONCE: Final = 16
_BURSTS_S: Final = 0.2
_FEW: Final = 0.15
"""Share of packets sent one by one that meet bursts of others in a short queue, at most."""
_SAMPLE_S: Final = 1.2
"""A sample is taken each second."""
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


class Carrier(NamedTuple):
    """The carrier of an interface: whether it has any, and how often it came back after it was lost."""

    is_up: bool
    returned: int


def check_cables(facts: Facts, ani: Ani) -> Iterator[Finding]:
    """What is wrong with cables."""
    carriers = {End(one.name, name): state for one in facts.routers for name, state in _carriers(one, ani)}
    whole = []
    for link in facts.links:
        known = [carriers[end] for end in link if end in carriers]
        if len(link) != 2 or not known or any((port := facts.port(end)) and port.is_shut for end in link):
            continue
        words = f"The cable between {link[0].node} {link[0].interface} and {link[1].node} {link[1].interface}"
        if any(one.returned for one in known):
            yield Finding("link-flapping", link[0], f"{words} loses carrier again and again.")
        elif not all(one.is_up for one in known):
            yield Finding("link-down", link[0], f"{words} has no carrier.")
        else:
            whole.append((link[0], link[1]))
    yield from _losses(facts, ani, whole)


def _carriers(device: Device, ani: Ani) -> Iterator[tuple[str, Carrier]]:
    if device.platform == "frr":
        output = _said(ani, device.name, "show interface")
        for name, state, ups, downs in _FRR_STATE.findall(output):
            yield name, Carrier(is_up=state == "up", returned=int(ups) if int(downs) else 0)
        return
    log = _IOS_LOG.findall(_said(ani, device.name, "show logging"))
    for name, _, protocol in _IOS_STATE.findall(_said(ani, device.name, "show ip interface brief")):
        states = [state for interface, state in log if interface == name]
        down = states.index("down") if "down" in states else len(states)
        yield name, Carrier(is_up=protocol == "up", returned=states[down:].count("up"))


def _said(ani: Ani, device: str, command: str) -> str:
    return str(ani.call("execute-cmd", {"device": device, "command": command})["output"])


def _losses(facts: Facts, ani: Ani, cables: Sequence[tuple[End, End]]) -> Iterator[Finding]:
    """Send between hosts, and compare the counters at both ends of each cable."""
    before, wrong_before = _counters(ani), _checksum_errors(facts, ani)
    losses = _send(facts, ani)
    time.sleep(_SAMPLE_S)  # the counters of this sample have to come, and nothing tells an agent that they have
    after = _counters(ani)
    losses += _flow_losses(ani, since_s=before.time_s)
    span_s = max(1.0, after.time_s - before.time_s)
    if _checksum_errors(facts, ani) - wrong_before >= _CORRUPT:
        yield from _corruption(facts, ani, cables)
    is_right = True
    for cable in cables:
        used = []
        for end, far in (cable, cable[::-1]):
            sent, arrived = (_change(before, after, one, way) for one, way in ((end, "sent"), (far, "received")))
            if far in after.rows and sent.packets >= _LEAST_PACKETS:
                used.append((far, sent, arrived))
        lossy = [(far, sent, arrived) for far, sent, arrived in used if arrived.packets < _ENOUGH * sent.packets]
        for far, sent, arrived in lossy[:1]:
            words = f"{arrived.packets} of {sent.packets} packets arrive at {far.node} {far.interface}."
            kind = _kind(sent, arrived, span_s, losses)
            is_right = False
            if kind == "link-lossy" and _loses_bursts_only(ani, since_s=before.time_s):
                kind = "link-queue-short"
            elif kind == "link-lossy" and len(lossy) < len(used):
                kind = "link-lossy-one-way"
            yield Finding(kind, cable[0], words)
    if is_right:
        yield from _short_queues(facts, ani, cables)


def _loses_bursts_only(ani: Ani, *, since_s: float) -> bool:
    """Whether the flow of the network that loses most loses nearly nothing of packets that come one by one."""
    found = ani.call("query-telemetry", {"sql": "SELECT source, target, loss, time_s FROM flows ORDER BY loss DESC"})
    pair = next(((one, other) for one, other, loss, at in found["rows"] if at > since_s and loss > 1 - _ENOUGH), None)
    if pair is None:
        return False
    paced, bursts = (_lost(ani, *pair, at_once=at_once, duration_s=_DURATION_S) or 0.0 for at_once in (1, _AT_ONCE))
    return paced < _FEW < bursts


def _short_queues(facts: Facts, ani: Ani, cables: Sequence[tuple[End, End]]) -> Iterator[Finding]:
    """Send packets at once between hosts, over cables that lose none of those that come one by one."""
    before = _counters(ani)
    if not any(loss > 1 - _ENOUGH for loss in _send(facts, ani, at_once=_AT_ONCE, duration_s=_BURSTS_S)):
        return
    time.sleep(_SAMPLE_S)
    after = _counters(ani)
    for cable in cables:
        for end, far in (cable, cable[::-1]):
            sent, arrived = (_change(before, after, one, way) for one, way in ((end, "sent"), (far, "received")))
            if far in after.rows and sent.packets >= _AT_ONCE and arrived.packets < _ENOUGH * sent.packets:
                words = f"{arrived.packets} of {sent.packets} packets that come at once arrive at {far.node}."
                yield Finding("link-queue-short", cable[0], words)
                break


def _kind(sent: _Count, arrived: _Count, span_s: float, losses: Sequence[float]) -> str:
    """What is wrong with a cable over which less arrives than is sent."""
    if arrived.octets <= _LONG * arrived.packets and sent.octets > _LONG * sent.packets:
        return "link-mtu-low"
    if 8 * arrived.octets / span_s < _SLOW_BPS < 8 * sent.octets / span_s:
        return "link-slow"
    is_whole = all(loss <= _WHOLE or loss >= 1 - _WHOLE for loss in losses)
    return "link-flows-lost" if is_whole else "link-lossy"


def _corruption(facts: Facts, ani: Ani, cables: Sequence[tuple[End, End]]) -> Iterator[Finding]:
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
            yield Finding("link-corrupting", cable[0], words)


def _answered(device: Device, ani: Ani, address: str) -> int:
    """How many of some pings are answered."""
    once = {"linux": f"ping -n -q -i 0.02 -W 1 -c {_ECHOES} {address}", "frr": f"ping {address} count 10"}
    command = once.get(device.platform, f"ping {address} repeat {_ECHOES}")
    times = _ECHOES // 10 if device.platform == "frr" else 1
    said = " ".join(_said(ani, device.name, command) for _ in range(times))
    return sum(int(one or other) for one, other in _PING_SENT.findall(said))


def _checksum_errors(facts: Facts, ani: Ani) -> int:
    """How many packets hosts have dropped because of wrong checksums."""
    total = 0
    for host in facts.hosts:
        lines = [line.split() for line in _said(ani, host.name, "cat /proc/net/snmp").splitlines()]
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
    sql = "SELECT * FROM interfaces WHERE time_s = (SELECT max(time_s) FROM interfaces)"
    found = ani.call("query-telemetry", {"sql": sql})
    rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
    return _Sample(
        time_s=max((row["time_s"] for row in rows), default=0.0),
        rows={End(row["node"], row["interface"]): row for row in rows},
    )


class _Count(NamedTuple):
    packets: int
    octets: int


def _change(before: _Sample, after: _Sample, end: End, way: str) -> _Count:
    """What passed between two samples; nothing of an interface that is not counted."""
    now, then = after.rows.get(end, {}), before.rows.get(end, {})
    names = (f"{way}_packets", f"{way}_bytes")
    return _Count(*(int(now.get(name, 0)) - int(then.get(name, 0)) for name in names))


def _send(facts: Facts, ani: Ani, *, at_once: int = 1, duration_s: float = _DURATION_S) -> list[float]:
    """Each host sends for a moment to the one behind it, so that more cables are used than the traffic uses.

    Returns the share that was lost of each.
    """
    names = [name for name in facts.addresses if name in facts.devices]
    half = max(1, len(names) // 2)
    pairs = ((name, names[(number + half) % len(names)]) for number, name in enumerate(names))
    found = (_lost(ani, *pair, at_once=at_once, duration_s=duration_s) for pair in pairs if pair[0] != pair[1])
    return [loss for loss in found if loss is not None]


def _lost(ani: Ani, source: str, target: str, *, at_once: int, duration_s: float) -> float | None:
    """The share that is lost from one host to another one; ``None`` if nothing could be sent."""
    pace = {"rate_bps": _RATE_BPS, "duration_s": duration_s}
    if at_once > 1:
        pace["burst_packets"] = at_once
    try:
        found = ani.call("measure-rate", {"source": source, "target": target, **pace})
    except AniError:
        return None  # a host without an address cannot send
    return 1 - found["received_packets"] / found["sent_packets"] if found["sent_packets"] else None
