"""What a task file may name: families, dialects (as ``platform``), and the interfaces of dialects."""

from __future__ import annotations

from functools import cache

from pytest_netbench import parts
from pytest_netbench.dialects.base import Dialect


@cache
def known_families() -> tuple[str, ...]:
    """Names that ``family`` may have."""
    return parts.names("families")


@cache  # what is installed does not change while a process runs, and asking costs more than reading a task
def known_platforms() -> tuple[str, ...]:
    """Names that ``platform`` may have."""
    return tuple(sorted(parts.names("dialects")))


def full_name(platform: str, interface: str) -> str:
    """Return the full name of an interface; the name unchanged if the dialect is not installed.

    Raises:
        ValueError: The dialect has no such interface.
        ImportError: The part cannot be loaded.
    """
    dialect = dialect_of(platform)
    return interface if dialect is None else dialect.interface(interface)


@cache
def dialect_of(platform: str) -> Dialect | None:
    """The dialect called ``platform``, or ``None`` if it is not installed."""
    return parts.load("dialects", platform)() if platform in parts.names("dialects") else None
