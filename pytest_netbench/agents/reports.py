"""Reports: tells a model which nodes reach which, if its agent file asks for it."""

from __future__ import annotations

from pytest_netbench.agents.prompting import packaged
from pytest_netbench.ani.protocol import Ani
from pytest_netbench.errors import AniError
from pytest_netbench.model.extra_methods import GET_REACHABILITY
from pytest_netbench.model.trial import Brief


class Reports:
    """The report on reachability in one trial. Each counts as a call of the budget.

    Args:
        wanted: Whether the agent file asks for it.
        brief: Its methods.
        ani: Is asked.
    """

    def __init__(self, *, wanted: bool, brief: Brief, ani: Ani) -> None:
        self._wanted = wanted and GET_REACHABILITY in {method.name for method in brief.methods}
        self._template = packaged("report")
        self._ani = ani

    def text(self) -> str:
        """The present report in words; empty if it is not wanted, or if nobody watches the flows of the network.

        Raises:
            BudgetExhausted: The budget is used up.
        """
        if not self._wanted:
            return ""
        try:
            report = self._ani.call(GET_REACHABILITY, {})["report"]
        except AniError as error:
            self._wanted = False
            self._ani.note(f"no reports on reachability: {error}")
            return ""
        return self._template.fill(report=report)
