"""``unbroken``: packets got through whenever they were tried while the agent worked."""

from __future__ import annotations

from typing import Final

from pytest_netbench.evaluation.observation import BadTestcase, Observation, View
from pytest_netbench.evaluation.testcases import reachability
from pytest_netbench.evaluation.testcases.kind import Kind
from pytest_netbench.model.testcase import UnbrokenTestcase


def expected(testcase: UnbrokenTestcase) -> str:
    """The condition, for people."""
    return f"{reachability.expected(testcase.flow)}, before the first change of the agent and after each"


def observe(testcase: UnbrokenTestcase, view: View) -> Observation:
    """Tell what was seen while the agent worked."""
    watched = view.unbroken
    if watched is None:
        raise BadTestcase("nobody watched the agent's work")
    found = watched.found.get(testcase.name)
    return Observation(
        holds=found is None,
        command=f"{watched.looks} looks while the agent worked",
        actual="always delivered" if found is None else found,
        final=True,
    )


KIND: Final = Kind(observe=observe, expected=expected)
