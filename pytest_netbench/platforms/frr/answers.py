"""Classification of vtysh output: accepted, remark or error.

An interactive vtysh shows no status code, so the text decides. FRR marks nearly every refusal with ``%``; the others
are recognised by their wording in FRR's sources.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_REMARK = re.compile(
    r"^%+ ?(warning|note|info|the following|update is not necessary|\"log monitor\" is deprecated|new range will|echo"
    r" mode works)"
    # FRR takes a line that names a route map which is yet to be written
    r"|^the route-map '.*' does not exist",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^(please (remove|specify|configure|change|unconfigure|choose|use a)|can(no|')t |unable |failed|failure |error\b"
    r"|invalid|malformed|no such |unknown |bad |there is (no|already) |bgp is already running|bgp instance name)"
    r"|\b(not found|does ?n[o']t exist|is invalid|is not valid|must be|not allowed|cannot be|not supported|already"
    r" configured"
    r"|is already (in use|running))\b",
    re.IGNORECASE,
)
_AT_LINE = re.compile(r"^line (\d+): (.*)$")
_COMMUNICATE = re.compile(r"^Failure to communicate\[\d+\] to (\S+), line: ")
# vtysh 10 speaks to each daemon from a process of its own, and tells of it
_PROGRESS = re.compile(r"\[\d+\|\w+\] |Waiting for children ")
_NODE_NUMBER = re.compile(r"\[\d+\]:\s*")


@dataclass(frozen=True, kw_only=True)
class Rejection:
    """A line of a file that was refused; 1-based. ``by_daemon``: a daemon's words stand on stdout, without a number."""

    line_number: int
    device_message: str
    by_daemon: bool = False


def is_error(output: str) -> bool:
    """Whether what the device printed after a configuration command is a refusal."""
    return any(_is_refusal(line.strip()) for line in output.splitlines())


def _is_refusal(line: str) -> bool:
    if _REMARK.match(line) or _AT_LINE.match(line):
        return False
    return line.startswith("%") or _REFUSAL.search(line) is not None


def first_rejection(stdout: str, stderr: str) -> Rejection | None:
    """The first numbered complaint of ``vtysh -f``. Its exit status says nothing (it is 0 after some refusals)."""
    found = [match for line in stderr.splitlines() if (match := _AT_LINE.match(line))]
    if not found:
        return None
    first = min(found, key=lambda match: int(match[1]))
    words = first[2].strip()
    communicate = _COMMUNICATE.match(words)
    if communicate is not None:
        said = [line.strip() for line in stdout.splitlines() if line.strip() and not _PROGRESS.match(line)]
        words = " ".join(said) or f"{communicate[1]} refused it"
    return Rejection(
        line_number=int(first[1]),
        device_message=_NODE_NUMBER.sub(": ", words, count=1),
        by_daemon=communicate is not None,
    )
