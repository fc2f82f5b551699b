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
_SAMPLE_S: Final = 1.2
"""A sample is taken each second."""
_LEAST_PACKETS: Final = 60
_ENOUGH: Final = 0.9
"""Share of the packets that arrive at least: the samples of both ends are some milliseconds apart."""
_SLOW_BPS: Final = 700_000


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
    before = _counters(ani)
    _send(facts, ani)
    time.sleep(_SAMPLE_S)
    after = _counters(ani)
    span_s = max(1.0, after.time_s - before.time_s)
    for cable in cables:
        for end, far in (cable, cable[::-1]):
            sent, arrived = (_change(before, after, one, way) for one, way in ((end, "sent"), (far, "received")))
            if far not in after.rows or sent.packets < _LEAST_PACKETS or arrived.packets >= _ENOUGH * sent.packets:
                continue
            is_slow = 8 * arrived.octets / span_s < _SLOW_BPS < 8 * sent.octets / span_s
            words = f"{arrived.packets} of {sent.packets} packets arrive at {far.node} {far.interface}."
            yield Finding("link-slow" if is_slow else "link-lossy", cable[0], words)
            break


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


def _send(facts: Facts, ani: Ani) -> None:
    """Each host sends for a moment to the one behind it, so that more cables are used than the traffic uses."""
    names = [name for name in facts.addresses if name in facts.devices]
    half = max(1, len(names) // 2)
    for number, name in enumerate(names):
        target = names[(number + half) % len(names)]
        if target == name:
            continue
        try:
            ani.call(
                "measure-rate",
                {"source": name, "target": target, "rate_bps": _RATE_BPS, "duration_s": _DURATION_S},
            )
        except AniError:
            continue  # a host without an address cannot send
