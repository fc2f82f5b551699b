"""Apply FRR's part of a desired state: start daemons when first needed, configure them over their own vty sockets."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.cisco_ios.compile.state import LAST_ENTRY, POLICY, FrrLine, FrrState, Path
from pytest_netbench.platforms.frr import daemons, processes

_SUCCESS = 0
# see docs/adr/0055
_ENV = {
    "bgpd": {"NETBENCH_PRELOADED": "hostroutes.so redistribution.so"},
    "ospfd": {"NETBENCH_PRELOADED": "forwarding.so externals.so adjacencies.so"},
}
_LONGEST_WAIT_S = 0.05
_LOOK_EVERY_S = 0.002  # FRR tells nobody of an unlocked configuration or an installed route
_LONGEST_LOCK_S = 10.0
# mgmtd accepts one change at a time, and none while it configures a daemon that has just connected
OPTIONS = ("--log-level", "errors")
"""Options of every daemon. ``_STAMPS`` opens the same log again with finer time stamps, for all other messages."""
_STAMPS = ("enable", "configure terminal", "log timestamp precision 3", "log file /proc/self/fd/1 debugging", "end")
_LOCKED = "could not lock"
_MGMTD = "mgmtd"
_FLOW = re.compile(r"(no )?(on-match|call)\b")
_ORDER = (_MGMTD, "zebra", "staticd")
# FRR version since which mgmtd configures these daemons
_FRONTED = {(10, 0): ("staticd",), (10, 1): ("zebra", "ripd", "ripngd")}


def apply(node: HostedNode, old: FrrState, new: FrrState) -> list[str]:
    """Configure what changed in each daemon; start daemons that are needed and do not run."""
    running = processes.running(node)
    problems: list[str] = []
    missing = sorted(new.daemons - running - set(daemons.installed()))
    problems += [f"{node.name}: this FRR has no {name}" for name in missing]
    starting = sorted(new.daemons - running - set(missing))
    if starting:
        processes.start(node, starting, running=running, options=dict.fromkeys(starting, OPTIONS), env=_ENV)
        for daemon in starting:
            stamp_events(node, daemon)
    for daemon in sorted({*running, *starting}, key=lambda name: (_ORDER.index(name) if name in _ORDER else 9, name)):
        if speaker_of(daemon) != daemon:
            continue
        known = FrrState() if daemon in starting else old
        changes = list(difference(_lines(known, daemon), _lines(new, daemon)))
        changes += signals(changes)
        problems += _say(node, daemon, changes)
        if daemon in {_MGMTD, "staticd"} and changes:
            _await_static(node, [line for _, line in changes])
    return problems


def stamp_events(node: HostedNode, daemon: str) -> None:
    """Let a daemon write milliseconds to its log, so that events of several daemons are in order."""
    for line in _STAMPS:
        _ask(node, daemon, line)


def _lines(state: FrrState, daemon: str) -> list[FrrLine]:
    """Return the lines for ``daemon``. mgmtd gets those of all daemons that it configures, as they share lists."""
    spoken_for = [name for names in _FRONTED.values() for name in names if speaker_of(name) == daemon]
    return [line for name in dict.fromkeys((*spoken_for, daemon)) for line in state.of(name)]


def _await_static(node: HostedNode, lines: Sequence[str]) -> None:
    """Wait until changed static routes are in the routing table, as they are immediately on a device.

    A route with an unknown next hop never gets there, so the wait is short in any case.
    """
    words = [line.split() for line in lines]
    wanted = {one[2] for one in words if one[:2] == ["ip", "route"] and len(one) > 2}
    gone = {one[3] for one in words if one[:3] == ["no", "ip", "route"] and len(one) > 3} - wanted
    latest = time.monotonic() + _LONGEST_WAIT_S
    while (wanted or gone) and time.monotonic() < latest:
        known = _static(node)
        if wanted <= known and not gone & known:
            return
        time.sleep(_LOOK_EVERY_S)


def _static(node: HostedNode) -> set[str]:
    text = node.vty([("zebra", "show ip route static json")])[0][0]
    return set(json.loads(text[text.find("{") :])) if "{" in text else set()


def difference(old: Sequence[FrrLine], new: Sequence[FrrLine]) -> Iterator[tuple[Path, str]]:
    """Return the (section, line) pairs to type: removals first, in reverse order.

    A removed section removes its lines.
    """
    had, has = _by_place(old), _by_place(new)
    gone = {line.path for place, line in had.items() if place not in has}
    # filters first: a daemon that removes its process and filters at once uses deleted lists and crashes
    last_first = list(reversed(had.items()))
    for place, line in sorted(last_first, key=lambda item: not _is_filter(item[1])):
        inside = any(line.path[:depth] in gone for depth in range(1, len(line.path)))
        if place in has or (inside and not _is_filter(line)):
            continue
        if _undo(line):
            yield line.path[:-1], _undo(line)
    for place, line in has.items():
        before = had.get(place)
        again = any(line.path[:depth] in gone for depth in range(1, len(line.path)))
        if before is None or before.path != line.path or again:
            if before is not None and not again and _is_shorter(line, before):
                yield before.path[:-1], _undo(before)
            yield line.path[:-1], line.path[-1]


def _is_shorter(line: FrrLine, before: FrrLine) -> bool:
    """Whether a line replaces one with more options, of which daemons keep those that it does not name."""
    return bool(_undo(before)) and len(line.path[-1].split()) < len(before.path[-1].split())


def _undo(line: FrrLine) -> str:
    if line.undo is not None:
        return line.undo
    text = line.path[-1]
    return text.removeprefix("no ") if text.startswith("no ") else f"no {text}"


def signals(changes: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """Return lines that let users of a route map look at it again after a change of its flow.

    FRR signals changed clauses and entries, but not ``on-match`` and ``call`` (FRR pull request 13993). A last entry
    that denies, as the end of every map does, changes nothing.
    """
    flows = [section[-1] for section, line in changes if section and _FLOW.match(line)]
    for name in dict.fromkeys(opening.split()[1] for opening in flows if opening.startswith("route-map ")):
        yield (), f"route-map {name} deny {LAST_ENTRY}"
        yield (), f"no route-map {name} deny {LAST_ENTRY}"


def _is_filter(line: FrrLine) -> bool:
    return line.path[-1].startswith("distribute-list ")


def _by_place(lines: Sequence[FrrLine]) -> dict[tuple[Path, str], FrrLine]:
    return {(line.path[:-1], line.key or line.path[-1]): line for line in lines}


def _say(node: HostedNode, daemon: str, changes: Sequence[tuple[Path, str]]) -> list[str]:
    if not changes:
        return []
    script: list[tuple[str, bool]] = [("end", False), ("enable", False), ("configure terminal", False)]
    at: Path = ()
    for section, line in changes:
        if section != at:
            script += [("end", False), ("configure terminal", False), *((step, True) for step in section)]
            at = section
        script.append((line, True))
    script.append(("end", False))
    answers = [_ask(node, daemon, line) for line, _ in script]
    return [
        f"{node.name}: {daemon} did not take {line!r}: {text.strip() or f'status {status}'}"
        for (line, matters), (text, status) in zip(script, answers, strict=True)
        if matters and status != _SUCCESS
    ]


def _ask(node: HostedNode, daemon: str, line: str) -> tuple[str, int]:
    latest = time.monotonic() + _LONGEST_LOCK_S
    while True:
        text, status = node.vty([(daemon, line)])[0]
        if status == _SUCCESS or _LOCKED not in text or time.monotonic() > latest:
            return text, status
        time.sleep(_LOOK_EVERY_S)


def speaker_of(daemon: str) -> str:
    """Return the daemon that takes the config of ``daemon``: since FRR 10, mgmtd does so for some."""
    version = tuple(int(part) for part in (daemons.version() or "0").split(".")[:2] if part.isdigit())
    fronted = {name for since, names in _FRONTED.items() if version >= since for name in names}
    return _MGMTD if daemon in fronted else daemon


__all__ = ["OPTIONS", "POLICY", "apply", "difference", "speaker_of", "stamp_events"]
