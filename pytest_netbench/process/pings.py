"""Whether pings show what pings of other counts and sizes would have shown. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_ADDRESS: Final = re.compile(r"^\d+\.\d+\.\d+\.\d+$")
_COUNTED: Final = re.compile(r"(\d+) packets transmitted, (\d+) (?:packets )?received")
_OF_IOS: Final = re.compile(r"\((\d+)/(\d+)\)")
_SIZES: Final = ("size", "-s")
ENOUGH: Final = 10
"""Echo requests of which one that is lost tells something; of fewer, the first may have waited for ARP."""
FEW: Final = 3
"""Echo requests that tell that none is answered."""
SEVERAL: Final = 2
"""Lost ones that tell something, whatever the count."""


class Ping(NamedTuple):
    """The address that is pinged, and the bytes of a packet if the command says so."""

    address: str
    size: int | None


def ping_of(words: Sequence[str]) -> Ping | None:
    """Return what a command pings; ``None`` if it is another command, or pings a name."""
    if not words or words[0] != "ping":
        return None
    address = next((word for word in words if _ADDRESS.match(word)), None)
    sizes = [after for word, after in pairwise(words) if word in _SIZES and after.isdigit()]
    return None if address is None else Ping(address, int(sizes[0]) if sizes else None)


def shows(asked: Sequence[str], output: str, wanted: Sequence[str], pattern: str) -> bool:
    """Whether the output of a ping shows that what another one would show: no answers, or a part of them.

    How long answers take is compared by equal commands only.

    Args:
        asked: The words of the ping that was made.
        output: What it printed.
        wanted: The words of the ping of an observation.
        pattern: Of that observation.
    """
    made, meant = ping_of(asked), ping_of(wanted)
    if made is None or meant is None or made.address != meant.address:
        return False
    if (meant.size is None) != (made.size is None) or (meant.size is not None and (made.size or 0) < meant.size):
        return False
    counts = _counts(output)
    if counts is None:
        return False
    sent, received = counts
    if "0 received" in pattern or r"\(0/" in pattern:
        return sent >= FEW and received == 0
    is_some = "[1-9]" in pattern and ("received" in pattern or "/30" in pattern)
    lost = sent - received
    return is_some and received > 0 and lost >= (1 if sent >= ENOUGH else SEVERAL)


def _counts(output: str) -> tuple[int, int] | None:
    """How many echo requests were sent and answered, as the last of an output says."""
    if found := _COUNTED.findall(output):
        return int(found[-1][0]), int(found[-1][1])
    if found := _OF_IOS.findall(output):
        return int(found[-1][1]), int(found[-1][0])
    return None
