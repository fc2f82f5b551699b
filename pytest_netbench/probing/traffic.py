"""Traffic: flows of a given rate and marking, and what arrives of them.

One process sends and receives all flows, on one clock. A datagram has arrived when the kernel took it, not when this
process read it. It is designed for rates of up to some ten Mbit/s. Standard library only.
"""

from __future__ import annotations

import contextlib
import ipaddress
import selectors
import socket
import struct
import time
from typing import Any

from pytest_netbench.probing.arrivals import Arrivals
from pytest_netbench.probing.sockets import Sockets, mark

_STAMP = struct.Struct("!Qd")
# What the kernel says of the moment at which a datagram came: seconds and nanoseconds of the clock that people set.
_TIMESTAMPNS = 35
_KERNEL_STAMP = struct.Struct("qq")
_ANCILLARY = socket.CMSG_SPACE(_KERNEL_STAMP.size)
_LATEST_READ_S = 10.0
# If nothing else is asked for, the first quarter fills queues and buckets; what is measured is the steady rest.
_WARM_UP = 0.25
_LATEST = 0.02
_BURST = 64
# What still waits in queues would disturb whoever measures next. While a queue is served, packets of some flow arrive;
# what has not arrived when none does any more was dropped.
_QUIET_S = 0.05
_DRAIN_S = 1.5


class _Flow:
    """One flow: its sender, its receiver, and its counts inside the measured window."""

    def __init__(self, spec: dict[str, Any], target: str, sockets: Sockets) -> None:
        self.version = ipaddress.ip_address(target).version
        self.tcp = spec["protocol"] == "tcp"
        self.overhead = (20 if self.version == 4 else 40) + (20 if self.tcp else 8)
        self.payload = spec["packet_bytes"] - self.overhead
        self.interval = spec["packet_bytes"] * 8 / spec["rate_bps"]
        self.burst: int = spec.get("burst_packets", 1)
        self.receiver = sockets.open(spec["target"], spec["protocol"], self.version)
        self.receiver.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.receiver.bind(("", spec["port"]))
        self.sender = sockets.open(spec["source"], spec["protocol"], self.version)
        mark(self.sender, self.version, spec["dscp"])
        if spec["source_address"]:
            self.sender.bind((spec["source_address"], 0))
        if self.tcp:
            self.receiver.listen(1)
        else:
            self.receiver.setsockopt(socket.SOL_SOCKET, _TIMESTAMPNS, 1)
        self.address = (target, spec["port"])
        with contextlib.suppress(BlockingIOError, OSError):
            self.sender.connect(self.address)
        self.next_send = 0.0
        self.sequence = 0
        self.sent = self.received = self.sent_bytes = self.received_bytes = 0
        self.delay_s = 0.0
        self.arrivals = Arrivals(self.interval)
        self.arrived = 0

    @property
    def is_complete(self) -> bool:
        """Whether its last packet has arrived. That of a stream is not known."""
        return self.tcp or self.arrived >= self.sequence

    def close(self) -> None:
        self.sender.close()
        self.receiver.close()


def _due(flow: _Flow) -> float:
    return flow.next_send


def _came(ancillary: list[tuple[int, int, bytes]]) -> float:
    """When a datagram came, by the clock of its sender."""
    now = time.monotonic()
    for _, kind, data in ancillary:
        if kind == _TIMESTAMPNS and len(data) == _KERNEL_STAMP.size:
            seconds, nanoseconds = _KERNEL_STAMP.unpack(data)
            waited_s = (time.time_ns() - (seconds * 1_000_000_000 + nanoseconds)) / 1e9
            return now - waited_s if 0 < waited_s < _LATEST_READ_S else now
    return now


