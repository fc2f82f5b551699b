"""What can be seen of OSPF for IPv6."""

from __future__ import annotations

SHOWS = ()
