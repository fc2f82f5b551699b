"""Operations on a netns node: signals to its daemons, their logs, its interface counters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import InterfaceCounters

_STOP, _CONT = 19, 18


class NetnsSignals:
    """Implements ``platforms.frr.control.Signals`` over the lab's supervisor."""

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def running(self) -> dict[str, bool]:
        return dict(self._channel.call("daemons", node=self._node)["running"])

    def signal(self, daemon: str, number: int) -> bool:
        freezes = {_STOP: True, _CONT: False}.get(number)
        answer = self._channel.call("signal", node=self._node, daemon=daemon, signal=number, freezes=freezes)
        return bool(answer["sent"])


class NetnsLogs:
    """Implements ``platforms.capabilities.DaemonLogs`` over the lab's supervisor."""

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def log(self, daemon: str) -> str:
        text = self._channel.call("log", node=self._node, daemon=daemon)["text"]
        if text is None:
            raise LabError(f"{self._node}: no daemon {daemon!r} was started, so it has no log")
        return str(text)


class NetnsCounters:
    """Implements ``platforms.capabilities.Counters`` by what the kernel counts.

    Args:
        node: The node.
        kernel_name: The kernel's name of one of its interfaces.
    """

    def __init__(self, node: NodeAccess, kernel_name: Callable[[str], str]) -> None:
        self._node = node
        self._kernel_name = kernel_name

    def counters(self) -> Mapping[str, InterfaceCounters]:
        done = self._node.run(["ip", "-j", "-s", "link", "show"])
        if done.returncode:
            raise LabError(f"{self._node.name}: interface counters could not be read: {done.stderr.strip()}")
        known = {link["ifname"]: link.get("stats64") or {} for link in json.loads(done.stdout or "[]")}
        return {
            name: _counters(known[kernel])
            for name in self._node.interfaces
            if (kernel := self._kernel_name(name)) in known
        }


def _counters(stats: Mapping[str, Any]) -> InterfaceCounters:
    received, sent = stats.get("rx") or {}, stats.get("tx") or {}
    return InterfaceCounters(
        received_packets=received.get("packets", 0),
        received_bytes=received.get("bytes", 0),
        received_errors=received.get("errors", 0),
        received_drops=received.get("dropped", 0),
        sent_packets=sent.get("packets", 0),
        sent_bytes=sent.get("bytes", 0),
        sent_errors=sent.get("errors", 0),
        sent_drops=sent.get("dropped", 0),
    )
