"""Addresses that have a meaning of their own on every host."""

from __future__ import annotations

from typing import Final

UNSPECIFIED: Final = "0.0.0.0"  # noqa: S104  (the one place where it is written)
"""The unspecified IPv4 address. A socket that is bound to it has all addresses of its host; elsewhere it stands for no
address, for the prefix of all addresses, or for an identifier that is not set."""
