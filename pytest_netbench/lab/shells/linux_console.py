"""Probes from the shell of a Linux host, by the programs that it has."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.probing import Hop, Probe
from pytest_netbench.lab.shells import hostside, onhost, pinging
from pytest_netbench.lab.shells.consoles import Accepted, Heard, Port
from pytest_netbench.lab.shells.node import ShellNode

_SLACK_S = 20.0
_LIFETIME_S = 600
_READY_S = 60.0  # a host that is emulated starts a program slowly
_PAUSE_S = 0.02
_FRESH_S = 1.0
_SHOWN = 3
_LOOK = """
for name in ping python3 traceroute; do command -v $name >/dev/null && echo $name; done
ping -Q 0 -c 1 -W 1 127.0.0.1 >/dev/null 2>&1 && echo marks
ping -W 0.5 -c 1 127.0.0.1 >/dev/null 2>&1 && echo fractions
true
"""
_HOP = re.compile(r"^\s*\d+\s+(\S+)", re.MULTILINE)
_ADDRESS = re.compile(r"inet6? ([0-9a-fA-F:.]+)/.* scope global")


class LinuxConsole:
    """Implements ``consoles.Console``.

    Args:
        node: The host.
    """

    def __init__(self, node: ShellNode) -> None:
        self._node = node
        self._addresses: tuple[float, tuple[str, ...]] = (-math.inf, ())

    @cached_property
    def _has(self) -> frozenset[str]:
        return frozenset(self._node.run(["sh", "-c", _LOOK]).stdout.split())

    def lacks(self, probe: Probe) -> str | None:
        needed = "ping" if probe.protocol == "icmp" else "python3"
        if needed not in self._has:
            return f"{self._node.name} has no {needed}"
        if probe.protocol == "icmp" and probe.dscp and "marks" not in self._has:
            return f"the ping of {self._node.name} cannot mark packets"
        if probe.source_address is not None and probe.source_address not in self.addresses():
            return f"{self._node.name} does not have the source address {probe.source_address}"
        return None

    def cannot_listen(self, probe: Probe) -> str | None:  # it listens for all or none
        return None if "python3" in self._has else f"{self._node.name} has no python3"

    def listen(self, ports: Sequence[Port]) -> LinuxListeners:
        return LinuxListeners(self._node, ports)

    def send(self, probes: Sequence[Probe], tries: Sequence[int]) -> list[Heard]:
        echoes = [place for place, probe in enumerate(probes) if probe.protocol == "icmp"]
        others = [place for place, probe in enumerate(probes) if probe.protocol != "icmp"]
        found: dict[int, Heard] = {}
        if echoes:
            found.update(self._pinged(probes, tries, echoes))
        if others:
            found.update(self._connected(probes, tries, others))
        return [found[place] for place in range(len(probes))]

    def _pinged(self, probes: Sequence[Probe], tries: Sequence[int], places: Sequence[int]) -> dict[int, Heard]:
        script = pinging.script(
            [(probes[place], tries[place]) for place in places], takes_fractions="fractions" in self._has
        )
        limit_s = sum((max(probes[place].timeout_s, 1) + 1) * tries[place] for place in places) + _SLACK_S
        done = self._node.run(["sh", "-c", script], timeout_s=limit_s)
        answers = pinging.split(done.stdout)
        if len(answers) != len(places):
            raise LabError(f"{self._node.name}: its pings did not end: {done.stderr.strip()}")
        return dict(zip(places, map(pinging.heard, answers), strict=True))

    def _connected(self, probes: Sequence[Probe], tries: Sequence[int], places: Sequence[int]) -> dict[int, Heard]:
        given = [
            {**asdict(probes[place]), "tries": tries[place], "asks": probes[place].listen_on is not None}
            for place in places
        ]
        limit_s = sum(probes[place].timeout_s * tries[place] for place in places) + _SLACK_S
        done = self._node.run(["python3", "-c", onhost.SENDER], input=json.dumps(given), timeout_s=limit_s)
        if done.returncode:
            raise LabError(f"{self._node.name}: its probes failed: {done.stderr.strip()[-300:]}")
        return {
            place: Heard(
                answer_ms=one.get("ms"),
                complaint=one.get("why", ""),
                tries=one["tries"],
                token=one["token"],
                sent="cannot be used" not in one.get("why", ""),
            )
            for place, one in zip(places, json.loads(done.stdout), strict=True)
        }

    def path(self, target: str, *, max_hops: int, timeout_s: float) -> list[Hop]:
        if "traceroute" not in self._has:
            raise RequirementMissing(f"{self._node.name} has no traceroute")
        wait_s = f"{timeout_s:g}" if "fractions" in self._has else f"{max(1, round(timeout_s))}"
        argv = ["traceroute", "-n", "-q", "1", "-w", wait_s, "-m", str(max_hops), target]
        done = self._node.run(argv, timeout_s=max_hops * max(timeout_s, 1) + _SLACK_S)
        hops = [Hop(address=None if word == "*" else word) for word in _HOP.findall(done.stdout)]
        while hops and hops[-1].address is None:
            hops.pop()
        return hops

    def addresses(self) -> tuple[str, ...]:
        """As the protocol says; what was read a moment ago is not read again, since each of many probes may ask."""
        read_at, known = self._addresses
        if time.monotonic() - read_at > _FRESH_S:
            known = self._read_addresses()
            self._addresses = time.monotonic(), known
        return known

    def _read_addresses(self) -> tuple[str, ...]:
        done = self._node.run(["ip", "-o", "address", "show"])
        order = {name: place for place, name in enumerate(self._node.interfaces)}
        found = []
        for line in done.stdout.splitlines():
            if match := _ADDRESS.search(line):
                interface = line.split()[1].partition("@")[0]
                known = match[1]
                if (interface in order or not order) and not known.startswith("127."):
                    found.append((":" in known, order.get(interface, 0), known))
        return tuple(known for *_, known in sorted(found, key=lambda one: one[:2]))


class LinuxListeners:
    """Implements ``consoles.Listeners`` by one program on the host."""

    def __init__(self, node: ShellNode, ports: Sequence[Port]) -> None:
        self._node = node
        self._ports = ports
        self._name = f"listener-{hostside.number()}"
        node.start(["python3", "-c", onhost.LISTENER, json.dumps(ports), str(_LIFETIME_S)], name=self._name)
        said = poll(self._lines, until=_is_ready, within_s=_READY_S, pause_s=_PAUSE_S)
        if not _is_ready(said):
            where = ", ".join(f"{one.protocol} port {one.number}" for one in ports[:_SHOWN])
            raise LabError(f"{node.name}: nothing listens on {where}: {node.log(self._name).strip()}")
        self._pid = next(one["pid"] for one in said if "pid" in one)
        self.occupied = frozenset(ports[int(str(one["occupied"]))] for one in said if "occupied" in one)

    def _lines(self) -> list[dict[str, object]]:
        text = self._node.log(self._name)
        return [
            json.loads(line) for line in text.splitlines(keepends=True) if line.startswith("{") and line[-1] == "\n"
        ]

    def accepted(self) -> dict[Port, dict[str, Accepted]]:
        found: dict[Port, dict[str, Accepted]] = {one: {} for one in self._ports}
        for one in self._lines():
            if "token" in one:
                arrival = Accepted(source=str(one["source"]), dscp=one.get("dscp"))  # type: ignore[arg-type]
                found[self._ports[int(str(one["at"]))]][str(one["token"])] = arrival
        return found

    def close(self) -> None:
        self._node.run(["kill", str(self._pid)])


def _is_ready(said: Sequence[dict[str, object]]) -> bool:
    return any("pid" in one for one in said)
