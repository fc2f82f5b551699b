"""The log of a device: a ring buffer of messages, from the device itself, its services and FRR's daemons."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_netbench.dialects.cisco_ios import interfaces
from pytest_netbench.platforms.cisco_ios.config.tree import Section
from pytest_netbench.platforms.cisco_ios.device.events import Message
from pytest_netbench.platforms.cisco_ios.services.programs.messages import syslog

SEVERITIES = ("emergencies", "alerts", "critical", "errors", "warnings", "notifications", "informational", "debugging")
_KERNEL = re.compile(r"\b[a-z]{2,3}\d+(?:-\d+)*(?:\.\d+)?\b")
_SIZE = 8192
_MOST_MESSAGES = 5000
_SHUT_MEMORY = 64


class Log:
    """The messages of a device, as ``logging buffered`` says."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque(maxlen=_MOST_MESSAGES)
        self._shut: deque[tuple[float, frozenset[str]]] = deque(maxlen=_SHUT_MEMORY)
        self._links: dict[str, bool] = {}
        self.count = 0
        """The messages since the start, also those that the buffer no longer has."""

    def add(self, found: Iterable[Message], config: Section) -> None:
        """Add messages that the config does not suppress, in the order of their times."""
        highest = severity(config.get("logging buffered"))
        kept = [one for one in found if one.severity <= highest and not _suppressed(one, config)]
        if kept and not config.says_no("logging on") and not config.says_no("logging buffered"):
            self.count += len(kept)
            self._messages = deque(sorted([*self._messages, *kept], key=lambda one: one.time), maxlen=_MOST_MESSAGES)

    def lines(self, config: Section) -> list[str]:
        """Return the lines of the buffer, the oldest first: as many of the last ones as its size holds."""
        room, found = size(config), list[str]()
        for message in reversed(self._messages):
            line = f"{syslog.stamp(message.time)}: {syslog.formatted(vars(message))}"
            room -= len(line) + 1
            if room < 0:
                break
            found.append(line)
        return found[::-1]

    def clear(self) -> None:
        """Empty the buffer."""
        self._messages.clear()

    def restart(self) -> None:
        """Forget everything, as a reload does."""
        self.clear()
        self._links.clear()
        self._shut.clear()
        self.count = 0

    def note_shut(self, names: frozenset[str], now: float) -> None:
        """Note which interfaces are administratively down from now on."""
        if not self._shut or self._shut[-1][1] != names:
            self._shut.append((now, names))

    def changes_link(self, name: str, up: bool) -> bool:
        """Note the state of a link; return whether it was in the other one.

        A link is made down, except the ports, which have their cables at the start.
        """
        before = self._links.get(name, not name.startswith(("Loopback", "Vlan")) and not up)
        self._links[name] = up
        return before != up

    def note_up(self, names: Iterable[str]) -> None:
        """Note links that are up, so that the next event that says so is no change."""
        self._links.update(dict.fromkeys(names, True))

    def was_shut(self, name: str, moment: float) -> bool:
        """Whether an interface was administratively down at a time."""
        before = [names for since, names in self._shut if since <= moment]
        return bool(before) and name in before[-1]


def size(config: Section) -> int:
    """Return the size of the buffer in bytes."""
    entry = config.get("logging buffered")
    return int(entry.get("size") or _SIZE) if entry is not None else _SIZE


def severity(entry: Any, default: int = len(SEVERITIES) - 1) -> int:
    """Return the highest severity number that a ``logging`` line lets pass."""
    if entry is None:
        return default
    if "level" in entry.match.args:
        return int(entry["level"])
    return SEVERITIES.index(str(entry["word"])) if "word" in entry.match.args else default


def of_service(entry: Mapping[str, Any]) -> Message:
    """Return the message of a service, with IOS's names of interfaces."""
    fields = {name: entry[name] for name in ("time", "facility", "severity", "mnemonic", "text")}
    short = entry["facility"] == "PM"
    return Message(**{**fields, "text": _KERNEL.sub(lambda found: _named(found[0], short=short), entry["text"])})


def _named(kernel: str, *, short: bool) -> str:
    name = interfaces.from_kernel(kernel)
    return kernel if name is None else interfaces.parse(name).short if short else name


def _suppressed(message: Message, config: Section) -> bool:
    """Whether a line of the config switches this kind of message off."""
    kind = f"{message.facility}-{message.mnemonic}"
    if kind == "OSPF-ADJCHG":
        return any(body.says_no("log-adjacency-changes") for _, body in config.sections("router ospf"))
    if kind == "BGP-ADJCHANGE":
        return any(body.says_no("bgp log-neighbor-changes") for _, body in config.sections("router bgp"))
    if message.facility in {"LINK", "LINEPROTO"}:
        name = message.text.partition("nterface ")[2].partition(",")[0]
        return any(
            body.says_no("logging event link-status")
            for entry, body in config.sections("interface")
            if entry["name"] == name
        )
    return False
