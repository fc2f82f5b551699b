"""One probe under way: what was asked, what is known of it by now, and what that means. Standard library only."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Callable
from typing import Any

from pytest_netbench.probing.events import now_ns

GRACE_NS = 20_000_000
"""How long after its deadline a probe is given up: what arrived in time may still be on its way through the kernel."""

_REFUSED = {
    errno.ECONNREFUSED: "refused",
    errno.EHOSTUNREACH: "host unreachable",
    errno.ENETUNREACH: "network unreachable",
    errno.EACCES: "administratively prohibited",
    errno.EPERM: "blocked by the sender's own filter",
    errno.EADDRNOTAVAIL: "the source address cannot be used",
}
_ONE_WAY = ("gre", "esp", "segment", "unreachable")
_ANSWERS = {"icmp": "echo reply", "udp": "answered", "tcp": "answered"}


class Attempt:
    """One packet of a probe.

    Attributes:
        question: What it carries.
        answer: What the target answers, if it is a listener of ours.
        begun: A moment before it was sent.
    """

    def __init__(self, exchange: Exchange, *, number: int, question: bytes, answer: bytes) -> None:
        self.exchange = exchange
        self.number = number
        self.question = question
        self.answer = answer
        self.begun = now_ns()


class Exchange:
    """A probe and what is known of it.

    Args:
        request: The fields of ``records.Probe``; ``port`` is drawn if it was left open.
        repetitions: How often it is sent again if nothing answers.
        ended: Called once, when its result stands.
    """

    def __init__(self, request: dict[str, Any], *, repetitions: int, ended: Callable[[Exchange], None]) -> None:
        self.request = request
        self._when_ended = ended
        self.source: str = request["source"]
        self.protocol: str = request["protocol"]
        self.target: str = request["target"]
        self.packed = ipaddress.ip_address(self.target).packed
        self.version = 4 if len(self.packed) == 4 else 6
        self.port: int = request["port"] or 0
        self.listen_on: str | None = request["listen_on"]
        self.listen_port: int = request["listen_port"] or self.port
        self.stand_in: str | None = request["stand_in"]
        expected_at = self.stand_in or self.listen_on
        self.watched: tuple[str, ...] = tuple(request["arrives_at"]) or ((expected_at,) if expected_at else ())
        self.followed: frozenset[str] = frozenset(request["follow"])
        self._came_by: dict[str, int] = {}
        self.foreign = False
        self.occupied = False
        self.timeout_ns = int(request["timeout_s"] * 1e9)
        self._tries_left = 1 + repetitions
        self.tries = 0
        self._spare_tries = 2
        self._lost_packets = 0
        self.sent = self.ended = self.delivered = self.accepted = self.arrived = False
        self.deadline = 0
        self.dscp: int | None = None
        self.seen_source: str | None = None
        self.arrived_at: str | None = None
        self.forward_ns: int | None = None
        self.round_ns: int | None = None
        self._first = 0
        self._answer = ""
        self._complaint = ""

    def begin_try(self, lost_packets: int) -> None:
        """Count one more packet; ``lost_packets`` is how many the kernel could not deliver to this process by now."""
        self.tries += 1
        self._tries_left -= 1
        self._lost_packets = lost_packets
        self._first = self._first or now_ns()
        self.waits_again()

    def undo_try(self) -> None:
        """The packet found no room."""
        self.tries -= 1
        self._tries_left += 1

    @property
    def is_last_try(self) -> bool:
        """Whether it is not repeated any more."""
        return self._tries_left == 0

    @property
    def due(self) -> int:
        """When to repeat it or give it up, if there is no answer by then."""
        return self.deadline + (GRACE_NS if self.is_last_try else 0)

    def may_repeat(self, lost_packets: int) -> bool:
        """Whether to send it again: the requested count, and a few more if an answer may have been lost here."""
        if self._tries_left == 0 and lost_packets > self._lost_packets and self._spare_tries:
            self._spare_tries -= 1
            self._tries_left = 1
        return self._tries_left > 0

    def was_sent(self) -> None:
        """The kernel took the packet: its time begins now, however long that took."""
        self.sent = True
        self.deadline = max(self.deadline, now_ns() + self.timeout_ns)

    def waits_again(self, spent_ns: int = 0) -> None:
        """Something of ours was sent on: what is left of the time begins now."""
        self.deadline = max(self.deadline, now_ns() + max(0, self.timeout_ns - spent_ns))

    def arrive(self, attempt: Attempt, node: str, stamp: int, source: bytes, dscp: int | None) -> bool:
        """Note that a packet came to ``node``; returns whether that is where it was to arrive, in time."""
        if stamp > self.deadline:
            return False
        if node in self.followed:
            self._came_by.setdefault(node, stamp)
        if node not in self.watched:
            return False
        if not self.arrived:
            self.arrived = True
            self.arrived_at = node
            self.forward_ns = max(0, stamp - attempt.begun)
            self.seen_source = socket.inet_ntop(socket.AF_INET if len(source) == 4 else socket.AF_INET6, source)
        if self.dscp is None:
            self.dscp = dscp
        if node == self.stand_in:
            self.delivered = True
            self._end()
        return True

    def accept(self) -> None:
        """The target's own stack, or a listener of ours on it, took the packet."""
        self.accepted = True
        if self.protocol in _ONE_WAY and not self.ended:
            self.delivered = True
            self._end()
        self._settle()

    def answer(self, attempt: Attempt | None, stamp: int, what: str = "") -> None:
        """An answer came to the source at ``stamp``."""
        if stamp <= self.deadline and not self._answer:
            self._answer = what or _ANSWERS[self.protocol]
            self.round_ns = max(0, stamp - (attempt.begun if attempt else self._first))
            self._settle()

    def _settle(self) -> None:
        if self._answer and (self.accepted or not self.watched):
            self.delivered = True
            self._end()

    @property
    def answered(self) -> bool:
        """Whether an answer came, from any sender."""
        return bool(self._answer)

    def complain(self, what: str) -> None:
        """Somebody said that it cannot be delivered. An answer that is there already counts more."""
        if not self.ended and not self._answer:
            self._complaint = what
            self._end()

    def give_up(self) -> None:
        """Nothing more is waited for."""
        self._end()

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._when_ended(self)

    def fail(self, error: OSError) -> None:
        """Take the kernel's error as the result of the probe."""
        self.complain(_REFUSED.get(error.errno or 0, error.strerror or str(error)))

    def report(self) -> dict[str, Any]:
        """The fields of ``records.ProbeResult``."""
        return {
            "delivered": self.delivered,
            "detail": self._detail(),
            "received_dscp": self.dscp,
            "seen_source": self.seen_source,
            "sent": self.sent,
            "arrived": self.arrived if self.watched else None,
            "answered": self.answered,
            "arrived_at": self.arrived_at,
            "came_by": sorted(self._came_by, key=self._came_by.__getitem__),
            "one_way_ms": None if self.forward_ns is None else self.forward_ns / 1e6,
            "round_trip_ms": None if self.round_ns is None else self.round_ns / 1e6,
        }

    def _detail(self) -> str:
        if self.delivered and (self.stand_in or self.protocol in _ONE_WAY):
            what = "arrived at" if self.stand_in else "accepted by"
            return f"{what} {self.arrived_at} after {(self.forward_ns or 0) / 1e6:.1f} ms"
        if self.delivered:
            return f"{self._answer} after {(self.round_ns or 0) / 1e6:.1f} ms"
        places = " or ".join(self.watched)
        if self._answer:
            return f"answered in place of {places}, which did not accept it"
        if self._complaint:
            return self._complaint
        silence = f"no answer in {self.timeout_ns * self.tries / 1e9:g} s ({self.tries} tries)"
        if self.accepted:
            return f"{silence}, but {self.arrived_at} accepted it"
        return f"{silence}, but it arrived at {self.arrived_at}" if self.arrived else silence
