"""Drawing the flows of a task's reference behaviour. A pure function of the task, a seed and a count."""

from __future__ import annotations

from pytest_netbench.evaluation.flows.clusters import cluster_flows
from pytest_netbench.evaluation.flows.drawing import draw, flows_of

__all__ = ["cluster_flows", "draw", "flows_of"]