class Traffic:
    """Runs a set of flows once."""

    def __init__(self, sockets: Sockets, request: dict[str, Any]) -> None:
        measured, warmup = float(request["duration_s"]), request.get("warmup_s")
        self._warmup_s = _WARM_UP * measured if warmup is None else float(warmup)
        self._duration = measured if warmup is None else self._warmup_s + measured
        self._flows = [
            _Flow(spec, target, sockets) for spec, target in zip(request["flows"], request["targets"], strict=True)
        ]
        self._selector = selectors.DefaultSelector()
        self._began_s = self._open_s = self._close_s = self._stalled_s = 0.0

    def run(self) -> list[dict[str, Any]]:
        """Offer all flows for the duration; reports in order."""
        for flow in self._flows:
            handler = self._accept if flow.tcp else self._receive
            self._selector.register(
                flow.receiver, selectors.EVENT_READ, lambda flow=flow, handler=handler: handler(flow)
            )
        start = self._began_s = time.monotonic()
        self._open_s, self._close_s = start + self._warmup_s, start + self._duration
        for number, flow in enumerate(self._flows):
            # Not all in the same instant: flows of equal rate would otherwise meet a queue in lockstep.
            # Bursts are meant to meet.
            flow.next_send = start + (flow.interval * number / len(self._flows) if flow.burst == 1 else 0.0)
        now = due = start
        while now < self._close_s:
            self._offer(now)
            due = min(self._close_s, *(flow.next_send for flow in self._flows))
            for key, _ in self._selector.select(max(0.0, due - time.monotonic())):
                key.data()
            now = time.monotonic()
            self._stalled_s = max(self._stalled_s, now - due)
        self._drain()
        return [self._report(flow) for flow in self._flows]

    def _drain(self) -> None:
        latest = time.monotonic() + _DRAIN_S
        while not all(flow.is_complete for flow in self._flows):
            now = time.monotonic()
            if now >= min(latest, _QUIET_S + max(self._close_s, *(flow.arrivals.last for flow in self._flows))):
                return
            for key, _ in self._selector.select(_QUIET_S / 4):
                key.data()

    def _offer(self, now: float) -> None:
        """Send what is due, in the order in which it is due, so that no flow is always the first at a full queue."""
        for _ in range(_BURST * len(self._flows)):
            flow = min(self._flows, key=_due)
            if flow.next_send > now:
                return
            # A stalled machine must not be made up for by a burst.
            flow.next_send = max(flow.next_send + flow.interval * flow.burst, now - _LATEST)
            for _ in range(flow.burst):
                self._send(flow, now)

    def _send(self, flow: _Flow, now: float) -> None:
        if self._open_s <= now < self._close_s:
            flow.sent += 1
            flow.sent_bytes += flow.payload + flow.overhead
        flow.sequence += 1
        data = _STAMP.pack(flow.sequence, now).ljust(flow.payload, b"\0")
        with contextlib.suppress(BlockingIOError, OSError):
            flow.sender.send(data)

    def _receive(self, flow: _Flow) -> None:
        for _ in range(_BURST):
            try:
                data, ancillary, *_ = flow.receiver.recvmsg(2048, _ANCILLARY)
            except OSError:
                return
            if len(data) < _STAMP.size:
                continue
            sequence, sent_s = _STAMP.unpack_from(data)
            if sent_s < self._began_s:
                continue  # of a run before this one: it has waited in a queue
            flow.arrived = sequence
            came = max(flow.arrivals.last, _came(ancillary))
            if self._count(flow, came, 1, len(data) + flow.overhead):
                flow.delay_s += came - sent_s

    def _accept(self, flow: _Flow) -> None:
        with contextlib.suppress(OSError):
            connection, _ = flow.receiver.accept()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, lambda: self._receive_stream(flow, connection))

    def _receive_stream(self, flow: _Flow, connection: socket.socket) -> None:
        try:
            data = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(connection)
            connection.close()
        else:
            packets = -(-len(data) // flow.payload)
            self._count(flow, time.monotonic(), packets, len(data) + packets * flow.overhead)

    def _count(self, flow: _Flow, came: float, packets: int, size: int) -> bool:
        """Count what came; returns whether it was in the measured time."""
        flow.arrivals.add(came, size)
        measured = self._open_s <= came < self._close_s
        if measured:
            flow.received += packets
            flow.received_bytes += size
        return measured

    def _report(self, flow: _Flow) -> dict[str, Any]:
        flow.close()
        window = self._close_s - self._open_s
        even = flow.burst == 1
        size = flow.arrivals.between(self._open_s, self._close_s) if even else flow.received_bytes
        return {
            "offered_bps": flow.sent_bytes * 8 / window,
            "received_bps": size * 8 / window,
            "sent_packets": flow.sent,
            "received_packets": flow.received,
            "mean_delay_ms": None if flow.tcp or not flow.received else flow.delay_s / flow.received * 1000,
            "stalled_s": self._stalled_s,
        }
