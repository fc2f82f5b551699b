"""Methods that a family adds to the interface of a task without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pytest_netbench.ani.wire import Wire
from pytest_netbench.model.trial import MethodSpec


@dataclass(frozen=True, kw_only=True)
class OwnMethod:
    """A method that a scene offers.

    Attributes:
        spec: As agents see it.
        params: The model of its parameters.
        answer: Carries out one request. It raises ``AniError`` for a request that is refused, and ``LabError`` if what
            it needs broke, which ends the trial without a score.
    """

    spec: MethodSpec
    params: type[Wire]
    answer: Callable[[Any], Wire]
