"""Running code of an agent in the sandbox, and reading the plain data that it leaves."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Final, Literal, NoReturn

from pytest_netbench import deadline
from pytest_netbench.datacenter_graph.graph import Graph
from pytest_netbench.families.plan import harness
from pytest_netbench.lab.sandboxes import DIRECTORY, Sandbox
from pytest_netbench.platforms.access import Completed, SandboxLimits

PACKAGES: Final = ("networkx",)
LIMITS: Final = SandboxLimits(
    timeout_s=30.0,
    output_bytes=2 * (harness.LONGEST_RESULT + harness.LONGEST_PRINTED),
    memory_bytes=512 * 2**20,
    processes=16,
    disk_bytes=16 * 2**20,
)
_SHORTEST_S: Final = 0.1
_MARGIN_S: Final = 1.0
"""Wall seconds by which a program ends before the caller stops waiting."""
_HARNESS: Final = f"{DIRECTORY}/harness.py"

Status = Literal["done", "error", "timeout", "killed"]


@dataclass(frozen=True, kw_only=True)
class Execution:
    """What running a program left.

    Attributes:
        status: ``done`` it returned a value, ``error`` it raised an error or returned something else, ``timeout`` it
            was too slow, ``killed`` it ended without a result.
        error: What went wrong, for people.
        seconds: Wall seconds of the program alone, without the start of the interpreter; ``None`` if it did not end.
        printed: What it printed, cut at a limit.
        data: The answer, as JSON values.
        graph: The graph that it left.
        faults: What of the graph cannot be said by names: keys that are no names, two nodes of one name.
    """

    status: Status
    error: str = ""
    seconds: float | None = None
    printed: str = ""
    data: Any = None
    graph: Graph | None = None
    faults: tuple[str, ...] = ()


class Runner:
    """Runs programs on one graph.

    Args:
        sandbox: Where. The runner closes it.
        graph: The graph that each program gets.
        limits: What each program may use.
    """

    def __init__(self, sandbox: Sandbox, graph: Graph, *, limits: SandboxLimits = LIMITS) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self._one_at_a_time = threading.Lock()
        sandbox.put({_HARNESS: _harness(), harness.GRAPH: json.dumps(graph.json())})

    def run(self, code: str) -> Execution:
        """Run ``code`` on a fresh copy of the graph.

        Raises:
            LabError: The sandbox broke.
        """
        timeout_s = max(_SHORTEST_S, deadline.left(self._limits.timeout_s + _MARGIN_S) - _MARGIN_S)
        limits = replace(self._limits, timeout_s=timeout_s)
        # a request that an agent has abandoned may still run when its answer is evaluated
        with self._one_at_a_time:
            self._sandbox.put({harness.PROGRAM: code.encode("utf-8", "replace").decode()})
            return read(self._sandbox.run(_HARNESS, limits=limits), limits=limits)

    def close(self) -> None:
        """End the sandbox. Idempotent."""
        self._sandbox.close()


def read(completed: Completed, *, limits: SandboxLimits) -> Execution:
    """Return what a finished process of the harness says. The program may have written any of it but the first line."""
    if completed.timed_out:
        return Execution(status="timeout", error=f"it did not end within {limits.timeout_s:g} s")
    first, _, rest = completed.stdout.partition("\n")
    try:
        head = json.loads(first)
    except ValueError:
        return Execution(status="killed", error=_last_words(completed))
    common: dict[str, Any] = {"seconds": head["seconds"], "printed": head["printed"]}
    if head["ended"]:
        return Execution(status="killed", error=f"the program ended without a result: {head['ended']}", **common)
    if not rest:
        return Execution(status="killed", error="the program ended without a result", **common)
    try:
        return _result(json.loads(rest, parse_constant=_refuse), common)
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        return Execution(status="error", error="the result is not the data that process_graph returns", **common)


def _result(said: Any, common: Mapping[str, Any]) -> Execution:
    if "error" in said:
        return Execution(status="error", error=str(said["error"]), **common)
    value = said["value"]
    graph, faults = _graph(value["nodes"], value["edges"])
    return Execution(status="done", data=value["data"], graph=graph, faults=tuple(faults), **common)


def _graph(nodes: Any, edges: Any) -> tuple[Graph, list[str]]:
    """The graph by names. A node whose key is not its name is called by its name, as NetArena's answers do."""
    graph, faults, names = Graph(), [], {}
    for key, attributes in nodes:
        name = attributes.get("name", key)
        if not isinstance(name, str):
            faults.append(f"node {key!r}: its name is {name!r}")
            name = repr(name)
        if name in graph.nodes:
            faults.append(f"node {key!r}: another node has the name {name!r}")
        names[key] = name
        graph.nodes[name] = dict(attributes)
    for one, other, attributes in edges:
        ends = names.get(one, str(one)), names.get(other, str(other))
        further = sorted(attributes.keys() - {"type"})
        if further:
            faults.append(f"edge {ends[0]!r} to {ends[1]!r}: it has the attributes {', '.join(further)}")
        graph.edges[ends] = str(attributes.get("type"))
    return graph, faults


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _last_words(completed: Completed) -> str:
    words = completed.stderr.strip()[-500:]
    return f"the program's process was ended{': ' + words if words else ''}"


@cache
def _harness() -> str:
    return resources.files("pytest_netbench.families.plan").joinpath("harness.py").read_text(encoding="utf-8")
