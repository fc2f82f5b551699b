"""The service ``syslog``: messages to logging hosts as datagrams (RFC 3164), and the messages of other services.

Configuration: ``{"hosts": [{"address", "port"}, …], "facility": 23, "severity": 6, "source": "", "interface": ""}``.
A message is sent if its severity is at most the configured one. Command: ``send SEVERITY FACILITY MNEMONIC TEXT …``.

State: ``{"messages": [{"time", "facility", "severity", "mnemonic", "text"}, …], "sent": {address: count},
"waiting"}``, with times in seconds since 1970.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections import Counter
from typing import Any

from pytest_netbench.platforms.cisco_ios.services.programs.common.host import Shared

_IP_PKTINFO = 8
_PORT, _LOCAL7, _INFORMATIONAL = 514, 23, 6


class Service:
    """Sends logged messages."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self._config: dict[str, Any] = {}
        self._number = 0
        self._sent: Counter[str] = Counter()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        shared.read_log(self._log)

    def configure(self, config: dict[str, Any]) -> None:
        self._config = config

    def _log(self, entry: dict[str, Any]) -> None:
        if entry["severity"] > self._config.get("severity", _INFORMATIONAL):
            return
        self._number += 1
        priority = self._config.get("facility", _LOCAL7) * 8 + entry["severity"]
        text = f"<{priority}>{self._number}: {stamp(entry['time'])}: {formatted(entry)}"
        for host in self._config.get("hosts", ()):
            # without a route the message is lost, as with any syslog sender
            with contextlib.suppress(OSError):
                self._socket.sendmsg([text.encode()], self._ancillary(), 0, (host["address"], host.get("port", _PORT)))
                self._sent[host["address"]] += 1

    def _ancillary(self) -> list[tuple[int, int, bytes]]:
        source = self._config.get("source", "")
        if self._config.get("interface"):
            link = self._shared.links.get(self._config["interface"])
            source = link.address if link is not None else ""
        return (
            [(socket.IPPROTO_IP, _IP_PKTINFO, struct.pack("i4s4s", 0, socket.inet_aton(source), bytes(4)))]
            if source
            else []
        )

    def state(self) -> dict[str, Any]:
        return {"messages": list(self._shared.messages), "sent": dict(self._sent), "waiting": []}

    def command(self, words: list[str]) -> str:
        if len(words) < 5 or words[0] != "send" or words[1] not in set("01234567"):
            raise ValueError(f"the service syslog knows no command {' '.join(words)!r}")
        self._shared.log(words[2], int(words[1]), words[3], " ".join(words[4:]))
        return ""


def formatted(entry: dict[str, Any]) -> str:
    """Return ``%FACILITY-SEVERITY-MNEMONIC: text``."""
    return f"%{entry['facility']}-{entry['severity']}-{entry['mnemonic']}: {entry['text']}"


def stamp(moment: float) -> str:
    """Return ``*Nov 21 10:42:07.123``; the asterisk marks a clock that was not set."""
    parts = time.gmtime(moment)
    return (
        f"*{time.strftime('%b', parts)} {parts.tm_mday:2}"
        f" {time.strftime('%H:%M:%S', parts)}.{int(moment * 1000) % 1000:03}"
    )
