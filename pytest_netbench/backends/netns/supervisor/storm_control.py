"""Stops packets that circulate in a loop, such as a bridge loop, which would keep a core busy. Standard library only.

Only agents' commands and traffic measurements send many packets for seconds in a lab, and those end by themselves. An
interface with the same packet rate at any other time is set down, as a switch's storm control does: after three looks,
or after one if the rate is that of a loop and of nothing else, or if the machine drops as many packets. A loop fills
the queues of the cores, which all labs of the machine share, so that they lose all packets: it is ended during
commands, too. While the clock is moved by events, the hellos of an hour may come within seconds: then only the rate of
a loop and of nothing else counts.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from collections.abc import Callable, Mapping

from pytest_netbench.backends.netns.supervisor import nodes
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces
from pytest_netbench.probing import overflow

EVERY_S = 1.0
MOST_PACKETS_PER_S = 20_000
PATIENCE = 3
HOPELESS = 10
"""With so many times the most packets, sent by one interface or dropped by the machine, nothing is waited for: a flood
loses packets of other labs. Each of several loops on few cores sends less than one alone."""

_GETSTATS, _NEWSTATS, _NEWLINK, _DONE, _ERROR = 94, 92, 16, 3, 2
_DUMP = 0x301  # NLM_F_REQUEST | NLM_F_DUMP
_HEADER = struct.Struct("=IHHII")
_STATS = struct.Struct("=BBHII")
_LINK_64 = 1  # IFLA_STATS_LINK_64
_ATTRIBUTE = struct.Struct("=HH")
_COUNTED = struct.Struct("=QQ")
_INTERFACE = struct.Struct("=BxHiII")
_IFF_UP = 0x1


class Storms:
    """Looks at the interfaces of all nodes once a second.

    Args:
        spaces: The nodes.
        home: Descriptor of the lab's own network namespace.
        excused: Whether an operation is running that may send at any rate, unless the machine drops packets: programs
            send only what the kernel can take, loops much more.
        hurried: Whether the clock of the lab was moved by events since the last look.
        clock: Seconds, monotonic.
    """

    def __init__(
        self,
        *,
        spaces: Mapping[str, Namespaces],
        home: int,
        excused: Callable[[], bool],
        hurried: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._excused = excused
        self._hurried = hurried
        self._clock = clock
        self._sockets = {name: self._netlink(node) for name, node in spaces.items()}
        self._last: dict[tuple[str, int], int] | None = None
        self._strikes: dict[tuple[str, int], int] = {}
        self._lost = overflow.dropped()
        self._looked = clock()
        self._next = self._looked + EVERY_S

    def wait_s(self) -> float:
        """Return the seconds until the next look."""
        return max(0.001, self._next - self._clock())

    def tick(self) -> None:
        """Look, if it is time."""
        now = self._clock()
        if now < self._next:
            return
        passed_s, self._looked, self._next = now - self._looked, now, now + EVERY_S
        most = MOST_PACKETS_PER_S * passed_s
        least = HOPELESS * most if self._hurried() else most
        dropped = overflow.dropped()
        lost, self._lost = dropped - self._lost, dropped
        excused = self._excused() and lost <= most
        counted: dict[tuple[str, int], int] = {}
        for name in self._sockets:
            with contextlib.suppress(OSError):  # no memory for the answer: the next look shows it again
                counted.update(self._count(name))
        for place, packets in counted.items():
            # what was not there at the last look is new, as in a loop that was just made, or was attached again
            unknown = 0 if lost > most else packets
            sent = 0 if excused or self._last is None else packets - self._last.get(place, unknown)
            strikes = PATIENCE if max(sent, lost) > HOPELESS * most else 1
            self._strikes[place] = self._strikes.get(place, 0) + strikes if sent > least else 0
            if self._strikes[place] >= PATIENCE:
                self._strikes[place] = 0
                self._set_down(*place)
        self._last = counted
        self._strikes = {place: self._strikes[place] for place in counted}

    def _count(self, node: str) -> dict[tuple[str, int], int]:
        """Packets received and sent so far, by interface index."""
        netlink = self._sockets[node]
        body = _STATS.pack(0, 0, 0, 0, 1 << (_LINK_64 - 1))
        netlink.send(_HEADER.pack(_HEADER.size + len(body), _GETSTATS, _DUMP, 1, 0) + body)
        found: dict[tuple[str, int], int] = {}
        while True:
            data = netlink.recv(1 << 17)
            at = 0
            while at + _HEADER.size <= len(data):
                size, kind, _, _, _ = _HEADER.unpack_from(data, at)
                if kind in {_DONE, _ERROR}:
                    return found
                if kind == _NEWSTATS:
                    _, _, _, index, _ = _STATS.unpack_from(data, at + _HEADER.size)
                    start = at + _HEADER.size + _STATS.size + _ATTRIBUTE.size
                    if start + _COUNTED.size <= at + size:
                        found[node, index] = sum(_COUNTED.unpack_from(data, start))
                at += (size + 3) & ~3

    def _set_down(self, node: str, index: int) -> None:
        body = _INTERFACE.pack(socket.AF_UNSPEC, 0, index, 0, _IFF_UP)
        netlink = self._sockets[node]
        netlink.send(_HEADER.pack(_HEADER.size + len(body), _NEWLINK, 0x5, 2, 0) + body)
        with contextlib.suppress(OSError):
            netlink.recv(1 << 16)

    def _netlink(self, node: Namespaces) -> socket.socket:
        with nodes.inside_network(node, self._home):
            made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        made.settimeout(0.5)
        return made
