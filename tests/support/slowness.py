"""How slow this machine is at the moment, for tests that limit processor time."""

from __future__ import annotations

import json
import time


def slowness() -> float:
    """How many times as long known work takes as on the machine that limits were set on, where it takes 0.25 s.

    A core that others share takes more processor time for the same work.
    """
    began = time.process_time()
    rows = [{"name": f"n{at}", "values": [at, str(at)], "inner": {"rest": at % 7}} for at in range(20_000)]
    for _ in range(3):
        rows = json.loads(json.dumps(rows))
        rows.sort(key=lambda one: (one["inner"]["rest"], one["name"]))
    return max(1.0, (time.process_time() - began) / 0.25)
