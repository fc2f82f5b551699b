"""The possible cause of an error on a running lab: the agent or the infrastructure."""

from __future__ import annotations

from pytest_netbench.errors import LabDied, LabError
from pytest_netbench.lab.protocols import LabNode


def may_be_the_agents(error: Exception, *nodes: LabNode) -> bool:
    """Return whether an agent may have caused ``error`` by what it sent.

    The lab is checked before the agent works. So a later error on nodes that still run programs is caused by the
    agent's changes. A lab that is gone, or a node that runs nothing, is an infrastructure failure.
    """
    if isinstance(error, LabDied):
        return False
    try:
        return all(node.run(("true",)).returncode == 0 for node in nodes)
    except LabError:
        return False
