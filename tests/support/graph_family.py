"""A third party's distribution, built as a wheel: a family whose tasks have no network, its scorers and a generator."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "netbench-graphs"
version = "1.0"

[project.entry-points."pytest_netbench.families"]
graph = "netbench_graphs.family:GraphFamily"

[project.entry-points."pytest_netbench.scorers"]
validity = "netbench_graphs.scorers:Validity"
stretch = "netbench_graphs.scorers:Stretch"

[project.entry-points."pytest_netbench.generators"]
rings = "netbench_graphs.generator:Rings"

[tool.hatch.build.targets.wheel]
packages = ["netbench_graphs"]
"""

FAMILY = '''\
"""Questions about graphs: the answer is a shortest path."""

from collections import deque

from pydantic import model_validator

from pytest_netbench.families.proof import Proof
from pytest_netbench.families.scenes import BareScene
from pytest_netbench.model.base import Model
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.trial import Brief, Submission


class Graph(Payload):
    """A directed graph, and the two nodes between which a path is asked for."""

    edges: dict[str, tuple[str, ...]]
    start: str
    goal: str

    @model_validator(mode="after")
    def _nodes_exist(self):
        for node in (self.start, self.goal):
            if node not in self.edges:
                raise ValueError(f"unknown node {node!r} (known: {sorted(self.edges)})")
        return self

    def shortest(self):
        """Nodes of a shortest path, or nothing."""
        ways = deque([(self.start,)])
        seen = {self.start}
        while ways:
            way = ways.popleft()
            if way[-1] == self.goal:
                return way
            for node in self.edges.get(way[-1], ()):
                if node not in seen:
                    seen.add(node)
                    ways.append((*way, node))
        return ()


class Way(Model):
    """The answer."""

    hops: tuple[str, ...]


class GraphFamily:
    name = "graph"
    payload = Graph
    answer = Way
    methods = ()
    scorers = ("validity", "stretch")
    pass_marks = {"validity": 1.0}
    claims = ()

    def brief(self, task):
        graph = task.payload
        edges = "; ".join(f"{node} -> {', '.join(to)}" for node, to in graph.edges.items())
        question = f"Find a shortest path from {graph.start} to {graph.goal}. Edges: {edges}"
        return Brief(task_name=task.task_name, family=self.name, intents=(question,), budget=task.budget)

    def prepare(self, task, deploy):
        return BareScene()

    def solve(self, task, ani):
        return Submission(answer={"hops": list(task.payload.shortest())}, reasoning=task.ground_truth_reasoning or None)

    def prove(self, task, stages, extent):
        problems = []
        with stages() as scene:
            scene.evaluate(Submission())
        way = task.payload.shortest()
        if not way:
            problems.append("there is no path from start to goal")
        if len(way) == 1:
            problems.append("start is the goal: an empty answer would do")
        shown = {"hops": str(max(0, len(way) - 1))}
        return Proof(problems=tuple(problems), shown=shown, listed={"paths": (" ".join(way),)})

    def stages_to_prove(self, task, extent):
        return 1
'''

SCORERS = '''\
from pytest_netbench.model.score import Score


class Validity:
    name = "validity"
    version = 1
    on_controller = False

    def score(self, record):
        graph, answer = record.task.payload, record.submission.answer
        hops = (answer or {}).get("hops", [])
        steps = list(zip(hops, hops[1:]))
        valid = bool(hops) and hops[0] == graph.start and hops[-1] == graph.goal
        valid = valid and all(to in graph.edges.get(at, ()) for at, to in steps)
        why = "no path" if not hops else ""
        return Score(metric=self.name, value=float(valid), explanation=why, scorer="validity/1")


class Stretch:
    """Scored in the process that reports, as heavy scorers are."""

    name = "stretch"
    version = 1
    on_controller = True

    def score(self, record):
        answer, best = record.submission.answer, len(record.task.payload.shortest()) - 1
        if not answer:
            why = "not measured: there is no answer"
            return Score(metric=self.name, value=None, explanation=why, scorer="stretch/1")
        return Score(metric=self.name, value=best / max(1, len(answer["hops"]) - 1), scorer="stretch/1")
'''

GENERATOR = '''\
from pydantic import Field

from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.task import Task


class RingParameters(Parameters):
    nodes: Span = Field(Span(low=4, high=9), description="nodes of the ring")


class Rings:
    """Rings of drawn size; one node is asked for from another."""

    name = "rings"
    parameters = RingParameters

    def draw(self, parameters, *, seed, index):
        source = random_of(self.name, seed=seed, index=index)
        count = parameters.nodes.draw(source)
        goal = source.randint(1, count - 1)
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            label="ring",
            level=1,
        )
        return Task.model_validate(
            {
                "task_name": f"Ring {seed}.{index}",
                "slug": drawn.slug,
                "family": "graph",
                "domain": "graphs",
                "drawn": drawn,
                "edges": {f"n{i}": [f"n{(i + 1) % count}"] for i in range(count)},
                "start": "n0",
                "goal": f"n{goal}",
            }
        )
'''


def build(folder: Path) -> Path:
    """Build the wheel in ``folder`` and unpack it; returns the folder that, on ``sys.path``, provides its parts."""
    package = folder / "project" / "netbench_graphs"
    package.mkdir(parents=True)
    (package.parent / "pyproject.toml").write_text(PROJECT)
    for name, text in (("__init__", ""), ("family", FAMILY), ("scorers", SCORERS), ("generator", GENERATOR)):
        (package / f"{name}.py").write_text(text)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist"],
        cwd=package.parent,
        check=True,
        capture_output=True,
    )
    (wheel,) = (folder / "dist").glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site
