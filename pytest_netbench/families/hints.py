"""What agents are told of a platform."""

from __future__ import annotations

from typing import Final

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect

BATCH: Final = (
    "The commands of one update-cfg are committed as a whole: if the device refuses one of them, none takes effect."
)


def platform_hint(name: str, *, reading: bool = False) -> str:
    """Return a sentence on the devices of a platform: the version they run, and what their command line is like.

    Args:
        name: Of the platform.
        reading: Nothing can be configured; a dialect may have a ``reading_hint`` for this.
    """
    dialect: Dialect = parts.load("dialects", name)()
    version = parts.load("drivers", name)().version() if name in parts.names("drivers") else None
    label = f"Devices of platform {name}" + (f" run version {version}" if version else "")
    hint = getattr(dialect, "reading_hint", dialect.hint) if reading else dialect.hint
    if dialect.syntax.commit == "batch" and not reading:
        hint = f"{hint} {BATCH}".strip()
    return f"{label}: {hint}" if hint else f"{label}."
