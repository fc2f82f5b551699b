"""When drawn faults are there: all the time, or at times."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Literal

from pytest_netbench.model.faulty import InjectedFault, fault_of
from pytest_netbench.model.schedule import Schedule

Timing = Literal["steady", "drawn"]
PERIOD_S: Final = 900.0
"""Lab seconds in which what is wrong at any time counts."""
_SHORTEST_S, _LONGEST_S = 180, 300
"""How long a fault is there at a time: protocols notice within 40 s, and an agent can look some ten times."""
_FLAPS: Final = "link-flapping"
"""Comes and goes by itself."""


def can_come_and_go(name: str) -> bool:
    """Whether a fault can be there at times: the lab makes it and takes it away, and it is steady by itself."""
    fault = fault_of(name)
    return not fault.repairable and fault.found_at == "link" and name != _FLAPS


def draw_schedules(faults: Sequence[InjectedFault], source: random.Random) -> list[InjectedFault]:
    """Give each fault that can come and go a schedule: steady, begins, heals, passes, or comes again and again."""
    return [
        one if not can_come_and_go(one.fault) else one.model_copy(update={"when": _drawn(source)}) for one in faults
    ]


def _drawn(source: random.Random) -> Schedule | None:
    kind = source.choice(("steady", "begins", "heals", "passes", "comes-again"))
    begins, lasts = source.randrange(60, 241, 10), source.randrange(_SHORTEST_S, _LONGEST_S + 1, 10)
    rests = source.randrange(_SHORTEST_S, _LONGEST_S + 1, 10)
    return {
        "steady": None,
        "begins": Schedule(begins_s=begins),
        "heals": Schedule(lasts_s=lasts),
        "passes": Schedule(begins_s=begins, lasts_s=lasts),
        "comes-again": Schedule(begins_s=begins, lasts_s=lasts, every_s=lasts + rests),
    }[kind]
