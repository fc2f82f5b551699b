"""What was on devices before a run changed them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from pytest_netbench.lab.attaching.journal import Journals

JOURNALS: Final = Journals("testbed", what="a device")
"""By address and port of a device."""


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A device that was changed, and its configuration before that."""

    owner: str
    testbed: str
    device: str
    config: str


def write(name: str, saved: Saved) -> None:
    """Write the journal of a device so that it is there after a crash."""
    JOURNALS.write(name, asdict(saved))


def read(name: str) -> Saved | None:
    """The journal of a device, if it was changed and not put back.

    Raises:
        LabError: It cannot be read.
    """
    saved = JOURNALS.read(name)
    if saved is None:
        return None
    try:
        return Saved(**saved)
    except TypeError as error:
        raise JOURNALS.unreadable(name, error) from None
