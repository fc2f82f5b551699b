"""Drawing of tasks of family ``plan``."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

from pydantic import Field, field_validator

from pytest_netbench.datacenter_graph import malt, reasoning, wording
from pytest_netbench.datacenter_graph.building import Sizes
from pytest_netbench.datacenter_graph.query import Query
from pytest_netbench.datacenter_graph.specification import GraphSpecification, MaltFile
from pytest_netbench.errors import UsageError
from pytest_netbench.generators.plan.targets import Places, Targets
from pytest_netbench.generators.plan.templates import LEVELS, OPERATIONS, Operation
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.generators.randomness import random_of
from pytest_netbench.generators.values import Span
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.task import Task

_GRAPHS = 8
_SIZES = Sizes()


class PlanParameters(Parameters):
    """What can be chosen for questions about data-center graphs. The default sizes are NetArena's."""

    level: Span = Field(
        Span(low=1, high=3), description="1: one operation; 2: remove or update, then ask; 3: the others"
    )
    labels: tuple[Operation, ...] = Field(
        OPERATIONS,
        description="operations that may occur: A add, RM remove, U update, C count, LI list, R rank, IF a condition,"
        " FOR a loop",
    )
    super_blocks: int = Field(_SIZES.super_blocks, ge=1, le=64, description="super blocks of the graph")
    agg_blocks: int = Field(_SIZES.agg_blocks, ge=1, le=64, description="aggregation blocks of each super block")
    spine_blocks: int = Field(_SIZES.spine_blocks, ge=0, le=64, description="spine blocks of the graph")
    switches: int = Field(_SIZES.switches, ge=2, le=256, description="packet switches of each block")
    ports: int = Field(_SIZES.ports, ge=2, le=256, description="ports of each packet switch")
    malt: str = Field("", description="path of a MALT model to ask about instead, e.g. NetArena's")

    @field_validator("level")
    @classmethod
    def _level_exists(cls, value: Span) -> Span:
        return value.checked(low=min(LEVELS), high=max(LEVELS))


class PlanGenerator:
    """Draws questions about a data-center graph.

    The level is drawn first, then the label among those of the level, then a type for each target, then the target.
    """

    name = "plan"
    parameters = PlanParameters

    def draw(self, parameters: PlanParameters, *, seed: int, index: int) -> Task:
        """Return the task ``index`` of the series ``seed``.

        Raises:
            UsageError: No label fits, or the graph has nothing to ask about.
            InputError: The MALT model cannot be read.
        """
        source = random_of(self.name, seed=seed, index=index)
        level, label = _kind(parameters, source)
        graph = _graph(parameters, source)
        query = Query(steps=LEVELS[level][label](Targets(_places(graph), source)))
        drawn = Drawn(
            generator=self.name,
            parameters=parameters.model_dump(mode="json"),
            seed=seed,
            index=index,
            label=label,
            level=level,
        )
        return Task.model_validate(
            {
                "task_name": drawn.id,
                "slug": drawn.slug,
                "family": "plan",
                "domain": "capacity-planning",
                "drawn": drawn,
                "question": wording.question(query),
                "graph": graph,
                "query": query,
                "ground_truth_reasoning": reasoning.reasoning(query),
            }
        )


@lru_cache(maxsize=_GRAPHS)
def _places(specification: GraphSpecification) -> Places:
    return Places(specification.graph())


def _kind(parameters: PlanParameters, source: random.Random) -> tuple[int, str]:
    permitted = set(parameters.labels)
    labels = {
        level: found
        for level, known in LEVELS.items()
        if level in parameters.level and (found := [label for label in known if permitted.issuperset(label.split("+"))])
    }
    if not labels:
        known = "; ".join(f"level {level}: {', '.join(of_level)}" for level, of_level in LEVELS.items())
        raise UsageError(
            f"no question of level {parameters.level} has only the operations {'+'.join(parameters.labels)} ({known})"
        )
    level = source.choice(sorted(labels))
    return level, source.choice(labels[level])


def _graph(parameters: PlanParameters, source: random.Random) -> GraphSpecification:
    if parameters.malt:
        path = Path(parameters.malt)
        return GraphSpecification(malt=MaltFile(path=parameters.malt, sha256=malt.digest_of_file(path)))
    sizes = parameters.model_dump(include=set(Sizes.model_fields))
    # few graphs, so that they are built once for many tasks
    return GraphSpecification(sizes=Sizes(**sizes, seed=source.randrange(_GRAPHS)))
