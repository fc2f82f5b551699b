"""A family whose trials do nothing, or wait, and a generator of its tasks: what a trial costs without a network.

``install`` makes them parts, by a distribution in a folder that is to be on ``sys.path``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from pytest_netbench.families.proof import Extent, Proof
from pytest_netbench.families.scenes import BareScene
from pytest_netbench.generators.protocol import Parameters
from pytest_netbench.model.drawn import Drawn
from pytest_netbench.model.payload import Payload
from pytest_netbench.model.score import Score
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import Brief, Findings, Submission

_PARTS: Final = """\
[pytest_netbench.families]
noop = benchmarks.noop:NoopFamily
[pytest_netbench.generators]
noop = benchmarks.noop:Noop
[pytest_netbench.scorers]
noop = benchmarks.noop:Done
"""


def install(site: Path) -> Path:
    """Make ``site`` a folder that provides the parts."""
    info = site / "netbench_noop-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(_PARTS)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: netbench-noop\nVersion: 1.0\n")
    return site


class Wait(Payload):
    """How long an evaluation waits, in wall seconds."""

    wait_s: float


class _Scene(BareScene):
    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s

    def evaluate(self, submission: Submission) -> Findings:
        time.sleep(self._wait_s)
        return super().evaluate(submission)


class NoopFamily:
    """Asks for nothing."""

    name = "noop"
    payload = Wait
    answer = None
    methods = ()
    scorers = ("noop",)
    pass_marks: Final = {"noop": 1.0}
    claims = ()

    def brief(self, task: Task) -> Brief:
        return Brief(task_name=task.task_name, family=self.name, intents=(), budget=task.budget)

    def prepare(self, task: Task, deploy: Any) -> BareScene:  # a family's names
        return _Scene(task.payload.wait_s)

    def solve(self, task: Task, ani: Any) -> Submission:
        return Submission()

    def prove(self, task: Task, stages: Callable[..., Any], extent: Extent) -> Proof:
        return Proof(problems=(), shown={}, listed={})

    def stages_to_prove(self, task: Task, extent: Extent) -> int:
        return 1


class Done:
    """Is 1."""

    name = "noop"
    version = 1
    on_controller = False

    def score(self, record: Any) -> Score:
        return Score(metric=self.name, value=1.0, scorer="noop/1")


class NoopParameters(Parameters):
    """What can be chosen."""

    wait_s: float = Field(0.0, ge=0, description="wall seconds that an evaluation waits")


class Noop:
    """Draws them."""

    name = "noop"
    parameters = NoopParameters

    def draw(self, parameters: NoopParameters, *, seed: int, index: int) -> Task:
        chosen = parameters.model_dump(mode="json")
        drawn = Drawn(generator=self.name, parameters=chosen, seed=seed, index=index, label="noop", level=1)
        given = {"task_name": f"Nothing {seed}.{index}", "slug": drawn.slug, "family": "noop", "domain": "noop"}
        return Task.model_validate({**given, "drawn": drawn, "wait_s": parameters.wait_s})
