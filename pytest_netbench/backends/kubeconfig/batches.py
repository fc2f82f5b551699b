"""Batches of probes: what each pod is told to do, and what came of it. Pure."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_netbench.backends.kubeconfig import probe
from pytest_netbench.lab.probing import ProbeResult

_UNPACK: Final = (
    "import base64,sys,zlib;p=lambda n:zlib.decompress(base64.b64decode(sys.argv[n])).decode();exec(p(1));main(p(2))"
)
_SOURCE: Final = Path(probe.__file__)
_MOST_FLOWS: Final = 150
"""In one command, whose line must stay short."""


class Try(NamedTuple):
    """One flow of a probe, in terms of the cluster."""

    source: str
    protocol: str
    address: str
    port: int
    listener: str | None
    listen_port: int | None


@dataclass
class Work:
    """What one pod does in a batch.

    Attributes:
        flows: Numbers of the flows that it tries.
        ports: Where it answers.
    """

    flows: list[int] = field(default_factory=list)
    ports: set[tuple[str, int]] = field(default_factory=set)


def works(tries: Mapping[int, Try]) -> Iterator[tuple[str, Work]]:
    """What each pod does, by workload; those with many flows come several times."""
    found: dict[str, Work] = {}
    for number, one in tries.items():
        found.setdefault(one.source, Work()).flows.append(number)
        if one.listener is not None and one.listen_port is not None:
            found.setdefault(one.listener, Work()).ports.add((one.protocol, one.listen_port))
    for name, work in found.items():
        parts = [work.flows[at : at + _MOST_FLOWS] for at in range(0, len(work.flows), _MOST_FLOWS)] or [[]]
        for number, part in enumerate(parts):
            yield name, Work(part, work.ports if number == 0 else set())


def command(work: Work, tries: Mapping[int, Try], *, for_s: float, timeout_s: float) -> list[str]:
    """The command line that does it."""
    asked = {
        "for": for_s,
        "timeout": timeout_s,
        "listen": sorted(work.ports),
        "flows": [[tries[one].protocol, tries[one].address, tries[one].port] for one in work.flows],
    }
    return ["python3", "-I", "-S", "-c", _UNPACK, _packed(_SOURCE.read_text("utf-8")), _packed(json.dumps(asked))]


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def result_of(found: Any) -> ProbeResult:
    """What came of a flow."""
    if isinstance(found, (int, float)):
        return ProbeResult(
            delivered=True, detail=f"answered after {found:.1f} ms", answered=True, round_trip_ms=float(found)
        )
    if found == "refused":
        return ProbeResult(delivered=False, detail="refused", answered=True)
    if found == "silent":
        return ProbeResult(delivered=False, detail="no answer")
    return ProbeResult(delivered=False, detail=f"not sent: {found}", sent=False)


def refused(results: Mapping[int, ProbeResult], asked: Sequence[int], tries: Mapping[int, Try]) -> Iterable[int]:
    """The flows to try once more: who answers may not have been listening yet."""
    return [one for one in asked if results[one].detail == "refused" and tries[one].listener is not None]
