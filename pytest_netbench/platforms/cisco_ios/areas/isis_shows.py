"""What can be seen of IS-IS."""

from __future__ import annotations

SHOWS = ()
