"""What a brief says of the design of a network. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.model.faulty import Faulty

DESIGNED: Final = (
    "The network has grown for years. This is its design document. What it says is right; what the devices have beside"
    " it may be a leftover or a planned exception, or wrong. `get-running-cfg` can be asked for a section or a page."
)


def designed(payload: Faulty) -> Iterator[str]:
    """The design document; nothing without one."""
    if payload.design is not None:
        yield DESIGNED
        yield payload.design
