"""The worked examples of the agent file ``netarena-few-shot``: drawn tasks with their solutions, as text.

    python -m tests.support.few_shot      # writes agents/examples/*.md again

The draws are outside the default series of their generators: the stars have more subnets, the graph is smaller, the
clusters have fewer workloads.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_netbench.faults.reasoning import repairs
from pytest_netbench.generators.kubernetes.repair import RepairKubernetes, RepairKubernetesParameters
from pytest_netbench.generators.plan import PlanGenerator
from pytest_netbench.generators.repair_routing import RepairRouting, RepairRoutingParameters
from pytest_netbench.model.repair import repair_of
from pytest_netbench.model.task import Task
from pytest_netbench.trial.limits import family_of
from tests.support.plans import SMALL

FOLDER = Path(__file__).parents[2] / "agents" / "examples"
SEED = 90_001
REPAIRS: tuple[tuple[str, tuple[str, ...]], ...] = (("1", ("RI",)), ("1", ("DR",)), ("2", ("DT", "WR")))
"""Level and labels of the examples of ``repair``."""
CLUSTERS: tuple[tuple[str, tuple[str, ...]], ...] = (("1", ("RI",)), ("1", ("CP",)), ("2", ("RI", "CP")))
"""Level and labels of the examples of ``repair`` on clusters."""

_PORTS = """\
import networkx as nx


def ports_in(graph, name):
    edges = [(u, v) for u, v, edge in graph.edges(data=True) if edge["type"] == "RK_CONTAINS"]
    below = nx.DiGraph(edges)
    inside = {name} | (nx.descendants(below, name) if name in below else set())
    return [node for node in inside if graph.nodes[node]["type"] == "EK_PORT"]


def children(graph, name):
    return [child for _, child, edge in graph.out_edges(name, data=True) if edge["type"] == "RK_CONTAINS"]


def capacity(graph, name):
    return sum(graph.nodes[port]["physical_capacity_bps"] for port in ports_in(graph, name))


"""
PLANS: tuple[tuple[int, tuple[str, ...], str], ...] = (
    (
        2,
        ("U", "C"),
        """\
def process_graph(graph_data):
    for port in ports_in(graph_data, "ju1.s1.s2c3"):
        graph_data.nodes[port]["physical_capacity_bps"] = 40000000000
    return {"data": capacity(graph_data, "ju1.s1"), "graph": graph_data}
""",
    ),
    (
        2,
        ("RM", "R"),
        """\
def process_graph(graph_data):
    edges = [(u, v) for u, v, edge in graph_data.edges(data=True) if edge["type"] == "RK_CONTAINS"]
    gone = {"ju1.a2.m1.s3c4"} | nx.descendants(nx.DiGraph(edges), "ju1.a2.m1.s3c4")
    graph_data.remove_nodes_from(gone)
    rows = [[child, capacity(graph_data, child)] for child in children(graph_data, "ju1.a2.m1")]
    return {"data": sorted(rows, key=lambda row: (-row[1], row[0])), "graph": graph_data}
""",
    ),
    (
        3,
        ("FOR", "IF", "U", "R"),
        """\
def process_graph(graph_data):
    edges = [(u, v) for u, v, edge in graph_data.edges(data=True) if edge["type"] == "RK_CONTAINS"]
    inside = nx.descendants(nx.DiGraph(edges), "ju1.s1")
    for node in sorted(one for one in inside if graph_data.nodes[one]["type"] == "EK_PACKET_SWITCH"):
        if capacity(graph_data, node) >= 120000000000:
            for port in ports_in(graph_data, node):
                graph_data.nodes[port]["physical_capacity_bps"] = 100000000000
    rows = [[child, capacity(graph_data, child)] for child in children(graph_data, "ju1.s1")]
    return {"data": sorted(rows, key=lambda row: (-row[1], row[0])), "graph": graph_data}
""",
    ),
)
"""Level, labels and program of the examples of ``plan``."""


def repair_examples() -> list[Task]:
    """The tasks of the examples of ``repair``."""
    given: dict[str, Any] = {"subnets": "5", "hosts": "1"}
    return [
        RepairRouting().draw(
            RepairRoutingParameters.model_validate({**given, "level": level, "labels": labels}), seed=SEED, index=0
        )
        for level, labels in REPAIRS
    ]


def cluster_examples() -> list[Task]:
    """The tasks of the examples of ``repair`` on clusters."""
    given: dict[str, Any] = {"services": "7", "applications": ("drawn",)}
    return [
        RepairKubernetes().draw(
            RepairKubernetesParameters.model_validate({**given, "level": level, "labels": labels}), seed=SEED, index=0
        )
        for level, labels in CLUSTERS
    ]


def plan_examples() -> list[tuple[Task, str]]:
    """The tasks of the examples of ``plan``, each with a program that answers it."""
    generator = PlanGenerator()
    found = []
    for level, labels, code in PLANS:
        parameters = generator.parameters.model_validate({**SMALL, "level": level, "labels": labels})
        found.append((generator.draw(parameters, seed=SEED, index=0), _PORTS + code))
    return found


def texts() -> dict[str, str]:
    """The content of each file by its name."""
    repair = [(task, list(_commands(task))) for task in repair_examples()]
    cluster = [(task, list(_commands(task))) for task in cluster_examples()]
    plan = [(task, ["The code:", f"```python\n{code.rstrip()}\n```"]) for task, code in plan_examples()]
    return {
        name: "\n\n".join(_example(number, *one) for number, one in enumerate(examples, start=1)) + "\n"
        for name, examples in (("repair.md", repair), ("repair-kubernetes.md", cluster), ("plan.md", plan))
    }


def _example(number: int, task: Task, solution: list[str]) -> str:
    asked = "\n\n".join(family_of(task).brief(task).intents)
    return "\n\n".join([f"## Example {number}", asked, "Reasoning:", task.ground_truth_reasoning, *solution])


def _commands(task: Task) -> Iterator[str]:
    by_node: dict[str, list[str]] = {}
    for _, node, commands in repairs(repair_of(task).faults):
        by_node.setdefault(node, []).extend(commands)
    for node, lines in by_node.items():
        yield f"Commands on {node}:"
        yield "```\n" + "\n".join(lines) + "\n```"


if __name__ == "__main__":
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
