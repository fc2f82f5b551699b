"""Packets of an interface as a pcap file. Standard library only."""

from __future__ import annotations

import base64
import select
import socket
import struct
import time
from collections.abc import Callable
from typing import Any

from pytest_netbench.probing import filters
from pytest_netbench.probing.networks import Networks

_ALL, _SOL_PACKET, _PACKET_AUXDATA = 0x0003, 263, 8
_AUXDATA = struct.Struct("=IIIHHHH")
_VLAN_VALID, _VLAN_TPID_VALID = 0x10, 0x40
_DOT1Q = 0x8100
_ETHERNET = 1
_WHOLE = 65_535
_ADDRESSES = 12


def capture(
    networks: Networks, request: dict[str, Any], *, ready: Callable[[], None] | None = None, stop: int | None = None
) -> str:
    """Return what passes an interface of a node until there is enough of it or the time is over, in base64.

    Args:
        networks: The networks of the nodes.
        request: What to capture.
        ready: Called when nothing passes uncaptured any more.
        stop: A descriptor: the time is also over when it can be read.

    Raises:
        OSError: There is no such interface, or the kernel refuses the filter.
    """
    with networks.inside(request["node"]):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    with sock:
        # nothing is received before it is bound to a protocol, so nothing passes the filter by
        filters.attach(sock, bytes.fromhex(request["program"]))
        sock.setsockopt(_SOL_PACKET, _PACKET_AUXDATA, 1)
        sock.bind((request["interface"], _ALL))
        if ready is not None:
            ready()
        snapped = request["snapped"]
        parts = [struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snapped, _ETHERNET)]
        ends_at = time.monotonic() + request["duration_s"]
        for _ in range(request["packets"]):
            if (frame := _received(sock, ends_at, stop)) is None:
                break
            now = time.time_ns() // 1000
            parts += [
                struct.pack("=IIII", now // 10**6, now % 10**6, len(frame[:snapped]), len(frame)),
                frame[:snapped],
            ]
    return base64.b64encode(b"".join(parts)).decode()


def _received(sock: socket.socket, ends_at: float, stop: int | None) -> bytes | None:
    """The next frame, with the tag that the kernel took off; ``None`` if the time is over."""
    left = ends_at - time.monotonic()
    if left <= 0:
        return None
    if stop is not None and sock.fileno() not in select.select([sock.fileno(), stop], [], [], left)[0]:
        return None
    sock.settimeout(left)
    try:
        frame, extras, _, _ = sock.recvmsg(_WHOLE, socket.CMSG_SPACE(_AUXDATA.size))
    except TimeoutError:
        return None
    for level, kind, data in extras:
        if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA) and len(data) >= _AUXDATA.size:
            status, _, _, _, _, tag, ethertype = _AUXDATA.unpack(data[: _AUXDATA.size])
            if status & _VLAN_VALID:
                tagged = struct.pack("!HH", ethertype if status & _VLAN_TPID_VALID else _DOT1Q, tag)
                return frame[:_ADDRESSES] + tagged + frame[_ADDRESSES:]
    return frame
