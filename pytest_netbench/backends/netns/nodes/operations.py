"""Operations on a netns node: signals to its daemons, their logs, its interface counters."""

from __future__ import annotations

import base64
import json
import socket
import struct
from collections.abc import Callable, Mapping, Sequence

from pytest_netbench.backends.netns.channel import Channel
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import WHOLE_PACKETS, InterfaceCounters

_STOP, _CONT = 19, 18
_SLACK_S = 10.0
_PCAP_HEAD, _PCAP_LENGTH = 24, 4
_PCAP_RECORD = struct.Struct("=III")
"""Seconds, microseconds and kept bytes; the length of the frame follows."""


class NetnsSignals:
    """Implements ``frr.control.Signals`` and ``capabilities.ProgramControl`` of platforms over the lab's supervisor."""

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def running(self) -> dict[str, bool]:
        return dict(self._channel.call("daemons", node=self._node)["running"])

    def signal(self, program: str, number: int) -> bool:
        freezes = {_STOP: True, _CONT: False}.get(number)
        answer = self._channel.call("signal", node=self._node, daemon=program, signal=number, freezes=freezes)
        return bool(answer["sent"])

    def throttle(self, program: str, *, stopped_s: float, running_s: float) -> None:
        answer = self._channel.call(
            "throttle", node=self._node, daemon=program, stopped_s=stopped_s, running_s=running_s
        )
        if not answer["runs"]:
            raise LabError(f"{self._node}: {program} does not run")

    def throttle_all(self, *, stopped_s: float, running_s: float) -> None:
        self._channel.call("throttle", node=self._node, daemon=None, stopped_s=stopped_s, running_s=running_s)


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


class NetnsSockets:
    """Implements ``platforms.capabilities.NetworkSockets`` over the lab's supervisor."""

    def __init__(self, channel: Channel, node: str) -> None:
        self._channel = channel
        self._node = node

    def tcp_socket(self) -> socket.socket:
        _, descriptor = self._channel.call_for_fd("socket", node=self._node)
        return socket.socket(fileno=descriptor)


class NetnsCounters:
    """Implements ``platforms.capabilities.Counters`` by what the kernel counts.

    Args:
        channel: To the lab's supervisor.
        node: The node.
        kernel_name: The kernel's name of one of its interfaces.
    """

    def __init__(self, channel: Channel, node: NodeAccess, kernel_name: Callable[[str], str]) -> None:
        self._channel = channel
        self._node = node
        self._kernel_name = kernel_name

    def counters(self) -> Mapping[str, InterfaceCounters]:
        text = self._channel.call("counters", node=self._node.name)["text"]
        lines = (line.partition(":") for line in text.splitlines() if ":" in line)
        known = {name.strip(): [int(word) for word in words.split()] for name, _, words in lines}
        return {
            name: _counters(known[kernel])
            for name in self._node.interfaces
            if (kernel := self._kernel_name(name)) in known
        }


class NetnsCaptures:
    """Implements ``platforms.capabilities.PacketCapture`` over the lab's supervisor.

    Args:
        channel: To the lab's supervisor.
        node: The node.
        kernel_name: The kernel's name of one of its interfaces.
        date_of: The date in the lab at a moment of the wall, both in seconds since 1970.
    """

    def __init__(
        self,
        channel: Channel,
        node: NodeAccess,
        kernel_name: Callable[[str], str],
        date_of: Callable[[float], float],
    ) -> None:
        self._channel = channel
        self._node = node
        self._kernel_name = kernel_name
        self._date_of = date_of

    def capture(
        self, interface: str, *, program: bytes, packets: int, duration_s: float, snapped: int = WHOLE_PACKETS
    ) -> bytes:
        if interface not in self._node.interfaces:
            raise LabError(f"{self._node.name} has no interface {interface!r}")
        answer = self._channel.call(
            "capture",
            node=self._node.name,
            interface=self._kernel_name(interface),
            program=program.hex(),
            packets=packets,
            duration_s=duration_s,
            snapped=snapped,
            timeout_s=duration_s + _SLACK_S,
        )
        return _dated(base64.b64decode(json.loads(answer["result"])), self._date_of)


def _dated(pcap: bytes, date_of: Callable[[float], float]) -> bytes:
    """A pcap file with the lab's dates."""
    found, at = bytearray(pcap), _PCAP_HEAD
    while at < len(found):
        seconds, micros, kept = _PCAP_RECORD.unpack_from(found, at)
        date = round(date_of(seconds + micros / 1e6) * 1e6)
        _PCAP_RECORD.pack_into(found, at, date // 10**6, date % 10**6, kept)
        at += _PCAP_RECORD.size + _PCAP_LENGTH + kept
    return bytes(found)


def _counters(columns: Sequence[int]) -> InterfaceCounters:
    """The columns of ``/proc/net/dev``: bytes, packets, errors, drops and four more, received and then sent."""
    received, sent = columns[:4], columns[8:12]
    return InterfaceCounters(
        received_packets=received[1],
        received_bytes=received[0],
        received_errors=received[2],
        received_drops=received[3],
        sent_packets=sent[1],
        sent_bytes=sent[0],
        sent_errors=sent[2],
        sent_drops=sent[3],
    )
