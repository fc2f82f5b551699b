"""Which workloads of an application have two policies. So a second one tells nothing by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pytest_netbench.kubernetes.applications.graph import Workload
from pytest_netbench.kubernetes.applications.words import POLICIES
from pytest_netbench.randomness import seeded

_SHARE: Final = 0.4


def with_second_policies(workloads: Iterable[Workload], seed: int) -> tuple[Workload, ...]:
    """Return workloads of which some have a second policy, if what theirs say can be shared out among two.

    Args:
        workloads: In a fixed order.
        seed: Equal seeds choose equally.
    """
    source = seeded(f"seconds/{seed}")
    draws = ((one, source.random() < _SHARE, source.choice(POLICIES)) for one in workloads)
    return tuple(replace(one, second=name) if is_chosen else one for one, is_chosen, name in draws)
