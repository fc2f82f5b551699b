"""Frames on a wire of a lab: sent and caught in a node, decoded by tcpdump on the host."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Sequence
from typing import Any

_SCRIPT = """
import select, socket, sys, time
interface, port, count, seconds, *frames = sys.argv[1:]
tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
tap.bind((interface, 3))
for frame in frames:
    tap.send(bytes.fromhex(frame))
left, end = int(count), time.monotonic() + float(seconds)
while left and (wait := end - time.monotonic()) > 0 and select.select([tap], [], [], wait)[0]:
    data, sender = tap.recvfrom(65535)
    kinds = ("-", f"{sender[1]:#06x}", f"ip{data[23]}" if sender[1] == 0x800 else "")
    if sender[2] != socket.PACKET_OUTGOING and port in kinds:
        print(data.hex())
        left -= 1
"""


def frames(
    node: Any, interface: str, what: str = "-", *, count: int = 1, seconds: float = 5.0, send: Sequence[bytes] = ()
) -> list[bytes]:
    """Send the frames ``send`` and return what arrives on ``interface``.

    ``what`` selects them: ``-`` anything, ``0x0806`` an Ethernet type, ``ip17`` an IP protocol.
    """
    words = [interface, what, str(count), str(seconds), *(frame.hex() for frame in send)]
    done = node.run(["/usr/bin/python3", "-I", "-S", "-c", _SCRIPT, *words], timeout_s=seconds + 10)
    assert done.returncode == 0, done.stderr
    return [bytes.fromhex(line) for line in done.stdout.split()]


def decoded(caught: Sequence[bytes]) -> str:
    """What tcpdump says of frames."""
    pcap = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for frame in caught:
        pcap += struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    return subprocess.run(
        ["/usr/bin/tcpdump", "-nvver", "-"], input=pcap, capture_output=True, check=True
    ).stdout.decode()
