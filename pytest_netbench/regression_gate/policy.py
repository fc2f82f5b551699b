"""The policy of a gate: which losses are accepted, and what must not happen at all."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError, field_validator

from pytest_netbench.documents import reading
from pytest_netbench.documents.durations import EACH, Words, spelling, with_seconds
from pytest_netbench.documents.explaining import first_problem
from pytest_netbench.documents.problems import SyntaxProblem
from pytest_netbench.errors import PolicyFileError
from pytest_netbench.model.base import Model
from pytest_netbench.model.trial import TrialResult
from pytest_netbench.results.pairing import task_id

PASSED = "passed"
DURATIONS: Final[Words] = {("rules", EACH, "most_time"): "most_seconds"}


class Rule(Model):
    """What is asked of some trials: those that all four patterns fit (``*`` and ``?`` as in file names)."""

    agent: str = Field("*", description="ids of agents")
    family: str = Field("*", description="families of tasks")
    domain: str = Field("*", description="domains of tasks")
    task: str = Field("*", description="ids of tasks, as failed tests show them without the agent")
    metric: str = Field(PASSED, description="passed, or a score from 0 to 1 where more is better, e.g. testcase")
    tolerance: float = Field(0.02, ge=0.0, le=1.0, description="the loss that is accepted")
    level: float = Field(0.05, gt=0.0, le=0.5, description="how often, at most, a verdict may be wrong")
    inconclusive: Literal["fail", "pass"] = Field("pass", description="whether the gate passes without a verdict")
    most_cost_usd: float | None = Field(None, ge=0.0, description="mean cost of a trial at most")
    most_seconds: float | None = Field(None, ge=0.0, description="mean wall seconds of the agent in a trial at most")

    def fits(self, result: TrialResult) -> bool:
        """Whether a trial is meant."""
        asked = (
            (self.agent, result.agent.id),
            (self.family, result.family),
            (self.domain, result.domain),
            (self.task, task_id(result)),
        )
        return all(fnmatchcase(value, pattern) for pattern, value in asked)

    def value(self, result: TrialResult) -> float | None:
        """The metric of a trial; ``None`` if it was not measured."""
        return float(result.status == PASSED) if self.metric == PASSED else result.score(self.metric)

    @property
    def about(self) -> str:
        """The patterns that say something, for people."""
        asked = (("agent", self.agent), ("family", self.family), ("domain", self.domain), ("task", self.task))
        return ", ".join(f"{name} {pattern}" for name, pattern in asked if pattern != "*") or "all tasks"


class Policy(Model):
    """All rules of a gate. Each is judged by itself; one that fails fails the gate."""

    rules: tuple[Rule, ...] = Field((Rule(),), description="what is asked of which trials")
    must_pass: tuple[str, ...] = Field((), description="patterns of task ids: each trial of such a task must pass")
    most_errors: float = Field(
        0.1, ge=0.0, le=1.0, description="share of infrastructure errors above which nothing is judged"
    )

    @field_validator("rules")
    @classmethod
    def _asks_something(cls, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        if not rules:
            raise ValueError("give at least one rule")
        return rules


def load_policy(path: Path) -> Policy:
    """Read and check a policy file.

    Raises:
        PolicyFileError: What is wrong, and where.
    """
    tree = reading.read(path, error=PolicyFileError, example="most_errors: 0.1")
    try:
        with_seconds(tree, DURATIONS, path=path)
        return Policy.model_validate(tree.plain())
    except SyntaxProblem as problem:
        raise PolicyFileError(problem.message, path=path, line=problem.line) from None
    except ValidationError as error:
        message, line = first_problem(error, tree, Policy, spelling=spelling(DURATIONS))
        raise PolicyFileError(message, path=path, line=line) from None
