"""Names of DSCP values (RFC 2474, 2597, 3246, 5865, 8622) and of IP precedences (RFC 791)."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

DSCP: Final = MappingProxyType(
    {"default": 0, "be": 0, "ef": 46, "va": 44, "le": 1}
    | {f"cs{index}": index * 8 for index in range(8)}
    | {f"af{high}{low}": high * 8 + low * 2 for high in range(1, 5) for low in range(1, 4)}
)
PRECEDENCES: Final = MappingProxyType(
    {
        "routine": 0,
        "priority": 1,
        "immediate": 2,
        "flash": 3,
        "flash-override": 4,
        "critical": 5,
        "internet": 6,
        "network": 7,
    }
)
