"""Requests to a network that stands still between them: how much of its time each takes, and the method that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from pytest_netbench.ani import wire
from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.methods import WAIT, WAIT_SPEC, validated
from pytest_netbench.lab.turn import Turn
from pytest_netbench.lab.turns import CHANGE_LAB_S, READ_LAB_S, Turns
from pytest_netbench.model.trial import MethodSpec

USUAL_LAB_S: Final = 7200.0
"""Lab seconds of an agent whose task does not say how many: without a limit it could wait for hours of the wall."""
RULES: Final = (
    "The network stands still between your requests: no timer of it runs while you think.",
    (
        f"A request takes {READ_LAB_S:g} seconds of the network's time, one that changes something {CHANGE_LAB_S:g};"
        " more if its work takes longer. Its answer is what was seen before the rest of that time passed."
        f" `{WAIT}` lets more pass."
    ),
    "If the budget has seconds of your own clock, they pass while you think, too.",
)
"""What agents are told, in sentences."""
CONSOLE: Final = "console"
"""The name of lines over SSH among requests."""
_SHORT: Final = frozenset({"get-topology", "get-running-cfg", "execute-cmd", "query-telemetry"})
"""Requests that mostly look at a state. Others measure what passes meanwhile."""
LONGEST_LINE_S: Final = 30.0
"""Wall seconds that a line entered over SSH may take before it is interrupted: others wait for their turns."""
SSH_RULE: Final = (
    "A line that you enter over SSH is a request; keys before it and Tab take no time. A line that has not ended after"
    f" {LONGEST_LINE_S:g} seconds is interrupted as by Ctrl-C."
)
"""What they are told of SSH."""


class Standing:
    """Takes turns of a lab for requests.

    Args:
        turns: Of the lab.
        meter: Counts the lab seconds.
    """

    specs: tuple[MethodSpec, ...] = (WAIT_SPEC,)
    """The methods that it answers, as agents see them."""

    def __init__(self, turns: Turns, meter: Meter) -> None:
        self._turns = turns
        self._meter = meter

    @property
    def answers(self) -> dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
        """By method: what answers one request, or raises ``AniError``."""
        return {WAIT: self._wait}

    @contextmanager
    def turn(self, method: str, *, changes: bool, took: dict[str, float]) -> Iterator[Turn]:
        """Around the work for one request, which is charged with lab seconds; ``took`` is given them as ``lab_s``.

        Raises:
            BudgetExhausted: The budget was used up before its turn came.
            LabError: The lab broke.
        """
        charge_s = 0.0 if method == WAIT else CHANGE_LAB_S if changes else READ_LAB_S
        may_change, measures = changes or method == CONSOLE, method not in _SHORT
        with self._charged(charge_s, took, may_change=may_change, measures=measures) as turn:
            self._meter.check()
            yield turn

    @contextmanager
    def moving(self, took: dict[str, float] | None = None) -> Iterator[Turn]:
        """Around what a login needs the network for beside its lines. It is charged with what it takes.

        Raises:
            LabError: The lab broke.
        """
        with self._charged(0.0, {} if took is None else took) as turn:
            yield turn

    def _charged(
        self, charge_s: float, took: dict[str, float], *, may_change: bool = False, measures: bool = True
    ) -> AbstractContextManager[Turn]:
        def taken(lab_s: float) -> None:
            self._meter.charge_lab(lab_s)
            took["lab_s"] = round(took.get("lab_s", 0.0) + lab_s, 3)

        return self._turns.turn(
            charge_s, may_change=may_change, measures=measures, aside=self._meter.paused, taken=taken
        )

    def end(self, *, within_s: float) -> None:
        """Let the network move by itself, and wait for the end of a turn for some wall seconds. Idempotent."""
        self._turns.end()
        self._turns.await_turn(within_s)

    def _wait(self, params: Mapping[str, Any]) -> dict[str, Any]:
        wanted = validated(WAIT, wire.WaitParams, params)
        self._meter.check_lab(wanted.seconds)
        began = self._turns.lab_s()
        with self._meter.paused():
            self._turns.run_forward(wanted.seconds)
        return wire.WaitResult(passed_s=round(self._turns.lab_s() - began, 3)).plain()
