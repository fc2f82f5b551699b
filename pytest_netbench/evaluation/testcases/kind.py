"""What a kind of testcase is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_netbench.evaluation.observation import Observation, View
from pytest_netbench.lab.probing import Probe, ProbeResult


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a kind is observed: by ``observe`` alone, or by a packet that ``plan`` describes and ``judge`` judges.

    ``absent``: the testcase is about something that must not hold. ``traffic``: it disturbs others while it runs.
    ``alone``: it is observed alone and not a second time once it holds, because that takes long.
    """

    expected: Callable[[Any], str]
    observe: Callable[[Any, View], Observation] | None = None
    plan: Callable[[Any, View], Probe] | None = None
    judge: Callable[[Any, Probe, ProbeResult], Observation] | None = None
    absent: Callable[[Any], bool] = lambda _: False
    traffic: bool = False
    alone: bool = False
