"""Packet captures on request, with filters and texts of tcpdump."""

from __future__ import annotations

import base64
import math
import re
import shutil
import struct
import subprocess
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Final

from pytest_netbench.ani.family_methods import FamilyMethod
from pytest_netbench.ani.unresponsive import await_answer
from pytest_netbench.errors import AniError, LabError
from pytest_netbench.families.diagnose.measuring import (
    CAPTURE_PACKETS,
    CAPTURE_PACKETS_SPEC,
    CapturePacketsParams,
    CapturePacketsResult,
)
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turn_access import at_usual_pace
from pytest_netbench.lab.turns import LONGEST_FORWARD_S
from pytest_netbench.platforms.capabilities import CAPTURES, COUNTERS, EXEC
from pytest_netbench.rpccodes import Code

_LONGEST_TEXT: Final = 100_000
_SNAPPED: Final = 256
"""Bytes that are kept of a packet: all headers."""
# the words of an agent are an argument of the shell, never a part of its script
_COMPILE: Final = 'exec tcpdump -ddd -y EN10MB -- "$1"'
_READ: Final = ("tcpdump", "-nn", "-e", "-ttttt", "-r", "-")
_CONTINUED: Final = re.compile(r"\n\s+(?!\d\d:\d\d:\d\d\.)")
"""What tcpdump says of a packet in further lines is indented, and has no time."""
_READ_S: Final = 10.0


class Captures:
    """Answers ``capture-packets``.

    Args:
        lab: The network.
        interfaces: By node that can be looked at: its interfaces.
    """

    def __init__(self, lab: Lab, interfaces: Mapping[str, tuple[str, ...]]) -> None:
        self._lab = lab
        self._interfaces = interfaces

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that can be looked at."""
        return tuple(self._interfaces)

    @property
    def method(self) -> FamilyMethod:
        """What is offered to the agent."""
        return FamilyMethod(
            spec=CAPTURE_PACKETS_SPEC,
            params=CapturePacketsParams,
            answer=self._capture,
            lab_s=lambda params: params.lab_s,
        )

    def _capture(self, params: CapturePacketsParams) -> CapturePacketsResult:
        for value, known in ((params.node, [*self._interfaces]), (params.interface, self._of(params.node))):
            if value not in known:
                raise _wrong(f"{value!r} is not known (known: {', '.join(known)})")
        await_answer(self._lab, params.node, CAPTURE_PACKETS)
        if params.interface not in self._lab.nodes[params.node].capability(COUNTERS).counters():
            raise _wrong(f"{params.node} has no interface {params.interface} at present")
        if shutil.which(_READ[0]) is None:
            raise LabError("capture-packets needs tcpdump; fix: apt-get install tcpdump")
        found = self._captured(params, self._compiled(params))
        text = _read(found, verbose=params.verbose)
        pcap = base64.b64encode(found).decode()
        return CapturePacketsResult(
            packets=tuple(text[:_LONGEST_TEXT].splitlines()),
            is_cut=len(text) > _LONGEST_TEXT,
            pcap=pcap if params.pcap else None,
        )

    def _captured(self, params: CapturePacketsParams, program: bytes) -> bytes:
        """The pcap file. Lab seconds pass at the usual pace, also where the network stands still between requests."""
        duration_s, lab_s = params.duration_s, params.lab_s
        if lab_s is not None:
            duration_s = lab_s / self._lab.time_scale
            if duration_s > LONGEST_FORWARD_S:
                most = math.floor(LONGEST_FORWARD_S * self._lab.time_scale)
                raise _wrong(f"lab_s: at most {most} seconds of this network's time pass in a request, not {lab_s:g}")
        captures = self._lab.nodes[params.node].capability(CAPTURES)
        with nullcontext() if lab_s is None else at_usual_pace(self._lab):
            return captures.capture(
                params.interface, program=program, packets=params.packets, duration_s=duration_s, snapped=_SNAPPED
            )

    def _of(self, node: str) -> tuple[str, ...]:
        return self._interfaces.get(node, ())

    def _compiled(self, params: CapturePacketsParams) -> bytes:
        """The filter as the kernel takes it."""
        done = self._lab.nodes[params.node].capability(EXEC).run(["/bin/sh", "-c", _COMPILE, "sh", params.filter])
        if done.returncode:
            raise _wrong(f"filter: {done.stderr.strip().removeprefix('tcpdump: ')}")
        _, *lines = done.stdout.splitlines()
        return b"".join(struct.pack("=HBBI", *map(int, line.split())) for line in lines)


def _read(pcap: bytes, *, verbose: bool) -> str:
    """What tcpdump makes of a capture. Not in the node: it wants to become another user, and a node has no others."""
    read = (*_READ, "-v") if verbose else _READ
    done = subprocess.run(read, input=pcap, capture_output=True, timeout=_READ_S, check=False)
    if done.returncode:
        raise LabError(f"tcpdump cannot read a capture: {done.stderr.decode(errors='replace').strip()}")
    return _CONTINUED.sub(" ", done.stdout.decode(errors="replace"))


def _wrong(reason: str) -> AniError:
    return AniError(f"{CAPTURE_PACKETS}: {reason}", code=Code.INVALID_PARAMS)
