"""One probe under way: what was asked, what became of it. Standard library only."""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import os
import socket
import time
from collections.abc import Iterator
from typing import Any

TRIES = 2
_REFUSED = {errno.ECONNREFUSED: "refused", errno.EHOSTUNREACH: "host unreachable", errno.ENETUNREACH: "network unreachable",
            errno.EACCES: "administratively prohibited", errno.EPERM: "blocked by the sender's own filter"}  # fmt: skip


class Exchange:
    """A probe, its sending socket, and what is known of it by now.

    Args:
        request: The fields of ``lab.probing.Probe``.
        number: Its place among those that run with it.
    """

    def __init__(self, request: dict[str, Any], number: int) -> None:
        self.request = request
        self.token = os.urandom(12).hex().encode()
        self.identifier = (int.from_bytes(os.urandom(2), "big") + number) & 0xFFFF
        self.version = ipaddress.ip_address(request["target"]).version
        self.timeout_s: float = request["timeout_s"]
        self.protocol: str = request["protocol"]
        self.port: int = request["listen_port"] or request["port"]
        self.client: socket.socket | None = None
        self.tries = 0
        self.ended = False
        self.dscp: int | None = None
        self.source: str | None = None
        self._started = self._next_try = 0.0
        self._delivered = False
        self._detail = ""

    def start(self, now: float) -> None:
        """Let its time begin."""
        self._started = self._next_try = now

    def is_due(self, now: float) -> bool:
        """Whether it is to send (again) now; ends it if its time is over."""
        if now - self._started >= self.timeout_s:
            self.end(delivered=False, detail="")
        elif now >= self._next_try and self.tries < TRIES:
            self.tries += 1
            self._next_try = now + self.timeout_s / TRIES
            return True
        return False

    def wait_s(self, now: float) -> float:
        """Seconds until something is due."""
        end_s = self._started + self.timeout_s - now
        return min(end_s, self._next_try - now) if self.tries < TRIES else end_s

    def end(self, *, delivered: bool, detail: str) -> None:
        """What became of it; the first word counts."""
        if not self.ended:
            self.ended, self._delivered, self._detail = True, delivered, detail

    def deliver(self, what: str) -> None:
        """End it well."""
        self.end(delivered=True, detail=f"{what} after {(time.monotonic() - self._started) * 1000:.1f} ms")

    @contextlib.contextmanager
    def ended_by_errors(self) -> Iterator[None]:
        """What the kernel refuses it is what became of it."""
        try:
            yield
        except OSError as error:
            self.end(delivered=False, detail=_REFUSED.get(error.errno or 0, error.strerror or str(error)))

    def report(self) -> dict[str, Any]:
        """The fields of ``lab.probing.ProbeResult``."""
        return {
            "delivered": self._delivered,
            "detail": self._detail or f"no answer in {self.request['timeout_s']:g} s ({self.tries} tries)",
            "received_dscp": self.dscp,
            "seen_source": self.source,
        }
