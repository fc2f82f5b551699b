"""What agents are told of a platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect
from pytest_netbench.platforms.driver import RunsHere

BATCH: Final = (
    "The commands of one update-cfg are committed as a whole: if the device refuses one of them, none takes effect."
)


def platform_hint(name: str, *, reading: bool = False) -> str:
    """Return a sentence on the devices of a platform: the version installed here, and what their command line is like.

    Args:
        name: Of the platform.
        reading: Nothing can be configured; a dialect may have a ``reading_hint`` for this.
    """
    dialect: Dialect = parts.load("dialects", name)()
    label = _label(name, _installed(name))
    hint = getattr(dialect, "reading_hint", dialect.hint) if reading else dialect.hint
    if dialect.syntax.commit == "batch" and not reading:
        hint = f"{hint} {BATCH}".strip()
    return f"{label}: {hint}" if hint else f"{label}."


def with_versions(hints: Sequence[str], versions: Mapping[str, str]) -> tuple[str, ...]:
    """Return hints whose sentences on platforms name the versions that devices run in place of those installed here.

    Args:
        hints: Those on platforms are by ``platform_hint``.
        versions: By platform.
    """
    for name, version in versions.items():
        here, there = _label(name, _installed(name)), _label(name, version)
        hints = [there + hint.removeprefix(here) if hint.startswith(here) else hint for hint in hints]
    return tuple(hints)


def _installed(name: str) -> str | None:
    driver = parts.load("drivers", name)() if name in parts.names("drivers") else None
    return driver.installed_version() if isinstance(driver, RunsHere) else None


def _label(name: str, version: str | None) -> str:
    return f"Devices of platform {name}" + (f" run version {version}" if version else "")
