"""Benchmark AI agents on real, running networks, with pytest.

Importing this package costs nothing: everything heavy is imported where it is used. ``Episode`` is imported when it is
asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_netbench.episodes import Episode as Episode

__version__ = "0.1.0"
__all__ = ["Episode", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Episode":
        from importlib import import_module  # noqa: PLC0415  (only who asks for it pays for it)

        return import_module("pytest_netbench.episodes").Episode
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
