"""The RPKI cache of Linux hosts: the file of StayRTR, and its arguments.

It speaks the RPKI-to-Router protocol (RFC 8210), and has the format of rpki-client and others for what it tells.
"""

from __future__ import annotations

import json
from typing import Final

from pytest_netbench.model.hosting import RTR_PORT, RpkiCache

VRPS: Final = "/etc/stayrtr/rpki.json"
PROGRAM: Final = "stayrtr"
PATH: Final = "/usr/bin/stayrtr"
ARGUMENTS: Final = (
    f"-bind=:{RTR_PORT}",
    f"-cache={VRPS}",
    "-checktime=false",  # its payloads have no date
    "-metrics.addr=",  # no further port
    # it runs in wall time and routers in lab time: they come back soon, and what they know lasts
    "-rtr.retry=10",
    "-rtr.expire=172800",
    "-loglevel=error",
)
_TRUST_ANCHOR: Final = "corp"


def vrps_text(cache: RpkiCache) -> str:
    """The text of ``VRPS``: one payload on each line."""
    rows = (
        {
            "asn": f"AS{one.autonomous_system}",
            "prefix": one.prefix,
            "maxLength": one.max_length,
            "ta": _TRUST_ANCHOR,
        }
        for one in cache.vrps
    )
    return '{"roas": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]}\n"
