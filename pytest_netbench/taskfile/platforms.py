"""What a task file may name: families, platforms, and the interfaces of platforms."""

from __future__ import annotations

from functools import cache
from typing import Any

from pytest_netbench import parts


@cache
def known_families() -> tuple[str, ...]:
    """Names that ``family`` may have."""
    return parts.names("families")


@cache  # what is installed does not change while a process runs, and asking costs more than reading a task
def known_platforms() -> tuple[str, ...]:
    """Names that ``platform`` may have."""
    return tuple(sorted(parts.names("platforms")))


def kernel_name(platform: str, interface: str) -> str:
    """The kernel's name of an interface; the name as it is where the platform's part is not installed.

    Raises:
        ValueError: The platform has no such interface.
        ImportError: The part cannot be loaded.
    """
    part = _part(platform)
    return interface if part is None else str(part.kernel_interface(interface))


@cache
def _part(platform: str) -> Any:
    return parts.load("platforms", platform)() if platform in parts.names("platforms") else None
