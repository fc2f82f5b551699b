"""Routing tables at the moments of a trial: healthy, when the agent begins, and when it has finished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pytest_netbench.evaluation.interface import TaskEvaluation
from pytest_netbench.evaluation.settling import Condition, Settling
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.behaviour import Table
from pytest_netbench.model.trial import Moment
from pytest_netbench.platforms.driver import ListsRoutes

IN_CONFIG: Final = ("linux",)
"""Platforms whose running config contains the routes."""


class RoutingTables:
    """Reads routing tables at the moments of a trial.

    Args:
        lab: The running network.
        evaluation: What reads them.
        names: Of the nodes.
    """

    def __init__(self, lab: Lab, evaluation: TaskEvaluation, names: Iterable[str]) -> None:
        self._names = [
            name
            for name in names
            if lab.nodes[name].platform not in IN_CONFIG and isinstance(lab.driver(name), ListsRoutes)
        ]
        self._evaluation = evaluation
        self._settling = Settling(lab)
        self._healthy: Condition | None = None
        self._found: dict[Moment, dict[str, Table]] = {}

    @property
    def found(self) -> Mapping[Moment, dict[str, Table]]:
        """The tables by moment and node; nothing if no node has any beside its config."""
        return self._found

    def read(self, moment: Moment) -> None:
        """Read the tables as they are now.

        Raises:
            LabError: One cannot be read, and the agent did not cause that.
        """
        if self._names:
            self._found[moment] = self._evaluation.routes(self._names)
            if moment == "healthy":
                self._healthy = self._settling.look()

    def wait(self, *, healed: bool = False) -> None:
        """Return once routes have stopped changing.

        Args:
            healed: The network may become as it was when it was healthy. That is waited for a little longer.
        """
        if self._names:
            self._settling.wait(hold_s=0.0, like=self._healthy if healed else None)
