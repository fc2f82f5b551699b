"""What can be seen of EIGRP."""

from __future__ import annotations

SHOWS = ()
