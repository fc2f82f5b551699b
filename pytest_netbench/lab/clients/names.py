"""Lookups of names in the DNS, asked from a node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import EXEC

_INTERPRETER: Final = "/usr/bin/python3"
_SLACK_S: Final = 20.0
_STUB: Final = "stub.py"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came of a lookup.

    Attributes:
        name: What was asked for, with the search domain if the name had no dot.
        server: Who was asked; ``None`` if the node knows no server.
        status: The code of the answer, e.g. ``NXDOMAIN``; ``None`` if there is no answer.
        addresses: IPv4 addresses.
        error: Why there is no answer.
        time_ms: How long it took.
    """

    name: str
    server: str | None
    status: str | None
    addresses: tuple[str, ...]
    error: str | None
    time_ms: float | None


def look_up(node: NodeAccess, name: str, *, server: str | None = None, timeout_s: float = 2.0) -> Answer:
    """Ask one question for the IPv4 addresses of a name, once.

    Args:
        node: Where it is asked.
        name: ASCII letters, digits, hyphens and dots.
        server: Address of a DNS server; ``None`` is the node's own.
        timeout_s: Wall seconds.

    Raises:
        LabError: The client could not run.
    """
    return look_up_all(node, [name], server=server, timeout_s=timeout_s)[0]


def look_up_all(
    node: NodeAccess, names: Sequence[str], *, server: str | None = None, timeout_s: float = 2.0
) -> tuple[Answer, ...]:
    """As ``look_up``, for several names at the same time."""
    argv = [_INTERPRETER, "-I", "-S", "-", server or "", str(timeout_s), *names]
    done = node.capability(EXEC).run(argv, input=_source(), timeout_s=timeout_s + _SLACK_S)
    if done.returncode or done.timed_out:
        raise LabError(f"{node.name}: the DNS client failed: {done.stderr.strip()[-500:] or 'it did not end'}")
    return tuple(Answer(**{**one, "addresses": tuple(one["addresses"])}) for one in json.loads(done.stdout))


@cache
def _source() -> str:
    return (Path(__file__).parent / _STUB).read_text()
