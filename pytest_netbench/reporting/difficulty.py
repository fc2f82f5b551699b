"""Measured difficulty in words."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.model.difficulty import Difficulty, Measured, Share


def difficulty_lines(difficulty: Difficulty, *, with_faults: bool = True) -> Iterator[str]:
    """What was measured, a line for each agent and, below it, for each kind of fault."""
    for one in difficulty.measured:
        yield f"{_who(one)}: {share_text(one.all)}, {_when(one)}"
        if with_faults:
            yield from (f"  {kind}: {share_text(share)}" for kind, share in one.by_fault.items())


def share_text(share: Share) -> str:
    """How many passed, e.g. ``passed 3/20 (0.05-0.36)``."""
    named = "" if share.named is None else f", named {share.named}/{share.trials}"
    return f"passed {share.passed}/{share.trials} ({share.low:.2f}-{share.high:.2f}){named}"


def _who(one: Measured) -> str:
    return one.agent if one.model is None or one.model in one.agent else f"{one.agent} ({one.model})"


def _when(one: Measured) -> str:
    return one.first if one.first == one.last else f"{one.first} to {one.last}"
