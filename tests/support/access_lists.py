"""Lines of extended access lists by chance, of every kind that IOS takes."""

from __future__ import annotations

import random

from pytest_netbench.dialects.cisco_ios.markings import DSCP
from pytest_netbench.dialects.cisco_ios.ports import TCP_PORTS, UDP_PORTS
from pytest_netbench.dialects.markings import PRECEDENCES
from pytest_netbench.platforms.cisco_ios.areas.acl import names

GROUPS = (
    "object-group network G",
    "host 1.1.1.1",
    "10.0.0.0 255.0.0.0",
    "range 10.0.0.1 10.0.0.9",
    "any",
    "exit",
    "object-group service S",
    "tcp eq 80",
    "tcp source range 1 9 gt 5",
    "udp lt 7",
    "tcp-udp 53",
    "icmp echo",
    "icmp",
    "ospf",
    "exit",
    "time-range T",
    "periodic daily 8:00 to 9:00",
    "periodic fri 8:00 to mon 9:00",
    "absolute start 1:00 1 jan 2020",
    "exit",
)
"""What the lines refer to."""
_FLAGS = ("", "", "established", "syn", "ack fin", "match-any +syn -ack", "match-all -rst +fin +ack", "match-all -syn")
_WILDCARDS = ("0.0.0.255", "255.255.255.255", "0.0.0.0", "0.255.0.255", "0.0.255.254", "128.0.0.0")


class Chance:
    """Makes lines; the same seed makes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def lines(self, count: int) -> list[str]:
        """As many different lines."""
        made: dict[str, None] = {}
        while len(made) < count:
            made[" ".join(self._line().split())] = None
        return list(made)

    def _one(self, *choices: object) -> str:
        return str(self._random.choice(choices))

    def _address(self) -> str:
        return ".".join(self._one(0, 10, 192, 255, 1, 77) for _ in range(4))

    def _end(self) -> str:
        wildcard = self._one(*_WILDCARDS, self._address())
        return self._one("any", f"host {self._address()}", f"{self._address()} {wildcard}", "object-group G")

    def _ports(self, protocol: str) -> str:
        known = TCP_PORTS if protocol == "tcp" else UDP_PORTS

        def port() -> str:
            return self._one(*known, 0, 1, 65535, 8080)

        single = f"{self._one('eq', 'neq', 'lt', 'gt')} {port()}"
        return self._one("", single, f"range {port()} {port()}", f"eq {port()} {port()} {port()}")

    def _options(self) -> str:
        options = {
            f"dscp {self._one(*DSCP, 0, 63, 17)}": 0.2,
            f"precedence {self._one(*PRECEDENCES, 0, 7)}": 0.1,
            f"tos {self._one(*names.TOS, 15, 3)}": 0.1,
            "fragments": 0.1,
            "log": 0.2,
            "time-range T": 0.1,
            f"ttl {self._one('eq', 'gt', 'lt', 'neq')} {self._one(0, 1, 255, 64)}": 0.1,
        }
        chosen = [words for words, share in options.items() if self._random.random() < share]
        self._random.shuffle(chosen)
        return " ".join(chosen)

    def _line(self) -> str:
        kind = self._one("tcp", "tcp", "udp", "icmp", "ip", 200, 89, *names.PROTOCOLS, "object-group S")
        head = f"{self._one('permit', 'deny')} {kind}"
        if kind in {"tcp", "udp"}:
            flags = self._one(*_FLAGS) if kind == "tcp" else ""
            return (
                f"{head} {self._end()} {self._ports(kind)} {self._end()} {self._ports(kind)} {flags} {self._options()}"
            )
        what = self._one("", *names.ICMP, "3 5", "200", "255 255") if kind == "icmp" else ""
        return f"{head} {self._end()} {self._end()} {what} {self._options()}"
