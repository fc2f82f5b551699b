"""Requests for pages by HTTP, from a node, with curl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import EXEC

CLIENT: Final = "curl"
_FORMAT: Final = "\t".join(
    f"%{{{name}}}"
    for name in (
        "http_code",
        "remote_ip",
        "size_download",
        "time_namelookup",
        "time_connect",
        "time_total",
        "errormsg",
    )
)
_MOST_BYTES: Final = 10_000_000
_SLACK_S: Final = 20.0
_NOT_FOUND: Final = 127


@dataclass(frozen=True, kw_only=True)
class Page:
    """What came of a request. Times are milliseconds since it began; ``None`` for what was not reached.

    Attributes:
        status: Of HTTP; ``None`` without an answer.
        address: Who was connected to.
        size: Bytes of the body.
        error: What went wrong.
    """

    status: int | None
    address: str | None
    size: int
    lookup_ms: float | None
    connect_ms: float | None
    total_ms: float
    error: str | None


def get(node: NodeAccess, url: str, *, timeout_s: float = 5.0) -> Page:
    """Get a page.

    Args:
        node: Where it is asked for.
        url: Of HTTP. Redirections are not followed.
        timeout_s: Wall seconds.

    Raises:
        LabError: The client could not run.
    """
    limits = ("--max-time", f"{timeout_s:g}", "--max-filesize", str(_MOST_BYTES))
    argv = [CLIENT, "-q", "-g", "-s", "-4", "--noproxy", "*", "--proto", "=http", *limits]
    done = node.capability(EXEC).run(
        [*argv, "-o", "/dev/null", "-w", _FORMAT, "--", url], timeout_s=timeout_s + _SLACK_S
    )
    words = done.stdout.split("\t")
    if done.timed_out or done.returncode == _NOT_FOUND or len(words) != _FORMAT.count("\t") + 1:
        raise LabError(f"{node.name}: {CLIENT} failed: {(done.stderr or done.stdout).strip()[-500:] or 'no output'}")
    status, address, size, lookup_s, connect_s, total_s, error = words
    return Page(
        status=int(status) or None,
        address=address or None,
        size=int(size),
        lookup_ms=_ms(lookup_s),
        connect_ms=_ms(connect_s),
        total_ms=round(1000 * float(total_s), 3),
        error=(error.strip() or f"exit status {done.returncode}") if done.returncode else None,
    )


def _ms(seconds: str) -> float | None:
    return round(1000 * float(seconds), 3) or None
