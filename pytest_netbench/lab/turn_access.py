"""The turns of a lab, for those who use labs with and without them."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turns import Turns


@runtime_checkable
class HasTurns(Protocol):
    """A lab that moves in turns."""

    @property
    def turns(self) -> Turns | None: ...


def turns_of(lab: Lab | None) -> Turns | None:
    """Return the turns of a lab; ``None`` if it moves by itself."""
    found: object = lab
    return found.turns if isinstance(found, HasTurns) else None


def at_usual_pace(lab: Lab) -> AbstractContextManager[None]:
    """Let lab time pass at its usual pace meanwhile: something of ours waits for the lab."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.at_usual_pace()


def looking_at(lab: Lab) -> AbstractContextManager[None]:
    """Around a look at a lab beside the requests of an agent; waits while the lab stands still."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.looks.look()


def looking_regularly_at(lab: Lab) -> AbstractContextManager[None]:
    """Around each look of the one who looks at a lab again and again, once in each turn."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.looks.regular_look()


def at_a_moment(lab: Lab) -> AbstractContextManager[None]:
    """Around what is done to a lab before an agent begins; see ``Approach.at_a_moment``."""
    turns = turns_of(lab)
    return contextlib.nullcontext() if turns is None else turns.before.at_a_moment()


def go_by_the_wall(lab: Lab) -> None:
    """Let lab time pass at a pace before and between requests: something in a lab goes by the wall."""
    turns = turns_of(lab)
    if turns is not None:
        turns.before.go_by_the_wall()
