"""Which recorded flows are measured where not all can be: what is named, both sides of each boundary, others by lot.

Pure. The sample is the same for the same flows and the same prober, so that results of two runs can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from pytest_netbench.evaluation.flows.packets import is_at_a_boundary
from pytest_netbench.model.behaviour import HeldFlow
from pytest_netbench.model.reference import FlowKey
from pytest_netbench.randomness import seeded

ALLOWED_S: Final = 60.0
"""Wall seconds in which flows are measured that need not be."""
_DECIMALS = 4


class Sample(NamedTuple):
    """The flows that are measured.

    Attributes:
        held: The flows, in the order of the record.
        share: Of all flows, 0 to 1; rounded, but never to 1 if one is left out.
        beyond: Why flows cannot be measured, and how many each.
        takes_s: Wall seconds that measuring them once takes, roughly.
    """

    held: Sequence[HeldFlow]
    share: float
    beyond: dict[str, int]
    takes_s: float


def sample(
    held: Sequence[HeldFlow],
    *,
    is_named: Callable[[HeldFlow], bool],
    beyond: Callable[[HeldFlow], str | None],
    per_s: float,
    seed: str,
) -> Sample:
    """Choose flows: all that an intent names or that lie at a boundary, then others as time allows.

    Args:
        held: The flows to compare, in the order of the record.
        is_named: Whether an intent names a flow.
        beyond: Why a flow cannot be measured, if so.
        per_s: How many are measured in a wall second.
        seed: Draws the others.
    """
    named = [is_named(one) for one in held]
    beside = {key for one, is_so in zip(held, named, strict=True) if is_so for key in _beside(one)}
    reasons = [beyond(one) for one in held]
    able = [index for index, reason in enumerate(reasons) if reason is None]
    needed = [
        index for index in able if named[index] or held[index].flow.key in beside or is_at_a_boundary(held[index].flow)
    ]
    others = sorted({*able} - {*needed})
    room = max(0, round(ALLOWED_S * per_s) - len(needed))
    drawn = seeded(seed).sample(others, min(room, len(others)))
    chosen = sorted([*needed, *drawn])
    why = [reason for reason in reasons if reason is not None]
    return Sample(
        held=[held[index] for index in chosen],
        share=_share(len(chosen), len(held)),
        beyond={reason: why.count(reason) for reason in dict.fromkeys(why)},
        takes_s=len(chosen) / per_s,
    )


def _beside(one: HeldFlow) -> Iterator[FlowKey]:
    """The flows that differ from one by a step of its port."""
    if one.flow.port is not None:
        for port in (one.flow.port - 1, one.flow.port + 1):
            yield one.flow.model_copy(update={"port": port}).key


def _share(some: int, of: int) -> float:
    if some == of:
        return 1.0
    step = 10.0**-_DECIMALS
    return min(round(some / of, _DECIMALS), 1 - step)
