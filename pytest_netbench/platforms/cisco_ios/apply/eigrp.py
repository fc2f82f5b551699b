"""Speaking to eigrpd, which takes a configuration well once, and badly what changes in it.

It advertises an interface with the metric that it had when it began, loses interfaces that leave and come back, and mixes up its
neighbours when a metric changes under them. So it begins anew with each change, and hears all at once, before it has neighbours.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence

from pytest_netbench.platforms.base import NodeAccess
from pytest_netbench.platforms.cisco_ios.plan import FrrLine
from pytest_netbench.platforms.frr import processes

DAEMON = "eigrpd"
_KNOWN = "show yang operational-data /frr-interface:lib format json"
_PATIENCE_S = 5.0
_LOOK_EVERY_S = 0.005


def say(node: NodeAccess, old: Sequence[FrrLine], new: Sequence[FrrLine]) -> list[str]:
    """Bring eigrpd from one config to another; what it did not take."""
    if list(old) == list(new):
        return []
    if old:
        processes.restart(node, DAEMON)
    if not new:
        return []
    _await_interfaces(node, {line.path[0].split()[1] for line in new if line.path[0].startswith("interface ")})
    text, status = node.vty([(DAEMON, "\0".join(_script(new)))])[0]
    return (
        [f"{node.name}: {DAEMON} did not take all of its config: {text.strip() or f'status {status}'}"]
        if status
        else []
    )


def _await_interfaces(node: NodeAccess, names: set[str]) -> None:
    """Wait until zebra has told it of the interfaces: lines about others are refused."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        answer = node.vty([(DAEMON, _KNOWN)])[0][0]
        start = answer.find("{")
        found = json.loads(answer[start:]) if start >= 0 else {}
        entries = (found.get("frr-interface:lib") or {}).get("interface", ())
        if names <= {entry["name"] for entry in entries if "if-index" in (entry.get("state") or {})}:
            return
        time.sleep(_LOOK_EVERY_S)


def _script(lines: Sequence[FrrLine]) -> Iterator[str]:
    at: tuple[str, ...] | None = None
    for line in lines:
        if line.path[:-1] != at:
            at = line.path[:-1]
            yield from ("end", "configure terminal", *at)
        yield line.path[-1]
    yield "end"
