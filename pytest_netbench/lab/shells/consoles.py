"""What a console can measure: the protocol that ``prober`` asks, and the results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pytest_netbench.lab.probing import Hop, Probe


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What the sender of a probe saw.

    Attributes:
        answer_ms: Time to the answer; ``None`` if none came.
        complaint: Why it cannot be delivered, as ``ProbeResult.detail`` says it; empty if nobody said so.
        tries: Packets or connections that were tried.
        token: What it sent, by which a listener tells it; empty if nothing.
        sent: Whether it was sent at all.
    """

    answer_ms: float | None = None
    complaint: str = ""
    tries: int = 1
    token: str = ""
    sent: bool = True


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """What a listener accepted: from where, and with which marking if that is known."""

    source: str
    dscp: int | None = None


class Port(NamedTuple):
    """A port on which something is to answer.

    Attributes:
        protocol: ``tcp`` or ``udp``.
        version: Of IP, 4 or 6.
        number: Of the port.
    """

    protocol: str
    version: int
    number: int


class Listeners(Protocol):
    """Ports of a node that answer."""

    @property
    def occupied(self) -> Collection[Port]:
        """Those that something else had already."""
        ...

    def accepted(self) -> Mapping[Port, Mapping[str, Accepted]]:
        """By port and token: what came."""
        ...

    def close(self) -> None:
        """Listen no more."""
        ...


class Console(Protocol):
    """A node that sends packets when it is told to on its console."""

    def lacks(self, probe: Probe) -> str | None:
        """Why it cannot send a probe, in a phrase; ``None`` if it can."""
        ...

    def cannot_listen(self, probe: Probe) -> str | None:
        """Why it cannot listen for a probe, in a phrase; ``None`` if it can."""
        ...

    def listen(self, ports: Sequence[Port]) -> Listeners:
        """Answer on ports until the listeners are closed."""
        ...

    def send(self, probes: Sequence[Probe], tries: Sequence[int]) -> list[Heard]:
        """Send probes; each has its port, and is tried so often at most."""
        ...

    def path(self, target: str, *, max_hops: int, timeout_s: float) -> list[Hop]:
        """Hops to an address."""
        ...

    def addresses(self) -> tuple[str, ...]:
        """Addresses that others can use."""
        ...
