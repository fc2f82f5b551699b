"""A generator of tasks for labs in memory, as a third party would write it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.task import Task
from tests.support.memory_tasks import TASK

Label = Literal["WEB", "DC"]
TRUTH = {"WEB": "no deny tcp 80 any", "DC": "route 10.9.0.0/16 via 10.0.2.10"}
TESTCASE = {"WEB": 0, "DC": 1}


class BranchParameters(Parameters):
    level: Span = Field(Span(low=1, high=2), description="how many things are to be done")
    labels: tuple[Label, ...] = Field(("WEB", "DC"), description="what is to be done")
    host: int = Field(10, ge=2, le=250, description="address of the branch")
    flaw: int | None = Field(None, description="one of so many tasks has no solution")
    breaks: bool = Field(False, description="labs of the tasks break")
    bug: int | None = Field(None, description="at this index the generator fails")


class Branches:
    """Access of a branch to a web server."""

    name = "branches"
    parameters = BranchParameters

    def draw(self, parameters: BranchParameters, *, seed: int, index: int) -> Task:
        if index == parameters.bug:
            raise ZeroDivisionError("no branch")
        source = random_of(self.name, seed=seed, index=index)
        level = min(parameters.level.draw(source), len(parameters.labels))
        labels = sorted(source.sample(parameters.labels, level))
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            label="+".join(labels),
            level=level,
        )
        flawed = parameters.flaw is not None and index % parameters.flaw == 0
        requirements = ("lab-breaks",) if parameters.breaks else ()
        own = {"drawn": drawn, "slug": drawn.slug, "requirements": requirements}
        return Task.model_validate(self._fields(labels, f"10.0.1.{parameters.host}", flawed=flawed) | own)

    def _fields(self, labels: list[str], address: str, *, flawed: bool) -> dict[str, Any]:
        intents, testcases = list(TASK["intents"]), list(TASK["testcases"])
        chosen = [testcases[TESTCASE[label]] | {"intent": place + 1} for place, label in enumerate(labels)]
        never = {
            "kind": "route",
            "name": "never",
            "intent": 1,
            "device": "edge",
            "prefix": "10.77.0.0/16",
            "within_s": 0.1,
        }
        return {
            **{name: value for name, value in TASK.items() if name not in ("difficulty", "topology")},
            "domain": "drawn",
            "intents": [intents[TESTCASE[label]] for label in labels],
            "topology": {
                "nodes": [{"name": name} for name in TASK["topology"]["nodes"]],
                "links": [
                    {"endpoints": [{"node": "branch", "interface": "e0"}, {"node": "edge", "interface": "e0"}]},
                    {"endpoints": [{"node": "edge", "interface": "e1"}, {"node": "web", "interface": "e0"}]},
                ],
            },
            "startup_configs": TASK["startup_configs"] | {"branch": f"address e0 {address}"},
            "ground_truth_configs": {"edge": [TRUTH[label] for label in labels]},
            "testcases": [*chosen, never] if flawed else chosen,
        }
