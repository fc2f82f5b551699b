"""What can be seen of RIP."""

from __future__ import annotations

SHOWS = ()
